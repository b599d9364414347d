import { expect, test } from "vitest";
import type { Json } from "../../base/json.ts";
import { retryAfterMsOf } from "./retry-after.ts";

const now = Date.parse("2026-11-30T12:00:00Z");

const after = (headers: Readonly<Record<string, string>>, status = 429, error: Json = null) =>
  retryAfterMsOf({ status, headers, error }, now);

test.each<readonly [headers: Readonly<Record<string, string>>, waitMs: number | undefined]>([
  [{ "retry-after": "3" }, 3_000],
  [{ "retry-after": "0" }, 0],
  [{ "retry-after": "1.5" }, 1_500],
  [{ "retry-after": "Mon, 30 Nov 2026 12:00:07 GMT" }, 7_000],
  [{ "retry-after": "Mon, 30 Nov 2026 11:00:00 GMT" }, 0],
  [
    { "retry-after": "Mon, 30 Nov 2026 12:00:07 GMT", date: "Mon, 30 Nov 2026 12:00:05 GMT" },
    2_000,
  ],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after": "" }, undefined],
  [{ "retry-after": "-1" }, undefined],
  [{ "retry-after-ms": "250", "retry-after": "3" }, 250],
  [{ "retry-after-ms": "x", "retry-after": "3" }, 3_000],
  [{ "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m0.5s" }, 60_500],
  [{ "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "120ms" }, 120],
  [
    {
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-requests": "2s",
      "x-ratelimit-remaining-tokens": "0",
      "x-ratelimit-reset-tokens": "3s",
    },
    3_000,
  ],
  [{ "x-ratelimit-remaining-requests": "9", "x-ratelimit-reset-requests": "1m" }, undefined],
  [{ "x-ratelimit-reset": String(now + 4_000) }, 4_000],
  [{ "x-ratelimit-reset": String(now / 1_000 + 4) }, 4_000],
  [{ "x-ratelimit-reset": "4" }, 4_000],
  [{}, undefined],
])("%j asks to wait %j ms", (headers, waitMs) => {
  expect(after(headers)).toBe(waitMs);
});

test("the reset of a limit counts on 429 alone, retry-after on every status", () => {
  expect(after({ "x-ratelimit-reset": "4" }, 503)).toBeUndefined();
  expect(after({ "retry-after": "4" }, 503)).toBe(4_000);
});

test("Google's retry delay in the body counts where no header says more", () => {
  const error = { details: [{ "@type": "Help" }, { retryDelay: "34.2s" }] };
  expect(after({}, 429, error)).toBe(34_200);
  expect(after({ "retry-after": "1" }, 429, error)).toBe(1_000);
});
