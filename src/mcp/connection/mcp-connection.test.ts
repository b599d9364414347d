import { afterEach, expect, test } from "vitest";
import type { Message } from "../../../test/fixtures/mcp/fake-server.ts";
import type { StdioBehaviour } from "../../../test/fixtures/mcp/fake-stdio-server.ts";
import { fakeStdio, runningChildren } from "../../../test/fixtures/mcp/servers.ts";
import type { Clock } from "../../base/clock.ts";
import { type Json, type JsonObject, parseJson } from "../../base/json.ts";
import { manualClock } from "../../testing/manual-clock.ts";
import type { ToolProgress } from "../../tool/tool.ts";
import type { McpCallResult } from "../results/to-tool-result.ts";
import { McpError } from "../wire/mcp-error.ts";
import type { McpConnection } from "./mcp-connection.ts";
import { openMcpConnection } from "./open-mcp-connection.ts";

const open: McpConnection[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((connection) => connection.close()));
  expect(runningChildren()).toEqual([]);
});

const never = new AbortController().signal;

interface Settings {
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  readonly timeoutMs?: number;
}

async function connect(
  behaviour: StdioBehaviour = {},
  { signal = never, timeoutMs = 10_000, ...rest }: Settings = {},
): Promise<McpConnection> {
  const config = { name: "fake", transport: fakeStdio(behaviour), timeoutMs };
  const connection = await openMcpConnection(config, { signal, ...rest });
  open.push(connection);
  return connection;
}

async function failureOf(attempt: Promise<unknown>): Promise<McpError> {
  const error = await attempt.then(
    () => new Error("it did not fail"),
    (thrown: unknown) => thrown,
  );
  if (!McpError.is(error)) {
    throw error;
  }
  return error;
}

/** The JSON that the fake server gives as text. */
function said(result: McpCallResult): unknown {
  const [block] = result.content as readonly { readonly text: string }[];
  return parseJson(block?.text ?? "");
}

const sent = async (connection: McpConnection, method: string): Promise<readonly Message[]> => {
  const all = said(await connection.callTool("received", {}, { signal: never }));
  return (all as readonly Message[]).filter((message) => message["method"] === method);
};

test("a connection knows what the server says of itself", async () => {
  const connection = await connect({
    initialize: { instructions: "Be kind.", serverInfo: { name: "n\u202e", version: "1" } },
  });
  expect(connection.serverInfo).toEqual({ name: "n", version: "1" });
  expect(connection.instructions).toBe("Be kind.");
});

test("no capabilities are advertised", async () => {
  const connection = await connect();
  const [initialize] = await sent(connection, "initialize");
  expect(initialize).toMatchObject({
    params: { capabilities: {}, clientInfo: { name: "dragoman" } },
  });
});

test("a banner before the handshake does no harm", async () => {
  const connection = await connect({ banner: 'Server ready\n{"level":"info"}\n\n' });
  expect(connection.serverInfo?.name).toBe("fake");
});

test("a server that ends at once is an error with its exit code and last words", async () => {
  const failure = await failureOf(connect({ exitCode: 3, stderr: "ModuleNotFoundError: x\n" }));
  expect(failure).toMatchObject({ code: "mcp-connection-closed", server: "fake" });
  expect(failure.message).toContain("ended with exit code 3");
  expect(failure.message).toContain("ModuleNotFoundError: x");
});

test("a server that never answers is an error after the time limit, and is gone", async () => {
  const clock = manualClock();
  const connecting = failureOf(
    connect({ silent: true, stubborn: true, banner: "hm\n" }, { clock }),
  );
  await expect.poll(() => runningChildren().length).toBe(1);
  clock.advance(10_000);
  const failure = await connecting;
  expect(failure.code).toBe("mcp-timeout");
  expect(failure.message).toContain("did not finish the handshake within 10000 ms");
  expect(runningChildren()).toEqual([]);
  expect(clock.pending).toBe(0);
});

test("a server of an unknown revision is refused", async () => {
  const failure = await failureOf(connect({ initialize: { protocolVersion: "1999-01-01" } }));
  expect(failure.code).toBe("mcp-protocol");
  expect(failure.message).toContain("1999-01-01");
});

test("an abort while connecting is the signal's reason, and leaves nothing", async () => {
  const controller = new AbortController();
  const connecting = connect({ silent: true, stubborn: true }, { signal: controller.signal });
  const settled = connecting.catch((thrown: unknown) => thrown);
  await expect.poll(() => runningChildren().length).toBe(1);
  const reason = new Error("the user left");
  controller.abort(reason);
  expect(await settled).toBe(reason);
  expect(runningChildren()).toEqual([]);
});

test("a signal that has aborted before starts nothing", async () => {
  const reason = new Error("too late");
  await expect(connect({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});

test("calls run at the same time, and each gets its own answer", async () => {
  const connection = await connect();
  const hanging = connection.callTool("hang", {}, { signal: never });
  const words = Array.from({ length: 64 }, (_unused, index) => index);
  const answers = await Promise.all(
    words.map((word) => connection.callTool("echo", { word }, { signal: never })),
  );
  expect(answers.map(said)).toMatchObject(words.map((word) => ({ arguments: { word } })));
  await connection.callTool("finish", {}, { signal: never });
  expect(said(await hanging)).toBe("finished");
});

test("a call carries its metadata and a progress token", async () => {
  const connection = await connect();
  const meta = { "dragoman/idempotency-key": "k-1" };
  const result = await connection.callTool("echo", {}, { signal: never, meta });
  expect(said(result)).toEqual({
    name: "echo",
    arguments: {},
    _meta: { "dragoman/idempotency-key": "k-1", progressToken: expect.anything() },
  });
});

test("progress is reported and starts the time limit anew", async () => {
  const clock = manualClock();
  const connection = await connect({}, { clock, timeoutMs: 100 });
  const reports: ToolProgress[] = [];
  const hanging = connection.callTool(
    "hang",
    {},
    { signal: never, onProgress: (progress) => void reports.push(progress) },
  );
  for (const progress of [1, 2, 3]) {
    clock.advance(80);
    const message = "half\u200b way";
    await connection.callTool("step", { progress, total: 3, message }, { signal: never });
    await expect.poll(() => reports.length).toBe(progress);
  }
  expect(reports[2]).toEqual({ progress: 3, total: 3, message: "half way" });
  await connection.callTool("finish", {}, { signal: never });
  expect(said(await hanging)).toBe("finished");
  expect(clock.pending).toBe(0);
});

test("progress for ever does not hold a call for ever", async () => {
  const clock = manualClock();
  const connection = await connect({}, { clock, timeoutMs: 100 });
  let reports = 0;
  const countReport = (): void => {
    reports += 1;
  };
  const hanging = failureOf(
    connection.callTool("hang", {}, { signal: never, onProgress: countReport }),
  );
  for (let step = 1; step <= 24; step += 1) {
    clock.advance(80);
    await connection.callTool("step", { progress: step }, { signal: never });
    await expect.poll(() => reports).toBe(step);
  }
  clock.advance(80);
  expect((await hanging).message).toContain("within 2000 ms");
});

test("a call without an answer is a timeout, of which the server is told", async () => {
  const clock = manualClock();
  const connection = await connect({}, { clock, timeoutMs: 100 });
  const hanging = failureOf(connection.callTool("hang", {}, { signal: never }));
  await connection.callTool("echo", {}, { signal: never });
  clock.advance(100);
  const failure = await hanging;
  expect(failure.code).toBe("mcp-timeout");
  expect(failure.message).toContain("did not answer tools/call within 100 ms");
  expect(await sent(connection, "notifications/cancelled")).toHaveLength(1);
});

test("an abort rejects at once with the signal's reason, which the server is not told", async () => {
  const connection = await connect();
  const controller = new AbortController();
  const hanging = connection.callTool("hang", {}, { signal: controller.signal });
  const settled = hanging.catch((thrown: unknown) => thrown);
  await connection.callTool("echo", {}, { signal: never });
  const reason = new Error("org secret");
  controller.abort(reason);
  expect(await settled).toBe(reason);
  const [call] = (await sent(connection, "tools/call")).filter(
    ({ params }) => (params as Message)["name"] === "hang",
  );
  const cancelled = await sent(connection, "notifications/cancelled");
  expect(cancelled).toMatchObject([{ params: { requestId: call?.["id"] } }]);
  expect(JSON.stringify(cancelled)).not.toContain("secret");
});

test("a call with a signal that has aborted before sends nothing", async () => {
  const connection = await connect();
  const reason = new Error("too late");
  const signal = AbortSignal.abort(reason);
  await expect(connection.callTool("hang", {}, { signal })).rejects.toBe(reason);
  expect(JSON.stringify(await sent(connection, "tools/call"))).not.toContain('"hang"');
});

test("when the server dies, all calls end with the reason, and so do later ones", async () => {
  const connection = await connect();
  const hanging = failureOf(connection.callTool("hang", {}, { signal: never }));
  const fatal = failureOf(
    connection.callTool("exit", { code: 7, words: "out of memory" }, { signal: never }),
  );
  for (const failure of [await hanging, await fatal]) {
    expect(failure.code).toBe("mcp-connection-closed");
    expect(failure.message).toContain("exit code 7");
    expect(failure.message).toContain("out of memory");
  }
  const later = await failureOf(connection.callTool("echo", {}, { signal: never }));
  expect(later.message).toContain("exit code 7");
});

test("an error of the protocol keeps message, code and data", async () => {
  const connection = await connect();
  const error = { code: -32_602, message: "Invalid params", data: { field: "amount" } };
  const failure = await failureOf(connection.callTool("fail", { error }, { signal: never }));
  expect(failure.code).toBe("mcp-remote-error");
  expect(failure.message).toBe("Invalid params");
  expect(failure.remote).toEqual(error);
});

test("a server's own requests are answered while a call is under way", async () => {
  const connection = await connect();
  const ask = (id: Json, method: string): JsonObject => ({
    jsonrpc: "2.0",
    id,
    method,
    params: {},
  });
  const requests = [
    ask("p-1", "ping"),
    ask(7, "roots/list"),
    ask("s", "sampling/createMessage"),
    ask("f", "foo/bar"),
  ];
  const answers = said(await connection.callTool("ask", { requests }, { signal: never }));
  expect(answers).toContainEqual({ jsonrpc: "2.0", id: "p-1", result: {} });
  for (const id of [7, "s", "f"]) {
    const refusal = { jsonrpc: "2.0", id, error: expect.objectContaining({ code: -32_601 }) };
    expect(answers).toContainEqual(refusal);
  }
});

test("results come as the server sent them, with what is unknown and malformed", async () => {
  const connection = await connect();
  const result = {
    content: [{ type: "hologram" }, 3],
    structuredContent: 0,
    _meta: { a: 1 },
    x: 2,
  };
  expect(await connection.callTool("result", { result }, { signal: never })).toEqual(result);
  expect(await connection.callTool("result", { result: {} }, { signal: never })).toEqual({});
});

test("closing twice and after the server's end does not reject", async () => {
  const connection = await connect();
  await Promise.all([connection.close(), connection.close()]);
  expect(runningChildren()).toEqual([]);
  const failure = await failureOf(connection.callTool("echo", {}, { signal: never }));
  expect(failure.code).toBe("mcp-not-connected");
});

test("calls that are under way when the connection is closed end", async () => {
  const connection = await connect();
  const hanging = failureOf(connection.callTool("hang", {}, { signal: never }));
  await connection.close();
  expect((await hanging).code).toBe("mcp-connection-closed");
});
