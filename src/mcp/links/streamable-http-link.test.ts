import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import {
  call,
  connect,
  failureOf,
  instead,
  methodsSeen,
  never,
  serve,
} from "../../../test/fixtures/mcp/http-peer.ts";
import { manualClock } from "../../testing/manual-clock.ts";
import type { ToolProgress } from "../../tool/tool.ts";

test.each([
  ["JSON", false],
  ["a stream of events", true],
])("R1: a server that answers by %s is used, and its session ended", async (_form, events) => {
  const server = await serve({ events });
  const connection = await connect(server.url);
  expect(connection.serverInfo).toEqual({ name: "fake", version: "1.2.3" });
  const [one, two] = await Promise.all([call(connection), call(connection, "received")]);
  expect([one, two]).toEqual([{ content: [expect.anything()] }, { content: [expect.anything()] }]);
  await connection.close();
  const last = server.requests.at(-1);
  expect(last).toMatchObject({ method: "DELETE", headers: { "mcp-session-id": "s-1" } });
});

test.each(["2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])(
  "G-T18: a server of revision %s is spoken to in that revision, within its session",
  async (protocolVersion) => {
    const server = await serve({ initialize: { protocolVersion } });
    const connection = await connect(server.url);
    expect(connection.greeting.protocolVersion).toBe(protocolVersion);
    expect(await call(connection)).toHaveProperty("content");
    const [first, ...rest] = server.requests.filter(({ message }) => message !== undefined);
    expect(first?.headers).not.toHaveProperty("mcp-protocol-version");
    expect(rest.map(({ message }) => message?.["method"])).toEqual([
      "notifications/initialized",
      "tools/call",
    ]);
    for (const { headers } of rest) {
      const names = { "mcp-protocol-version": protocolVersion, "mcp-session-id": "s-1" };
      expect(headers).toMatchObject(names);
    }
  },
);

test.each<[status: number, type: string | undefined, body: string]>([
  [202, "text/plain", "Accepted"],
  [200, undefined, ""],
  [204, undefined, ""],
  [200, "application/json", "{}"],
  [200, "text/event-stream", ": nothing\n\n"],
])("any success will do as the answer to a notification: %s %s %s", async (status, type, body) => {
  const server = await serve({
    intercept: instead("notifications/initialized", (response) =>
      response.writeHead(status, type === undefined ? {} : { "content-type": type }).end(body),
    ),
  });
  expect(await call(await connect(server.url))).toHaveProperty("content");
});

test.each([405, 404, 500])(
  "a server that ends no sessions (HTTP %s) is left all the same",
  async (status) => {
    const server = await serve({
      intercept: instead("DELETE", (response) => response.writeHead(status).end()),
    });
    const connection = await connect(server.url);
    await connection.close();
    expect(server.requests.at(-1)?.method).toBe("DELETE");
  },
);

test("a server that does not answer the end of its session does not hold us", async () => {
  const server = await serve({ intercept: instead("DELETE", () => {}) });
  const connection = await connect(server.url);
  await connection.close();
  expect(server.requests.at(-1)?.method).toBe("DELETE");
});

test("headers and token go with every request", async () => {
  const server = await serve();
  const connection = await connect(server.url, { token: "t-1", headers: { "x-tenant": "a" } });
  await call(connection);
  await connection.close();
  expect(new Set(server.requests.map(({ method }) => method))).toEqual(
    new Set(["POST", "GET", "DELETE"]),
  );
  for (const { headers } of server.requests) {
    expect(headers).toMatchObject({ authorization: "Bearer t-1", "x-tenant": "a" });
  }
});

test("a user in the URL becomes a header, and is not in the URL that is asked for", async () => {
  const server = await serve();
  const url = server.url.replace("http://", "http://me:p%40ss@");
  await connect(`${url}?k=v`);
  const [first] = server.requests;
  expect(first?.headers.authorization).toBe(`Basic ${Buffer.from("me:p@ss").toString("base64")}`);
  expect(first?.url).toBe("/mcp?k=v");
});

test("a refused connection is said to be one, without the secrets of the URL", async () => {
  const server = await serve();
  await server.close();
  const url = server.url.replace("http://", "http://u:SECRET1@");
  const token = "SECRET2-and-more";
  const failure = await failureOf(
    connect(`${url}?api_key=SECRET3`, { headers: { "x-key": token } }),
  );
  expect(failure).toMatchObject({ code: "mcp-connect-failed", server: "far" });
  expect(failure.message).toBe(
    `The MCP server "far" at ${server.url}?api_key=… cannot be reached: the connection was refused. Is the server running, and is the port right?`,
  );
  for (let cause: unknown = failure; cause instanceof Error; cause = cause.cause) {
    expect(`${cause.message} ${cause.stack}`).not.toContain("SECRET");
  }
});

test.each([
  [401, "wants credentials"],
  [403, "does not allow this"],
  [404, "Check the path of the URL"],
  [405, "does not take this kind of request there"],
  [429, "too many requests"],
  [503, "answered the handshake with HTTP 503. It says: the key [hidden] is wrong"],
])("HTTP %s is told with what to do", async (status, words) => {
  const server = await serve({
    intercept: (_request, response) => {
      response.writeHead(status).end(`the key K-12345678 is wrong ${"x".repeat(100_000)}`);
      return true;
    },
  });
  const failure = await failureOf(connect(server.url, { token: "K-12345678" }));
  expect(failure).toMatchObject({ code: "mcp-http", status });
  expect(failure.message).toContain(words);
  expect(failure.message).not.toContain("K-12345678");
  expect(failure.message.length).toBeLessThan(600);
});

test("a forgotten session is said to be one", async () => {
  const server = await serve({
    intercept: instead("tools/call", (response) => response.writeHead(404).end()),
  });
  const failure = await failureOf(call(await connect(server.url)));
  expect(failure).toMatchObject({ code: "mcp-session-expired", status: 404 });
  expect(failure.message).toContain("no longer knows the session");
});

test("a redirect to another host is not followed, and is told", async () => {
  const server = await serve({
    intercept: (_request, response) => {
      response.writeHead(307, { location: "http://elsewhere.example/mcp?key=SECRET" }).end();
      return true;
    },
  });
  const failure = await failureOf(connect(server.url));
  expect(failure).toMatchObject({ code: "mcp-http", status: 307 });
  expect(failure.message).toContain(
    "redirects to http://elsewhere.example/mcp?key=… (HTTP 307), which is another origin",
  );
});

test.each([
  ["text/html", "<html>", 'the content type "text/html"'],
  ["application/json", "{", "is not an answer of JSON-RPC 2.0: {."],
  ["application/json", '{"a":1}', "is not an answer of JSON-RPC"],
])("an answer of the type %s that says %s is no MCP", async (type, body, words) => {
  const server = await serve({
    intercept: (_request, response) => {
      response.writeHead(200, { "content-type": type }).end(body);
      return true;
    },
  });
  const failure = await failureOf(connect(server.url));
  expect(failure.code).toBe("mcp-protocol");
  expect(failure.message).toContain(words);
});

test.each([
  ["202", (response: ServerResponse) => response.writeHead(202).end()],
  ["200 and nothing", (response: ServerResponse) => response.writeHead(200).end()],
  ["204", (response: ServerResponse) => response.writeHead(204).end()],
  [
    "an empty object",
    (response: ServerResponse) =>
      response.writeHead(200, { "content-type": "application/json" }).end("{}"),
  ],
  [
    "text",
    (response: ServerResponse) =>
      response.writeHead(202, { "content-type": "text/plain" }).end("Accepted"),
  ],
])("a notification may be answered with %s", async (_what, respond) => {
  const server = await serve({ intercept: instead("notifications/initialized", respond) });
  expect(await call(await connect(server.url))).toHaveProperty("content");
});

test("a call that is merely accepted fails at once", async () => {
  const server = await serve({
    intercept: instead("tools/call", (response) => response.writeHead(202).end()),
  });
  const failure = await failureOf(call(await connect(server.url)));
  expect(failure.code).toBe("mcp-protocol");
  expect(failure.message).toContain("without answering it");
});

test("a stream of events that ends without the answer fails the call at once", async () => {
  const server = await serve({
    intercept: instead("tools/call", (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).end(": bye\n\n");
    }),
  });
  const failure = await failureOf(call(await connect(server.url)));
  expect(failure.code).toBe("mcp-connection-closed");
  expect(failure.message).toContain("ended its stream of events without an answer");
});

test("a connection that breaks fails the call", async () => {
  const server = await serve({
    intercept: instead("tools/call", (response) => response.socket?.destroy()),
  });
  const failure = await failureOf(call(await connect(server.url)));
  expect(failure.code).toBe("mcp-connection-closed");
  expect(failure.message).toContain("closed the connection without an answer");
});

test.each([
  ["application/json", ""],
  ["text/event-stream", "data: "],
])("G-T15: an answer of the type %s that is too long fails the call", async (type, start) => {
  const server = await serve({
    intercept: instead("tools/call", (response) => {
      response.writeHead(200, { "content-type": type }).write(start);
      const more = (): void => {
        while (!response.destroyed && response.write("x".repeat(1000)));
      };
      response.on("drain", more);
      more();
    }),
  });
  const connection = await connect(server.url, { maxResponseBytes: 50_000 });
  const failure = await failureOf(call(connection));
  expect(failure.code).toBe("mcp-limit");
  expect(failure.message).toContain("more than 50000 bytes");
});

test("G-T15: an answer may have 10 MiB where nothing else is said", async () => {
  let mebibytes = 9;
  const server = await serve({
    intercept: instead("tools/call", (response, { message }) => {
      const content = [{ type: "text", text: "x".repeat(mebibytes * 1024 * 1024) }];
      const answer = { jsonrpc: "2.0", id: message?.["id"], result: { content } };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    }),
  });
  const connection = await connect(server.url);
  expect(await call(connection)).toHaveProperty("content");
  mebibytes = 10;
  expect(await failureOf(call(connection))).toMatchObject({
    code: "mcp-limit",
    message: expect.stringContaining("more than 10485760 bytes"),
  });
});

test("an answer that is too long only when it is decompressed fails the call", async () => {
  const bomb = gzipSync(Buffer.alloc(20_000_000, " "));
  const server = await serve({
    intercept: instead("tools/call", (response) =>
      response
        .writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
        .end(bomb),
    ),
  });
  const connection = await connect(server.url, { maxResponseBytes: 50_000 });
  const failure = await failureOf(call(connection));
  expect(bomb.byteLength).toBeLessThan(50_000);
  expect(failure.code).toBe("mcp-limit");
  expect(failure.message).toContain("more than 50000 bytes");
});

test("a stream of many small events may be longer than the limit", async () => {
  const server = await serve({
    intercept: instead("tools/call", (response, { message }) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (let index = 0; index < 100; index += 1) {
        response.write(`: ${"x".repeat(1000)}\n\n`);
      }
      const answer = { jsonrpc: "2.0", id: message?.["id"], result: { content: [] } };
      response.end(`data: ${JSON.stringify(answer)}\n\n`);
    }),
  });
  const connection = await connect(server.url, { maxResponseBytes: 50_000 });
  expect(await call(connection)).toEqual({ content: [] });
});

test("progress comes over a stream of events", async () => {
  const server = await serve({ events: true });
  const connection = await connect(server.url);
  const reports: ToolProgress[] = [];
  const hanging = connection.callTool(
    "hang",
    {},
    { signal: never, onProgress: (progress) => void reports.push(progress) },
  );
  await connection.callTool("step", { progress: 1 }, { signal: never });
  await expect.poll(() => reports).toEqual([{ progress: 1 }]);
  await connection.callTool("finish", {}, { signal: never });
  expect(await hanging).toHaveProperty("content");
});

test("a server that accepts the connection and says nothing is a timeout", async () => {
  const clock = manualClock();
  const server = await serve({ intercept: () => true });
  const connecting = failureOf(connect(server.url, {}, { clock }));
  await expect.poll(() => server.requests.length).toBe(1);
  clock.advance(10_000);
  expect((await connecting).code).toBe("mcp-timeout");
});

test("a server that does not answer the end of the handshake is a timeout", async () => {
  const clock = manualClock();
  const server = await serve({ intercept: instead("notifications/initialized", () => {}) });
  const connecting = failureOf(connect(server.url, {}, { clock }));
  await expect.poll(() => server.requests.length).toBe(2);
  clock.advance(10_000);
  expect((await connecting).code).toBe("mcp-timeout");
  expect(server.requests.at(-1)?.method).toBe("DELETE");
});

test("an abort ends the exchange of a call and tells the server, in neutral words", async () => {
  const ended = Promise.withResolvers<void>();
  const server = await serve({
    intercept: instead("tools/call", (response) => response.on("close", () => ended.resolve())),
  });
  const connection = await connect(server.url);
  const controller = new AbortController();
  const settled = connection
    .callTool("hang", {}, { signal: controller.signal })
    .catch((thrown: unknown) => thrown);
  await expect.poll(() => server.requests.at(-1)?.message?.["method"]).toBe("tools/call");
  const reason = new Error("org secret");
  controller.abort(reason);
  expect(await settled).toBe(reason);
  await ended.promise;
  const method = (): unknown => server.requests.at(-1)?.message?.["method"];
  await expect.poll(method).toBe("notifications/cancelled");
  expect(JSON.stringify(server.requests.at(-1)?.message)).not.toContain("secret");
});

test("an abort while connecting is the signal's reason", async () => {
  const server = await serve({ intercept: () => true });
  const controller = new AbortController();
  const settled = connect(server.url, {}, { signal: controller.signal }).catch((e: unknown) => e);
  await expect.poll(() => server.requests.length).toBe(1);
  const reason = new Error("the user left");
  controller.abort(reason);
  expect(await settled).toBe(reason);
});

test("what only reads is sent again where the server had closed the kept connection, a call is not", async () => {
  const used = new Set<unknown>();
  const server = await serve({
    intercept: (_request, response) => {
      const { socket } = response;
      if (used.has(socket)) {
        socket?.destroy();
        return true;
      }
      used.add(socket);
      return false;
    },
  });
  const connection = await connect(server.url);
  expect(await connection.listTools()).not.toHaveLength(0);
  const error = await failureOf(call(connection));
  expect(error.code).toBe("mcp-connection-closed");
  expect(methodsSeen(server).filter((method) => method === "tools/call")).toHaveLength(1);
});
