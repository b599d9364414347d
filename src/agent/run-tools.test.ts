import { expect, test } from "vitest";
import { add, agentOf, collect, modelOf } from "../../test/agent-fixture.ts";
import { broken, toolCalled, toolsetOf } from "../../test/toolset-fixture.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { type Logger, silentLogger } from "../base/logger.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { Toolset } from "../tool/toolset.ts";

async function offered(definition: Parameters<typeof agentOf>[0], config = {}, options = {}) {
  const model = modelOf("ok");
  await agentOf({ model, ...definition }, config).ask("Hi", options);
  return model.requests[0]?.tools.map(({ name }) => name);
}

test("L-C1, L-C3, L-C6, G-T4: an agent has its own tools and all that its servers publish", async () => {
  const files = toolsetOf("files", ["read", "write"]);
  const notes = toolsetOf("notes", ["jot"]);
  const names = await offered({ tools: [add], mcp: [files, notes] });
  expect(names).toEqual(["add", "read", "write", "jot"]);
  expect([files.log, notes.log]).toEqual([
    ["open", "close"],
    ["open", "close"],
  ]);
  expect(await offered({ tools: [add] })).toEqual(["add"]); // another agent has nothing of them
});

test("G-T1: a toolset among the tools counts as one in mcp", async () => {
  const files = toolsetOf("files", ["read"]);
  expect(await offered({ tools: [files, add] })).toEqual(["add", "read"]);
  expect(await offered({ tools: [files, add], mcp: "none" })).toEqual(["add"]);
  expect(await offered({ tools: "none", mcp: [files] })).toEqual([]);
});

test("L-C4: names choose a registered tool, else one of a server's, and then only those are visible", async () => {
  const files = toolsetOf("files", ["read", "write"]);
  const config = { tools: [add, toolCalled("read", "global")] };
  expect(await offered({ tools: ["add", "write"], mcp: [files] }, config)).toEqual([
    "add",
    "write",
  ]);
  expect(await offered({ tools: ["read"], mcp: [files] }, config)).toEqual(["read"]);
});

test("L-C5: a server none of whose tools is named is connected, and gives none", async () => {
  const files = toolsetOf("files", ["read", "write"]);
  expect(await offered({ tools: ["READ"], mcp: [files] })).toEqual([]);
  expect(files.log).toEqual(["open", "close"]);
});

test("a name that nobody has is told, with the closest that there is", async () => {
  const files = toolsetOf("files", ["read_file", "write_file"]);
  const run = agentOf({ model: modelOf("ok"), tools: ["read_fil"], mcp: [files] }).stream("Hi");
  const notices = (await collect(run)).filter(({ kind }) => kind === "notice");
  expect(notices).toMatchObject([
    { code: "tool-missing", message: 'No tool is called "read_fil". Did you mean "read_file"?' },
  ]);
});

test("an agent that says nothing inherits the global tools and servers", async () => {
  const config = { tools: [add], mcp: [toolsetOf("files", ["read"])] };
  expect(await offered({}, config)).toEqual(["add", "read"]);
  expect(await offered({ tools: "none" }, config)).toEqual([]);
  expect(await offered({ mcp: "none" }, config)).toEqual(["add"]);
});

test("R9: the strict defaults connect nothing and send nothing unless the run asks for it", async () => {
  const files = toolsetOf("files", ["read"]);
  const definition = { tools: [add], mcp: [files] };
  const config = { defaults: { tools: "none", mcp: "none" } } as const;
  expect(await offered(definition, config)).toEqual([]);
  expect(files.log).toEqual([]);
  expect(await offered(definition, config, { tools: "inherit" })).toEqual(["add"]);
  expect(files.log).toEqual([]);
  expect(await offered(definition, config, { mcp: "inherit" })).toEqual([]);
  expect(files.log).toEqual(["open", "close"]);
  expect(await offered(definition, config, { tools: "inherit", mcp: "inherit" })).toEqual([
    "add",
    "read",
  ]);
});

test("tools of different servers with one name are both reachable, and the change is told", async () => {
  const run = agentOf({
    model: modelOf({ calls: [{ name: "a_send" }, { name: "b_send" }] }, "ok"),
    mcp: [toolsetOf("a", ["send"]), toolsetOf("b", ["send"])],
  }).stream("Hi");
  const events = await collect(run);
  const results = events.flatMap((event) => (event.kind === "tool-end" ? [event.result] : []));
  expect(results).toMatchObject([{ value: "a" }, { value: "b" }]);
  expect(events.filter((event) => event.kind === "notice").map(({ code }) => code)).toEqual([
    "tool-renamed",
    "tool-renamed",
  ]);
});

test("a toolset with prefix has its name before all its tools", async () => {
  const files = toolsetOf("my files", ["read"], { prefix: true });
  expect(await offered({ mcp: [files] })).toEqual(["my_files_read"]);
});

test("two native tools with one name are a mistake", async () => {
  const result = await agentOf({ model: modelOf("ok"), tools: [add, add] }).ask("Hi");
  expect(result).toMatchObject({ status: "failed", error: { code: "invalid-definition" } });
});

test("R2: two servers with one name are a mistake, and none is opened", async () => {
  const files = toolsetOf("files", ["read"]);
  const result = await agentOf({ model: modelOf("ok"), mcp: [files, toolsetOf("files", [])] }).ask(
    "Hi",
  );
  expect(result).toMatchObject({ status: "failed", error: { code: "invalid-configuration" } });
  expect(files.log).toEqual([]);
});

test("R15, L-C9: a server that fails is recorded, told, logged once, and the run goes on with the rest", async () => {
  const warnings: string[] = [];
  const logger: Logger = { ...silentLogger, warn: (message) => warnings.push(message) };
  const model = modelOf("ok");
  const definition = { model, mcp: [broken("down"), toolsetOf("up", ["read"])] };
  const run = agentOf(definition, { logger }).stream("Hi");
  const events = await collect(run);
  const error = { code: "mcp-connect-failed", message: "refused", server: "down" };
  expect(await run.result).toMatchObject({
    status: "completed",
    failedServers: [{ name: "down", error }],
  });
  expect(events.filter(({ kind }) => kind.startsWith("server-"))).toMatchObject([
    { kind: "server-fail", server: "down", error },
    { kind: "server-connect", server: "up", tools: ["read"] },
  ]);
  expect(warnings).toEqual(['agent "tester" goes on without MCP server "down": refused']);
  expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["read"]);
});

test("a server that must be there fails the run, and the others are closed", async () => {
  const up = toolsetOf("up", ["read"]);
  const result = await agentOf({ model: modelOf("ok"), mcp: [up, broken("down", "fail")] }).ask(
    "Hi",
  );
  expect(result).toMatchObject({ status: "failed", error: { code: "server-unavailable" } });
  expect(up.log).toEqual(["open", "close"]);
});

test("G-T13: an optional server's failure is quiet and seen by onError only", async () => {
  const seen: unknown[] = [];
  const server: Toolset = {
    ...broken("down", "ignore"),
    onError: (error, { binding }) => seen.push([`${error}`, binding.agent.name]),
  };
  const run = agentOf({ model: modelOf("ok"), mcp: [server] }).stream("Hi");
  const events = await collect(run);
  expect(await run.result).toMatchObject({ status: "completed", failedServers: [] });
  expect(events.some(({ kind }) => kind === "server-fail")).toBe(false);
  expect(seen).toEqual([["DragomanError: refused", "tester"]]);
});

test("G-T14: a configuration error and a failing callback are not optional", async () => {
  const mistake = new ConfigurationError("No url.", { code: "invalid-configuration" });
  const ask = (server: Toolset) => agentOf({ model: modelOf("ok"), mcp: [server] }).ask("Hi");
  expect(await ask(broken("x", "ignore", mistake))).toMatchObject({
    status: "failed",
    cause: mistake,
  });
  const onError = () => {
    throw new Error("callback");
  };
  expect(await ask({ ...broken("x", "ignore"), onError })).toMatchObject({
    status: "failed",
    error: {
      code: "callback-failed",
      message: 'The onError of the MCP toolset "x" threw: callback',
    },
  });
});

test("G-T6, L-C8: servers are opened once a run, and closed when the model fails and when the run is cancelled", async () => {
  const files = toolsetOf("files", ["read"]);
  await agentOf({ model: modelOf({ error: new Error("no") }), mcp: [files] }).ask("Hi");
  expect(files.log).toEqual(["open", "close"]);
  const run = agentOf({ model: modelOf({ hangs: true }), mcp: [files] }).stream("Hi");
  for await (const { kind } of run) {
    if (kind === "model-start") {
      run.cancel();
    }
  }
  expect(files.log).toEqual(["open", "close", "open", "close"]);
});

test("a server that opens only after the run was cancelled is closed all the same", async () => {
  const opened = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const late: Toolset = {
    name: "late",
    open: async () => {
      run.cancel();
      await opened.promise;
      return { tools: [], close: async () => closed.resolve() };
    },
  };
  const run = agentOf({ model: modelOf("ok"), mcp: [late] }).stream("Hi");
  expect((await run.result).status).toBe("cancelled");
  opened.resolve();
  await closed.promise;
});

test("R11: for an agent alone inherit means nothing, and a list goes on with a run that inherits", async () => {
  expect(await offered({ tools: "inherit", mcp: "inherit" })).toEqual([]);
  const files = toolsetOf("files", ["read"]);
  const inherit = { tools: "inherit", mcp: "inherit" } as const;
  expect(await offered({ tools: [add], mcp: [files] }, {}, inherit)).toEqual(["add", "read"]);
});

/** Servers whose configuration is wrong, as a program that is not type-checked may give it. */
const wrongServers: Readonly<Record<string, { config: object; says: RegExp }>> = {
  "a flat transport": { config: { transport: "stdio", command: "x" }, says: /transport/ },
  "an unknown type": { config: { transport: { type: "bogus" } }, says: /bogus/ },
  "no command": { config: { transport: { type: "stdio" } }, says: /command/ },
  "an unknown key": {
    config: { transport: { type: "stdio", command: "x", arg: [] } },
    says: /arg/,
  },
};

test.each(Object.entries(wrongServers))(
  "R4: %s is told and recorded, and the agent works without that server",
  async (_, { config, says }) => {
    const warnings: string[] = [];
    const logger: Logger = { ...silentLogger, warn: (message) => warnings.push(message) };
    const definition = { model: modelOf("ok"), mcp: [{ name: "wrong", ...config } as never] };
    const result = await agentOf(definition, { logger }).ask("Hi");
    expect(result).toMatchObject({ status: "completed", failedServers: [{ name: "wrong" }] });
    expect(result.failedServers[0]?.error.message).toMatch(says);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/^agent "tester" goes on without MCP server "wrong": /);
    expect(warnings[0]).toMatch(says);
  },
);

test("L-C13: an agent tells its available tools, native and of its servers", async () => {
  const files = toolsetOf("files", ["read"]);
  const has = { tools: [add], mcp: [files] };
  const model = modelOf("never asked");
  const agents = [agentOf({ model, ...has }), agentOf({ model }, has)]; // its own, or inherited
  for (const agent of agents) {
    expect(await agent.availableTools()).toEqual([
      { name: "add", description: "Adds two numbers." },
      { name: "read", description: "read", sourceName: "read", server: "files" },
    ]);
    expect(files.log.splice(0)).toEqual(["open", "close"]);
  }
  expect(model.requests).toEqual([]);
});

test("a server's tool whose name can be mistaken for another's is left out, and that is told", async () => {
  const model = modelOf("ok");
  const mcp = [toolsetOf("bank", ["payout"]), toolsetOf("evil", ["pay0ut", "ad", "list"])];
  const own = defineTool({ name: "1ist", description: "own", execute: () => 1 });
  const events = await collect(agentOf({ model, tools: [own], mcp }).stream("Hi"));
  expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["1ist", "payout", "ad"]);
  const notices = events.flatMap((event) => (event.kind === "notice" ? [event] : []));
  expect(notices.map(({ code }) => code)).toEqual(["tool-look-alike", "tool-look-alike"]);
  expect(notices[0]?.message).toMatch(/^Tool "pay0ut" of "evil" .* "payout" of "bank"\./);
});
