import { expect, test } from "vitest";
import { echo, headersHeard, heard } from "../../test/echo.ts";
import { failureOf } from "../../test/failure-of.ts";
import { type LoopbackServer, startHttp } from "../../test/loopback.ts";
import type { JsonObject } from "../base/json.ts";
import { HttpClient, type HttpClientOptions } from "./http-client.ts";

const clientOf = (
  server: LoopbackServer,
  { path = "", options = {}, ...rest }: Partial<HttpClientOptions> & { path?: string } = {},
): HttpClient =>
  new HttpClient({
    baseUrl: server.origin + path,
    ...rest,
    options: { instrumentor: () => {}, ...options },
  });

test("L-H12: an object is sent as JSON with its content type, unless the request gives one", async () => {
  await using server = await startHttp(echo);
  const client = clientOf(server);
  const sent = await heard(client.post("/", { body: { a: ["é"] } }));
  expect(sent["body"]).toBe('{"a":["é"]}');
  expect(sent["headers"]).toMatchObject({ "content-type": "application/json; charset=utf-8" });
  const typed = client.put("/", { body: [1], headers: { "Content-Type": "application/x" } });
  expect(await headersHeard(typed)).toMatchObject({ "content-type": "application/x" });
});

test("L-H12: a string is sent as it is, without a content type of ours", async () => {
  await using server = await startHttp(echo);
  const sent = await heard(clientOf(server).post("/", { body: '{"as": "is"}' }));
  expect(sent["body"]).toBe('{"as": "is"}');
  expect(sent["headers"]).not.toHaveProperty("content-type");
});

async function* chunks(): AsyncGenerator<Uint8Array> {
  yield Buffer.from("a");
  yield Buffer.from("b");
}

const form = new FormData();
form.set("field", "value");

test.each([
  ["bytes", Buffer.from("ab"), "ab", undefined],
  ["an ArrayBuffer", new TextEncoder().encode("ab").buffer, "ab", undefined],
  ["a stream", chunks(), "ab", undefined],
  ["a web stream", new Blob(["ab"]).stream(), "ab", undefined],
  ["a blob", new Blob(["ab"], { type: "text/x" }), "ab", "text/x"],
  ["parameters", new URLSearchParams({ a: "b c" }), "a=b+c", "application/x-www-form-urlencoded"],
  ["a form", form, 'name="field"\r\n\r\nvalue', "multipart/form-data; boundary="],
])("L-H12: %s is sent in its own encoding", async (_name, body, text, type) => {
  await using server = await startHttp(echo);
  const sent = await heard(clientOf(server).post("/", { body }));
  expect(sent["body"]).toContain(text);
  const { "content-type": contentType } = sent["headers"] as JsonObject; // the echo's answer
  expect(String(contentType)).toContain(String(type));
});

const cycle: { self?: unknown } = {};
cycle.self = cycle;

test.each([
  ["a cycle", cycle],
  ["a bigint", { amount: 1n }],
])("L-H16, L-H17: a body with %s is a ToolError with its cause", async (_name, body) => {
  const client = new HttpClient({ baseUrl: "http://127.0.0.1:1" });
  const error = await failureOf(client.post("/", { body }));
  expect(error).toMatchObject({ code: "tool-failed", cause: expect.any(TypeError) });
});
