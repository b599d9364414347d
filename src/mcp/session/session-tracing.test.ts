import { expect, test } from "vitest";
import type { JsonObject } from "../../base/json.ts";
import { type RecordedSpan, SpanRecorder } from "../../otel/span-recorder.ts";
import { SessionTracing } from "./session-tracing.ts";

/** A session with a server at an address, and the spans of it that have ended. */
function openTracing() {
  const spans: RecordedSpan[] = [];
  const outer = new SpanRecorder((span) => spans.push(span)).start(
    { kind: "server-open", server: "files" },
    undefined,
  );
  const link = { server: "files", sessionId: "session-1" };
  const transport = { type: "ws", url: "wss://files.example/mcp?key=secret" } as const;
  return { spans, outer, tracing: new SessionTracing(outer, link, transport) };
}

test("G-O3: notifications carry the trace of what they are about, and keep what stands in _meta", () => {
  const { outer, tracing } = openTracing();
  const request = outer.start({ kind: "mcp-request", server: "files", method: "ping" });
  const given = { requestId: 1, _meta: { progressToken: 7 } };
  expect(tracing.notification(given, request)).toEqual({
    requestId: 1,
    _meta: { progressToken: 7, ...request.context() },
  });
  expect(tracing.notification({})).toEqual({ _meta: { ...outer.context() } });
});

test("without a tracer nothing is added to notifications and requests", async () => {
  const tracing = new SessionTracing(
    undefined,
    { server: "files" },
    { type: "stdio", command: "x" },
  );
  expect(tracing.notification({ requestId: 1 })).toEqual({ requestId: 1 });
  const send = async (params: JsonObject): Promise<JsonObject> => params;
  expect(await tracing.request(undefined, { method: "ping", params: {} }, send)).toEqual({});
});

test("G-O5: a request's span says how the server is reached, and neither path, query nor any id", async () => {
  const { spans, outer, tracing } = openTracing();
  const params = { uri: "file:///home/ann/secret.txt" };
  await tracing.request(outer, { method: "resources/read", params }, async (asked, tell) => {
    tell?.(7);
    return asked;
  });
  expect(spans[0]).toMatchObject({
    name: "resources/read",
    kind: "client",
    attributes: {
      "mcp.method.name": "resources/read",
      "network.transport": "tcp",
      "network.protocol.name": "websocket",
      "server.address": "files.example",
      "server.port": 443,
    },
  });
  expect(JSON.stringify(spans)).not.toMatch(/secret|session-1|jsonrpc/);
});

test("G-O3: a server's request within another trace links to what the session was opened for", async () => {
  const { spans, outer, tracing } = openTracing();
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const params = { _meta: { traceparent } };
  await tracing.answer({ method: "roots/list", params }, 1, async () => ({}));
  expect(spans[0]).toMatchObject({
    name: "roots/list",
    kind: "server",
    parentSpanId: "00f067aa0ba902b7",
    links: [outer.context()],
    attributes: { "client.address": "files.example" },
  });
});
