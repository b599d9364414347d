import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { add, modelOf } from "../../test/agent-fixture.ts";
import { jsonOf, serve, type TestServer } from "../../test/server-fixture.ts";
import type { JsonObject } from "../base/json.ts";
import { McpClient } from "../mcp/client/mcp-client.ts";
import { questionsOf, readAnswers } from "./ask-client.ts";

const eras = ["legacy", "auto"] as const;

type Answer =
  | { readonly action: "accept"; readonly content: Record<string, string> }
  | { readonly action: "decline" | "cancel" };

/** The official client, whose user answers as told, one question after the other. */
async function official(
  { url }: TestServer,
  mode: (typeof eras)[number],
  answers: readonly Answer[],
  elicitation: Record<string, Record<string, never>> = { form: {} },
) {
  const asked: JsonObject[] = [];
  const client = new Client(
    { name: "tester", version: "1" },
    { versionNegotiation: { mode }, capabilities: { elicitation } },
  );
  client.setRequestHandler("elicitation/create", ({ params }) => {
    asked.push(params as JsonObject); // as it came
    return answers[asked.length - 1] ?? { action: "cancel" };
  });
  const requestInit = { headers: { authorization: "Bearer ada-ada" } };
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit });
  await client.connect(transport);
  return {
    asked,
    async ask() {
      const call = { name: "ask_tester", arguments: { message: "1 + 2?" } };
      const result = await client.callTool(call);
      const [part] = result.content as readonly { readonly text?: string }[]; // its answers are texts
      return { isError: result.isError ?? false, text: part?.text ?? "" };
    },
    async [Symbol.asyncDispose]() {
      await client.close();
    },
  };
}

const callOf = (id: string) => ({ id, name: "add", arguments: { a: 1, b: 2 } });

/** Makes so many calls at once, then says what it has read. */
const asking = (count: number) =>
  modelOf(({ messages }) => {
    const last = messages.at(-1);
    return last?.role === "tool"
      ? `It reads ${JSON.stringify(last.content)}.`
      : { calls: Array.from({ length: count }, (_, index) => callOf(`c${index}`)) };
  });

const served = (count = 1) =>
  serve({ model: asking(count), tools: [add], approval: { default: "ask" } });

const approve: Answer = { action: "accept", content: { decision: "approve" } };

test.each(eras)(
  "P10: the user of an MCP client (%s) is asked for what an agent's tool needs approval for",
  async (mode) => {
    await using server = await served();
    await using at = await official(server, mode, [approve]);
    expect(await at.ask()).toEqual({ isError: false, text: expect.stringContaining('"3"') });
    expect(at.asked).toMatchObject([
      {
        message: expect.stringMatching(/^May the agent "tester" call add with \{\s+"a": 1,/),
        requestedSchema: { properties: { decision: { enum: ["approve", "deny"] } } },
      },
    ]);
    const { runs } = await jsonOf(await server.ask("/runs"));
    expect(runs).toMatchObject([{ status: "completed" }]);
  },
);

test.each(eras)(
  "P10: what the user (%s) refuses is not done, and the model reads why",
  async (mode) => {
    await using server = await served();
    const deny: Answer = { action: "accept", content: { decision: "deny", reason: "Too much" } };
    await using at = await official(server, mode, [deny, { action: "decline" }]);
    expect((await at.ask()).text).toContain("Too much");
    const { text } = await at.ask();
    expect(text).toContain('"isError":true');
    expect(text).not.toContain('"3"');
    expect(at.asked).toHaveLength(2);
  },
);

test.each(eras)(
  "a question that is put away (%s) leaves the run as it was, which the call says",
  async (mode) => {
    await using server = await served();
    await using at = await official(server, mode, [{ action: "cancel" }]);
    const { isError, text } = await at.ask();
    expect(isError).toBe(true);
    const [, runId] = /^The run (run_\w+) waits for a person: approval of add/.exec(text) ?? [];
    const record = await jsonOf(await server.ask(`/runs/${runId}`));
    expect(record).toMatchObject({ status: "suspended", decisions: {} });
  },
);

test.each(eras)(
  "several calls are asked for at once (%s), and an answer that says nothing is asked for again",
  async (mode) => {
    await using server = await served(2);
    const nothing: Answer = { action: "accept", content: { decision: "perhaps" } };
    await using at = await official(server, mode, [approve, nothing, approve, approve]);
    expect((await at.ask()).text).toMatch(/"3".*"3"/);
    expect(at.asked).toHaveLength(4);
  },
);

test.each(eras)("a client (%s) that shows no forms gets a failed call, as it is", async (mode) => {
  await using server = await served();
  await using at = await official(server, mode, [], { url: {} });
  expect(await at.ask()).toMatchObject({
    isError: true,
    text: expect.stringContaining("waits for a person"),
  });
  expect(at.asked).toEqual([]);
});

test("P10: our own client's user is asked, too", async () => {
  await using server = await served();
  const asked: string[] = [];
  const url = `${server.url}/mcp`;
  await using client = new McpClient(
    { name: "desk", transport: { type: "http", url, token: "ada-ada", allowInsecureHttp: true } },
    {
      onElicitation: ({ message }) => {
        asked.push(message);
        return { action: "accept", content: { decision: "approve" } };
      },
    },
  );
  await client.connect();
  const result = await client.callTool("ask_tester", { message: "1 + 2?" });
  expect(result).toMatchObject({ structuredContent: { text: expect.stringContaining('"3"') } });
  expect(asked).toHaveLength(1);
});

/** A call of the newest revision as it stands on the wire. */
async function send(server: TestServer, as: string, more: JsonObject = {}): Promise<string> {
  const headers = {
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "ask_tester",
  };
  const params = {
    name: "ask_tester",
    arguments: { message: "1 + 2?" },
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
    },
    ...more,
  };
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  return (await server.ask("/mcp", { as, headers, body })).text();
}

test("nobody decides on another's run, nor on one that waits no longer", async () => {
  await using server = await served();
  const [, requestState = ""] = /"requestState":"(run_\w+)"/.exec(await send(server, "ada")) ?? [];
  expect(requestState).not.toBe("");
  const inputResponses = { "approval:c0": { ...approve } };
  const answered = { requestState, inputResponses };
  expect(await send(server, "eve", answered)).toContain("no such run, or it is not yours");
  const record = await jsonOf(await server.ask(`/runs/${requestState}`));
  expect(record).toMatchObject({ status: "suspended" });
  expect(await send(server, "ada", answered)).toContain("It reads");
  expect(await send(server, "ada", answered)).toContain(
    "waits no longer: it was decided elsewhere, and is completed",
  );
});

const at = { agentPath: ["desk"] };

test("a form of the agent's own server is passed on, and a page or a client's tool is not asked for", () => {
  const schema = { type: "object", properties: { name: { type: "string" } } };
  const question = {
    kind: "elicitation",
    id: "e1",
    server: "shop",
    message: "Who?",
    ...at,
  } as const;
  const form = { ...question, schema };
  expect(questionsOf({ runId: "run_1", waitingFor: [form] })).toMatchObject({
    resultType: "input_required",
    requestState: "run_1",
    inputRequests: {
      e1: {
        method: "elicitation/create",
        params: { message: "shop asks: Who?", requestedSchema: schema },
      },
    },
  });
  const answers = { e1: { action: "accept", content: { name: "Ann" } } };
  expect(readAnswers(answers, [form])).toEqual({
    kind: "decisions",
    decisions: { e1: { kind: "answer", value: { name: "Ann" } } },
  });
  const page = { ...question, url: "https://pay.example" };
  const tool = { kind: "client-tool", id: "t1", call: callOf("c1"), ...at } as const;
  for (const waiting of [page, tool]) {
    expect(questionsOf({ runId: "run_1", waitingFor: [form, waiting] })).toBeUndefined();
  }
});

test("arguments that nobody would see are shown, and long ones are cut", () => {
  const call = { ...callOf("c1"), arguments: { text: `a\u202eb${"x".repeat(9_000)}` } };
  const waiting = { kind: "approval", id: "a", call, ...at } as const;
  const asked = JSON.stringify(questionsOf({ runId: "run_1", waitingFor: [waiting] }));
  expect(asked).not.toContain("\u202e");
  expect(asked).toContain("u202e");
  expect(asked.length).toBeLessThan(3_000);
  expect(asked).toContain("…");
});
