import { expect, test } from "vitest";
import { mcpToolset } from "../src/mcp/toolset/mcp-toolset.ts";
import { type ScriptedTurn, scriptedModel } from "../src/testing/scripted-model.ts";
import { defineTool } from "../src/tool/define-tool.ts";
import { agentOf } from "./agent-fixture.ts";
import type { SeenRequest } from "./fixtures/mcp/fake-http-server.ts";
import { instead, serve } from "./fixtures/mcp/http-peer.ts";
import {
  type PeerExchange,
  serveStateless,
  textResult,
  toolCalled,
} from "./fixtures/mcp/stateless-peer.ts";

const answerTo = ({ message }: Pick<SeenRequest, "message">): string =>
  JSON.stringify({ jsonrpc: "2.0", id: message?.["id"], result: textResult("called") });

const listChanged = "notifications/tools/list_changed";

/** A server whose tools are others once one is called, and which says so. */
interface ChangingServer {
  readonly url: string;
  /** How often it was asked for its tools. */
  listings(): number;
}

type Pages = readonly (readonly object[])[];

/** It shakes hands, and tells of the change on the stream of the call. */
async function withHandshake(lists: Pages): Promise<ChangingServer> {
  const [first = [], ...others] = lists;
  const left = [...others];
  const pages = { "": { tools: first } };
  const server = await serve({
    pages,
    intercept: instead("tools/call", (response, request) => {
      pages[""] = { tools: left.shift() ?? pages[""].tools };
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: {"jsonrpc":"2.0","method":"${listChanged}"}\n\n`);
      response.end(`data: ${answerTo(request)}\n\n`);
    }),
  });
  const isListing = ({ message }: (typeof server.requests)[number]): boolean =>
    message?.["method"] === "tools/list";
  return { url: server.url, listings: () => server.requests.filter(isListing).length };
}

/** It is of revision 2026-07-28, and tells of the change to who listens. */
async function withoutHandshake(lists: Pages): Promise<ChangingServer> {
  const left = [...lists];
  let now = left.shift() ?? [];
  let listening: PeerExchange | undefined;
  const peer = await serveStateless({
    "tools/list": ({ result }) => result({ resultType: "complete", tools: now }),
    "subscriptions/listen": (listen) => {
      listening = listen;
      const meta = { "io.modelcontextprotocol/subscriptionId": listen.id };
      listen.tell("notifications/subscriptions/acknowledged", { _meta: meta });
    },
    "tools/call": async ({ result }) => {
      now = left.shift() ?? now;
      await expect.poll(() => listening).toBeDefined();
      const meta = { "io.modelcontextprotocol/subscriptionId": listening?.id };
      listening?.tell(listChanged, { _meta: meta });
      // The two streams are two connections: what comes first is read first, a turn later.
      await turnOfLoop();
      result(textResult("called"));
    },
  });
  const isListing = ({ method }: PeerExchange): boolean => method === "tools/list";
  return { url: peer.url, listings: () => peer.received.filter(isListing).length };
}

const turnOfLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const servers = [
  { kind: "with a handshake", start: withHandshake },
  { kind: "of revision 2026-07-28", start: withoutHandshake },
];

const toolsOf = ({ requests }: ReturnType<typeof scriptedModel>): readonly (readonly string[])[] =>
  requests.map(({ tools }) => tools.map(({ name }) => name));

const asking = (name: string): ScriptedTurn => ({ calls: [{ name, arguments: {} }] });

const asksFor = (
  first: string,
  ...others: readonly string[]
): readonly [ScriptedTurn, ...ScriptedTurn[]] => [asking(first), ...others.map(asking), "done"];

test.each(servers)(
  "a run takes over the tools that a server $kind says it has now, before the next model call",
  async ({ start }) => {
    const changed = { ...toolCalled("kept"), description: "Says more." };
    const server = await start([
      [toolCalled("old"), toolCalled("kept")],
      [toolCalled("late"), changed, toolCalled("own")],
    ]);
    const transport = { type: "http", url: server.url, allowInsecureHttp: true } as const;
    const own = defineTool({ name: "own", description: "Ours.", execute: () => "ours" });
    const model = scriptedModel(asksFor("old", "late", "old", "own"));
    const agent = agentOf({ model, tools: [own], mcp: [mcpToolset({ name: "far", transport })] });
    const result = await agent.ask("Hi");
    expect(result).toMatchObject({ status: "completed", text: "done" });
    expect(toolsOf(model)).toEqual([
      ["own", "old", "kept"],
      ...Array(4).fill(["own", "kept", "late", "far_own"]),
    ]);
    const kept = model.requests[1]?.tools.find(({ name }) => name === "kept");
    expect(kept?.description).toBe("Says more.");
    const told = model.requests.slice(1).map(({ messages }) => JSON.stringify(messages.at(-1)));
    expect(told).toEqual([
      expect.stringContaining("called"),
      expect.stringContaining("called"),
      expect.stringMatching(/There is no tool .*old.*late/s),
      expect.stringContaining("ours"),
    ]);
    expect(server.listings()).toBe(3); // once at first, and once for each time that it said so
  },
);

test("a tool that is taken away and comes back has the name that it had", async () => {
  const server = await withHandshake([
    [toolCalled("own"), toolCalled("go")],
    [toolCalled("go")],
    [toolCalled("own"), toolCalled("go")],
  ]);
  const transport = { type: "http", url: server.url, allowInsecureHttp: true } as const;
  const own = defineTool({ name: "own", description: "Ours.", execute: () => "ours" });
  const model = scriptedModel(asksFor("go", "go"));
  const agent = agentOf({ model, tools: [own], mcp: [mcpToolset({ name: "far", transport })] });
  await agent.ask("Hi");
  expect(toolsOf(model)).toEqual([
    ["own", "far_own", "go"],
    ["own", "go"],
    ["own", "go", "far_own"],
  ]);
});

test("where the new tools cannot be had, the run goes on with those that it has", async () => {
  const pages = { "": { tools: [toolCalled("old")] } };
  let isBroken = false;
  const server = await serve({
    pages,
    intercept: ({ message }, response) => {
      const method = message?.["method"];
      if (method === "tools/list" && isBroken) {
        response.writeHead(500).end();
        return true;
      }
      if (method !== "tools/call") {
        return false;
      }
      isBroken = true;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: {"jsonrpc":"2.0","method":"${listChanged}"}\n\n`);
      response.end(`data: ${answerTo({ message })}\n\n`);
      return true;
    },
  });
  const transport = { type: "http", url: server.url, allowInsecureHttp: true } as const;
  const model = scriptedModel(asksFor("old"));
  const agent = agentOf({ model, mcp: [mcpToolset({ name: "far", transport })] });
  expect(await agent.ask("Hi")).toMatchObject({ status: "completed" });
  expect(toolsOf(model)).toEqual([["old"], ["old"]]);
});
