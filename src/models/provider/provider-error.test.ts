import { expect, test } from "vitest";
import {
  ToolCertificateError,
  ToolError,
  ToolNetworkError,
  ToolTimeoutError,
} from "../../base/tool-error.ts";
import { toAnswerError, toStatusError, toTransportError } from "./provider-error.ts";

const key = 'sk-live-0123456789/+="';
const scope = { what: 'model "openai:m" at https://api.example/v1', secrets: [key] };
const json = (error: unknown): string => JSON.stringify({ error });

const fail = (status: number, body: string, headers: Readonly<Record<string, string>> = {}) =>
  toStatusError({ status, headers, body }, scope, 0);

test.each<readonly [status: number, body: string, code: string, retryable: boolean]>([
  [301, "", "model-refused", false],
  [400, json({ message: "boom" }), "model-refused", false],
  [
    400,
    json({ message: "boom", details: [{ reason: "API_KEY_INVALID" }] }),
    "model-unauthorized",
    false,
  ],
  [401, json({ message: "boom" }), "model-unauthorized", false],
  [402, json({ message: "boom" }), "model-rate-limited", false],
  [403, json({ message: "boom" }), "model-unauthorized", false],
  [404, json({ message: "boom" }), "model-not-found", false],
  [408, "", "model-timeout", true],
  [409, "", "model-unavailable", true],
  [413, "", "model-refused", false],
  [422, json({ message: "boom" }), "model-refused", false],
  [429, json({ message: "boom" }), "model-rate-limited", true],
  [429, json({ message: "boom", code: "insufficient_quota" }), "model-rate-limited", false],
  [
    429,
    json({ message: "boom", type: "insufficient_quota", code: null }),
    "model-rate-limited",
    false,
  ],
  [500, json({ message: "boom" }), "model-unavailable", true],
  [501, "", "model-unavailable", false],
  [502, "<html><body>boom</body></html>", "model-unavailable", true],
  [503, "boom", "model-unavailable", true],
  [529, json({ message: "boom", type: "overloaded_error" }), "model-unavailable", true],
])("HTTP %i with %s is %s", (status, body, code, retryable) => {
  const error = fail(status, body);
  expect(error).toMatchObject({ code, retryable, status });
  expect(error.message).toMatch(/^Model "openai:m" at https:\/\/api\.example\/v1 .+\(HTTP \d+\)/);
  expect(error.message).toContain(body.includes("boom") ? ": boom" : "without saying why");
});

test("the provider's word on trying again counts for more than the status", () => {
  expect(fail(500, "", { "x-should-retry": "false" }).retryable).toBe(false);
  expect(fail(400, "", { "x-should-retry": "true" }).retryable).toBe(true);
});

test("how long to wait is told in milliseconds", () => {
  expect(fail(429, "", { "retry-after": "2" }).retryAfterMs).toBe(2_000);
  expect(fail(429, "").retryAfterMs).toBeUndefined();
});

test.each<readonly [body: string, said: string]>([
  [json({ message: "No such model" }), "No such model."],
  [json("plain"), "plain."],
  [JSON.stringify({ message: "top" }), "top."],
  [JSON.stringify({ detail: "not found" }), "not found."],
  [JSON.stringify({ detail: [{ loc: ["body", "x"], msg: "missing" }] }), '"msg":"missing"'],
  [JSON.stringify([{ error: { message: "in a list" } }]), "in a list."],
  [
    json({ message: "Provider returned error", metadata: { raw: '{"why":"quota"}' } }),
    'Provider returned error: {"why":"quota"}',
  ],
  [json({ unknown: 1 }), '{"unknown":1}'],
  [
    "<!DOCTYPE html><html><head><style>a{}</style><title>502 Bad\n Gateway</title></head><script>x()</script></html>",
    "502 Bad Gateway.",
  ],
  ["<h1>a < b</h1>", "<h1>a < b</h1>"],
  ["line\r\n\u001b[31mred\u001b[0m", "line [31mred [0m"],
  ['{"error":{"message":"cut', '{"error":{"message":"cut'],
])("of the body %s the message says %s", (body, said) => {
  const { message } = fail(400, body);
  expect(message).toContain(said);
  expect(message).not.toMatch(/\p{Cc}/u);
});

test.each<readonly [name: string, body: string]>([
  ["as it is", json({ message: `Wrong key ${key}.` })],
  [
    "escaped as JSON in the text",
    json({ metadata: { raw: JSON.stringify({ key }) }, message: "x" }),
  ],
  ["percent-encoded", `no route for /v1?key=${encodeURIComponent(key)}`],
  ["in a page", `<html><body>Key ${key}</body></html>`],
  ["in JSON that is cut", `{"error":{"message":${JSON.stringify(key)}, "x`],
  ["where the message is cut", json({ message: `${"x".repeat(1_490)}${key}` })],
])("a key that the provider repeats %s is in no message", (_name, body) => {
  for (const error of [fail(401, body), toAnswerError(JSON.parse(json(body)), scope)]) {
    const shown = `${error.message}${JSON.stringify(error)}${error.stack}`;
    expect(shown).not.toContain("0123456789");
    expect(shown).not.toContain("sk-l");
  }
});

test.each([
  ["text", json({ message: "x".repeat(100_000) })],
  ["text of many bytes", json({ message: "🌍".repeat(100_000) })],
  ["a page", `<html>${"<p>hello</p>".repeat(10_000)}</html>`],
  ["JSON", json({ unknown: Array.from({ length: 10_000 }, () => 1) })],
])("%s without end is cut short", (_name, body) => {
  const { message } = fail(500, body);
  expect(Buffer.byteLength(message)).toBeLessThan(2_048);
  expect(message).toContain("…");
  expect(message).not.toContain("\ufffd");
});

test.each<readonly [thrown: ToolError, code: string, retryable: boolean]>([
  [new ToolTimeoutError("boom"), "model-timeout", true],
  [new ToolNetworkError("boom"), "model-unreachable", true],
  [new ToolCertificateError("boom"), "model-unreachable", false],
  [new ToolError("boom", { code: "tool-response-too-large" }), "model-invalid-response", false],
  [new ToolError("boom"), "model-unreachable", false],
])("what the HTTP client throws (%s) is %s", (thrown, code, retryable) => {
  expect(toTransportError(thrown, scope)).toMatchObject({
    code,
    retryable,
    cause: thrown,
    message: 'Model "openai:m" at https://api.example/v1 could not be used: boom',
  });
});

test("what is no failure of the way stays what it is", () => {
  const mistake = new TypeError("boom");
  expect(toTransportError(mistake, scope)).toBe(mistake);
});
