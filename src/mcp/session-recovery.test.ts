import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import {
  call,
  connect,
  failureOf,
  inTurn,
  methodsSeen,
  serve,
} from "../../test/fixtures/mcp/http-peer.ts";
import type { Clock } from "../base/clock.ts";
import { manualClock } from "../testing/manual-clock.ts";

const badRequest = "Bad Request: No valid session ID provided";

test.each([
  [404, "a JSON-RPC error", '{"jsonrpc":"2.0","error":{"code":-32001,"message":"x"},"id":null}'],
  [404, "HTML", "<h1>Not found</h1>"],
  [404, "nothing", ""],
  [400, "the SDK's words", `{"jsonrpc":"2.0","error":{"code":-32000,"message":"${badRequest}"}}`],
  [
    400,
    "the id",
    '{"jsonrpc":"2.0","id":ID,"error":{"code":-32001,"message":"Session not found"}}',
  ],
  [400, "a text", "unknown or expired session"],
])(
  "a forgotten session (HTTP %i with %s) is opened anew and listed, and the call sent again",
  async (status, _what, body) => {
    const server = await serve({
      intercept: inTurn("tools/call", [
        (response, { message }) =>
          response.writeHead(status).end(body.replace("ID", String(message?.["id"]))),
      ]),
    });
    const connection = await connect(server.url);
    await connection.listTools();
    expect(await call(connection)).toHaveProperty("content");
    expect(methodsSeen(server)).toEqual([
      ...["initialize", "notifications/initialized", "tools/list", "tools/call"],
      ...["initialize", "notifications/initialized", "tools/list", "tools/call"],
    ]);
    const [, again] = server.requests.filter(({ message }) => message?.["method"] === "initialize");
    expect(again?.headers).not.toHaveProperty("mcp-session-id");
  },
);

test.each([
  ["a refusal of something else", "Bad Request: the amount is wrong"],
  ["of arguments", '{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"No such session"}}'],
])("HTTP 400 that is %s is told, and the call not repeated", async (_what, body) => {
  const server = await serve({
    intercept: inTurn("tools/call", [
      (response, { message }) =>
        response.writeHead(400).end(body.replace("ID", String(message?.["id"]))),
    ]),
  });
  const connection = await connect(server.url);
  expect(await failureOf(call(connection))).toMatchObject({
    code: expect.stringMatching(/^mcp-(?:http|remote-error)$/),
  });
  expect(methodsSeen(server).filter((method) => method === "tools/call")).toHaveLength(1);
});

test("many calls that meet a forgotten session share one new one", async () => {
  let handshakes = 0;
  const server = await serve({
    intercept: ({ message }, response) => {
      handshakes += message?.["method"] === "initialize" ? 1 : 0;
      const isLost = message?.["method"] === "tools/call" && handshakes === 1;
      if (isLost) {
        response.writeHead(404).end();
      }
      return isLost;
    },
  });
  const connection = await connect(server.url);
  await Promise.all(Array.from({ length: 20 }, () => call(connection)));
  expect(handshakes).toBe(2);
});

test("where a fresh session cannot be had the call says why, and a later one starts clean", async () => {
  let handshakes = 0;
  const server = await serve({
    // It has forgotten the first session, and the second handshake meets it while it is restarted.
    intercept: ({ message }, response) => {
      const method = message?.["method"];
      handshakes += method === "initialize" ? 1 : 0;
      const isBusy = method === "initialize" && handshakes === 2;
      const isLost = method === "tools/call" && handshakes < 3;
      if (isBusy || isLost) {
        response.writeHead(isBusy ? 503 : 404).end();
      }
      return isBusy || isLost;
    },
  });
  const connection = await connect(server.url);
  expect(await failureOf(call(connection))).toMatchObject({ code: "mcp-http", status: 503 });
  const answers = await Promise.all([call(connection), call(connection)]);
  expect(answers).toEqual([{ content: [expect.anything()] }, { content: [expect.anything()] }]);
  expect(handshakes).toBe(3);
});

test("whoever listed the tools hears that the new session has others", async () => {
  const notices: string[] = [];
  const pages: Record<string, { tools: object[] }> = {
    "": { tools: [{ name: "a", inputSchema: { type: "object" } }] },
  };
  const server = await serve({
    pages,
    intercept: inTurn("tools/call", [(response) => response.writeHead(404).end()]),
  });
  const connection = await connect(server.url);
  await connection.listTools({ notice: (code) => void notices.push(code) });
  pages[""] = { tools: [{ name: "b", inputSchema: { type: "object" } }] };
  await call(connection);
  expect(notices).toEqual(["mcp-tools-changed"]);
});

test.each([
  [
    "in a plain 400",
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: Unsupported protocol version (supported versions: 2025-06-18, 2025-03-26)"}}',
    400,
  ],
  [
    "in the error's data",
    '{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"no","data":{"supported":["2024-11-05","2025-06-18"]}}}',
    200,
  ],
])(
  "a server that names its revisions %s is asked once more, for the newest common one",
  async (_what, body, status) => {
    const server = await serve({
      intercept: inTurn("initialize", [
        (response, { message }) =>
          response
            .writeHead(status, { "content-type": "application/json" })
            .end(body.replace("ID", String(message?.["id"]))),
      ]),
    });
    const connection = await connect(server.url);
    expect(connection.greeting.protocolVersion).toBe("2025-06-18");
    const [first, second, initialized] = server.requests;
    expect(first?.headers).not.toHaveProperty("mcp-protocol-version");
    expect(second?.headers).not.toHaveProperty("mcp-protocol-version");
    expect(initialized?.headers["mcp-protocol-version"]).toBe("2025-06-18");
  },
);

test("a ping is answered and an unknown request refused, while a call is under way", async () => {
  const server = await serve({ events: true });
  const connection = await connect(server.url);
  const requests = ["ping", "roots/list", "sampling/createMessage", "foo/bar"].map((method) => ({
    jsonrpc: "2.0",
    id: `p-${method}`,
    method,
  }));
  const result = await connection.callTool("ask", { requests });
  const said = JSON.stringify(result).replaceAll("\\", "");
  expect(said).toContain('"id":"p-ping","result":{}');
  for (const method of ["roots/list", "sampling/createMessage", "foo/bar"]) {
    expect(said).toContain(`"id":"p-${method}","error":{"code":-32601`);
  }
});

test.each([429, 503])(
  "Retry-After of HTTP %s is waited for where the request only reads",
  async (status) => {
    const clock = manualClock();
    const delays: number[] = [];
    const noting: Clock = {
      now: clock.now,
      startTimer(callback, delayMs) {
        delays.push(delayMs);
        return clock.startTimer(callback, delayMs);
      },
    };
    const busy = (response: ServerResponse): void =>
      void response.writeHead(status, { "retry-after": "2" }).end();
    const server = await serve({
      intercept: inTurn("tools/list", [busy]),
    });
    const connection = await connect(server.url, {}, { clock: noting });
    const listing = connection.listTools();
    // The request has a timer, too, until its answer is read: it is the wait that must have begun.
    await expect.poll(() => delays.at(-1)).toBe(2000);
    clock.advance(1999);
    expect(methodsSeen(server).filter((method) => method === "tools/list")).toHaveLength(1);
    clock.advance(1);
    expect(await listing).not.toEqual([]);
  },
);

test("a call is not sent again by itself, and its error says how long to wait", async () => {
  const busy = (response: ServerResponse): void =>
    void response.writeHead(429, { "retry-after": "2" }).end();
  const server = await serve({ intercept: inTurn("tools/call", [busy]) });
  const failure = await failureOf(call(await connect(server.url)));
  expect(failure).toMatchObject({ code: "mcp-http", status: 429, retryAfterMs: 2000 });
  expect(methodsSeen(server).filter((method) => method === "tools/call")).toHaveLength(1);
});

test("an error of the protocol is told once, and the call not repeated", async () => {
  const server = await serve();
  const connection = await connect(server.url);
  const error = { code: -32602, message: "Invalid params", data: { field: "amount" } };
  const failure = await failureOf(connection.callTool("fail", { error }));
  expect(failure).toMatchObject({ code: "mcp-remote-error", remote: error });
  expect(methodsSeen(server).filter((method) => method === "tools/call")).toHaveLength(1);
});

test("one call that fails does no harm to 63 others, each of which gets its own answer", async () => {
  const server = await serve({
    intercept: ({ message }, response) => {
      const isBad = JSON.stringify(message)?.includes('"word":13}') ?? false;
      if (isBad) {
        response.socket?.destroy();
      }
      return isBad;
    },
  });
  const connection = await connect(server.url);
  const words = Array.from({ length: 64 }, (_unused, index) => index);
  const results = await Promise.allSettled(
    words.map((word) => connection.callTool("echo", { word })),
  );
  for (const [word, result] of results.entries()) {
    expect(result.status).toBe(word === 13 ? "rejected" : "fulfilled");
    if (result.status === "fulfilled") {
      expect(JSON.stringify(result.value)).toContain(`\\"word\\":${word}}`);
    }
  }
});
