import { isJsonObject, type Json } from "../../base/json.ts";

/** What {@link retryAfterMsOf} reads: the head and the parsed body of a failed answer. */
export interface FailedAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The `error` object of the body. */
  readonly error: Json | undefined;
}

/**
 * How long a provider asks to wait, in milliseconds: by `retry-after-ms`, `retry-after` (seconds or a
 * date, RFC 9110, 10.2.3), Google's `retryDelay` in the body or, on 429, the `x-ratelimit-reset`
 * headers of what is used up.
 */
export function retryAfterMsOf(answer: FailedAnswer, now: number): number | undefined {
  const { headers, status } = answer;
  // The provider's own clock, where it tells it: ours may be wrong.
  const here = timeOf(headers["date"]) ?? now;
  const wait =
    positive(headers["retry-after-ms"]) ??
    delayOrDate(headers["retry-after"], here) ??
    retryDelay(answer.error) ??
    (status === 429 ? resetOf(headers, here) : undefined);
  return wait === undefined ? undefined : Math.ceil(wait);
}

/** A number that is not negative; text that is none gives `undefined`. */
function positive(text: string | undefined): number | undefined {
  const value = text === undefined || text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}

function delayOrDate(text: string | undefined, here: number): number | undefined {
  const seconds = positive(text);
  if (seconds !== undefined) {
    return seconds * 1_000;
  }
  const time = timeOf(text);
  return time === undefined ? undefined : Math.max(0, time - here);
}

function timeOf(date: string | undefined): number | undefined {
  // Date.parse takes "-1" for a year; every form of RFC 9110 names the month.
  const time = /[A-Za-z]{3}/.test(date ?? "") ? Date.parse(date ?? "") : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** `google.rpc.RetryInfo` among the details of an error. */
function retryDelay(error: Json | undefined): number | undefined {
  const details = isJsonObject(error) ? error["details"] : undefined;
  const delays = Array.isArray(details)
    ? details.filter(isJsonObject).map((detail) => detail["retryDelay"])
    : [];
  const delay = delays.find((text) => typeof text === "string");
  return delay === undefined ? undefined : durationMs(delay);
}

function resetOf(headers: Readonly<Record<string, string>>, here: number): number | undefined {
  const waits = ["requests", "tokens"]
    .filter((what) => headers[`x-ratelimit-remaining-${what}`]?.trim() === "0")
    .map((what) => durationMs(headers[`x-ratelimit-reset-${what}`] ?? ""))
    .filter((wait) => wait !== undefined);
  return waits.length > 0 ? Math.max(...waits) : timeOrDelay(headers["x-ratelimit-reset"], here);
}

/** OpenRouter gives milliseconds since the epoch, others seconds since then, or from now. */
function timeOrDelay(text: string | undefined, here: number): number | undefined {
  const value = positive(text);
  if (value === undefined) {
    return undefined;
  }
  const isTime = value > 1e9;
  const isMilliseconds = value > 1e11;
  return isTime ? Math.max(0, (isMilliseconds ? value : value * 1_000) - here) : value * 1_000;
}

const unitsMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `1h2m3.5s`, `120ms`, or plain seconds. */
function durationMs(text: string): number | undefined {
  const seconds = positive(text);
  if (seconds !== undefined) {
    return seconds * 1_000;
  }
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/.test(text)) {
    return undefined;
  }
  return [...text.matchAll(/([\d.]+)(ms|s|m|h|d)/g)].reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * (unitsMs[unit ?? ""] ?? 0),
    0,
  );
}
