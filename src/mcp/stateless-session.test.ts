import { expect, test } from "vitest";
import { failureOf } from "../../test/failure-of.ts";
import {
  clientFor,
  discovered,
  type PeerExchange,
  serveStateless,
  textResult,
  toolCalled,
} from "../../test/fixtures/mcp/stateless-peer.ts";
import type { ToolProgress } from "../tool/tool.ts";
import { McpError } from "./wire/mcp-error.ts";

const versionKey = "io.modelcontextprotocol/protocolVersion";

test("G-T18: a server of 2026-07-28 is found by asking it, and every request stands for itself", async () => {
  const peer = await serveStateless();
  const client = await clientFor(peer);
  expect(client.protocolVersion).toBe("2026-07-28");
  expect(client.serverInfo).toEqual({ name: "peer", version: "1" });
  expect(client.instructions).toBe("Be kind.");
  await client.listTools();
  await client.callTool("echo", { a: 1 }, { meta: { traceparent: "00-1" } });
  await client.disconnect();

  expect(peer.received.map(({ method }) => method)).toEqual([
    "server/discover",
    "tools/list",
    "tools/call",
  ]);
  expect(peer.others).toEqual([]); // neither a GET stream nor the end of a session
  for (const { method, params, headers } of peer.received) {
    expect(params["_meta"]).toMatchObject({
      [versionKey]: "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "dragoman" },
      "io.modelcontextprotocol/clientCapabilities": {},
    });
    expect(headers).toMatchObject({
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
    });
    expect(headers).not.toHaveProperty("mcp-session-id");
  }
  const call = peer.received.at(-1);
  expect(call?.headers["mcp-name"]).toBe("echo");
  expect(call?.params["_meta"]).toMatchObject({
    traceparent: "00-1",
    progressToken: expect.anything(),
  });
});

test("a call that is given up closes its exchange, and nothing else is sent", async () => {
  const calls: PeerExchange[] = [];
  const peer = await serveStateless({ "tools/call": (call) => void calls.push(call) });
  const client = await clientFor(peer);
  const controller = new AbortController();
  const reason = new Error("a secret of ours");
  const call = client.callTool("echo", {}, { signal: controller.signal });
  await expect.poll(() => calls.length).toBe(1);
  controller.abort(reason);
  await expect(call).rejects.toBe(reason);
  await calls[0]?.closed;
  await client.listTools();
  await client.listTools(); // whatever was sent beside the end has arrived by now
  expect(peer.received.map(({ method }) => method)).toEqual([
    ...["server/discover", "tools/call"],
    ...["tools/list", "tools/list"],
  ]);
});

test("progress before the answer starts the time limit anew and is told of", async () => {
  const calls: PeerExchange[] = [];
  const peer = await serveStateless({ "tools/call": (call) => void calls.push(call) });
  const client = await clientFor(peer);
  const reports: ToolProgress[] = [];
  const onProgress = (report: ToolProgress): void => void reports.push(report);
  const call = client.callTool("echo", {}, { onProgress });
  await expect.poll(() => calls.length).toBe(1);
  const [exchange] = calls;
  const meta = exchange?.params["_meta"] as { progressToken: unknown };
  exchange?.tell("notifications/progress", { progressToken: meta.progressToken, progress: 1 });
  await expect.poll(() => reports).toEqual([{ progress: 1 }]);
  exchange?.result(textResult("done"));
  expect(await call).toMatchObject({ content: [{ text: "done" }] });
});

test("a stream that ends without the answer is an error at once, and is not taken up again", async () => {
  const peer = await serveStateless({
    "tools/call": (call) => {
      call.tell("notifications/message", { level: "info", data: "x" });
      call.end();
    },
  });
  const client = await clientFor(peer);
  const error = await failureOf(client.callTool("echo"));
  expect(error).toMatchObject({ code: "mcp-connection-closed" });
  expect(peer.others).toEqual([]);
});

test.each([
  ["an unknown kind of result", { resultType: "later" }, "not known"],
  ["a wish for input where there must be none", { resultType: "input_required" }, "must not"],
])("%s is a fault of the protocol", async (_what, result, words) => {
  const peer = await serveStateless({ "tools/list": (list) => list.result(result) });
  const client = await clientFor(peer);
  const error = await failureOf(client.listTools());
  expect(error).toMatchObject({ code: "mcp-protocol", message: expect.stringContaining(words) });
});

test("a result without its kind is a complete one", async () => {
  const peer = await serveStateless({ "tools/call": (call) => call.result({ content: [] }) });
  const client = await clientFor(peer);
  expect(await client.callTool("echo")).toEqual({ content: [] });
});

test("a method that the server does not know (404) is its error, not a lost session", async () => {
  const peer = await serveStateless();
  const client = await clientFor(peer);
  expect(await client.listPrompts()).toEqual([]);
  const error = await failureOf(client.getPrompt("p"));
  expect(error).toMatchObject({ code: "mcp-remote-error", remote: { code: -32_601 } });
  expect(peer.received.map(({ method }) => method)).not.toContain("initialize");
});

test("what the server asks in the old way is not answered, and does no harm", async () => {
  const peer = await serveStateless({
    "tools/call": (call) => {
      call.tell("notifications/message", {});
      call.say({ method: "ping", id: 7 });
      call.result(textResult("fine"));
    },
  });
  const client = await clientFor(peer);
  await client.callTool("echo");
  expect(peer.received).toHaveLength(2);
});

test("names that a header cannot carry go in Base64", async () => {
  const peer = await serveStateless();
  const client = await clientFor(peer);
  await client.callTool("検索", {});
  const base64 = Buffer.from("検索").toString("base64");
  expect(peer.received.at(-1)?.headers["mcp-name"]).toBe(`=?base64?${base64}?=`);
});

test("parameters that a tool marks are sent as headers, too, and null is not", async () => {
  const properties = {
    region: { type: "string", "x-mcp-header": "Region" },
    size: { type: "object", properties: { width: { type: "integer", "x-mcp-header": "Width" } } },
    loud: { type: "boolean", "x-mcp-header": "Loud" },
    query: { type: "string" },
  };
  const tools = [toolCalled("search", properties)];
  const peer = await serveStateless({ "tools/list": (list) => list.result({ tools }) });
  const client = await clientFor(peer);
  await client.listTools();
  await client.callTool("search", { region: " é", size: { width: -7 }, loud: null, query: "q" });
  const { headers } = peer.received.at(-1) ?? {};
  expect(headers).toMatchObject({
    "mcp-param-region": `=?base64?${Buffer.from(" é").toString("base64")}?=`,
    "mcp-param-width": "-7",
  });
  expect(headers).not.toHaveProperty("mcp-param-loud");
  expect(headers).not.toHaveProperty("mcp-param-query");
});

test("a tool whose marks are wrong is left out with a notice, and the others are had", async () => {
  const marked = (mark: unknown, more = {}): object => ({
    type: "string",
    "x-mcp-header": mark,
    ...more,
  });
  const tools = [
    toolCalled("good", { a: marked("A") }),
    toolCalled("empty", { a: marked("") }),
    toolCalled("colon", { a: marked("a:b") }),
    toolCalled("number", { a: marked("A", { type: "number" }) }),
    toolCalled("object", { a: marked("A", { type: "object" }) }),
    toolCalled("twice", { a: marked("A"), b: marked("a") }),
    toolCalled("list", { a: { type: "array", items: marked("A") } }),
    toolCalled("choice", { a: { anyOf: [marked("A")] } }),
    // A parameter of that name, and data: both are no marks.
    toolCalled("named", { "x-mcp-header": { type: "string", default: { "x-mcp-header": 1 } } }),
  ];
  const peer = await serveStateless({ "tools/list": (list) => list.result({ tools }) });
  const client = await clientFor(peer);
  const notices: string[] = [];
  const notice = (code: string, message: string): void => void notices.push(`${code} ${message}`);
  const listed = await client.listTools({ notice });
  expect(listed.map(({ sourceName }) => sourceName)).toEqual(["good", "named"]);
  expect(notices).toHaveLength(7);
  expect(notices[0]).toContain('mcp-tool-malformed The tool "empty" is left out');
});

test("after a handshake marks mean nothing", async () => {
  const tools = [toolCalled("empty", { a: { type: "string", "x-mcp-header": "" } })];
  const peer = await serveStateless({
    "server/discover": ({ error }) => error({ code: -32_601, message: "no" }),
    initialize: ({ result }) => result({ protocolVersion: "2025-11-25", capabilities: {} }),
    "notifications/initialized": ({ result }) => result({}),
    "tools/list": (list) => list.result({ tools }),
  });
  const client = await clientFor(peer);
  expect(await client.listTools()).toHaveLength(1);
});

test("where the server wants other headers, the tools are listed again and the call sent once more", async () => {
  let lists = 0;
  const properties = { a: { type: "string", "x-mcp-header": "A" } };
  const peer = await serveStateless({
    "tools/list": (list) => {
      lists += 1;
      list.result({ tools: [toolCalled("echo", lists === 1 ? {} : properties)] });
    },
    "tools/call": (call) =>
      call.headers["mcp-param-a"] === "1"
        ? call.result(textResult("ran"))
        : call.error({ code: -32_020, message: "Header mismatch" }, 400),
  });
  const client = await clientFor(peer);
  await client.listTools();
  expect(await client.callTool("echo", { a: "1" })).toMatchObject({ content: [{ text: "ran" }] });
  expect(lists).toBe(2);
  expect(await failureOf(client.callTool("echo", { a: "2" }))).toSatisfy(McpError.is);
});

test("a refusal of the revision that names it all the same is met by asking once more", async () => {
  let asked = 0;
  const peer = await serveStateless({
    "server/discover": ({ result, error }) => {
      asked += 1;
      if (asked === 1) {
        const data = { supported: ["2026-07-28"], requested: "?" };
        error({ code: -32_022, message: "Unsupported protocol version", data }, 400);
      } else {
        result(discovered);
      }
    },
  });
  expect((await clientFor(peer)).protocolVersion).toBe("2026-07-28");
  expect(asked).toBe(2);
});
