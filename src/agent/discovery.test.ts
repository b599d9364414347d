import { expect, test } from "vitest";
import { add, agentOf, collect, modelOf } from "../../test/agent-fixture.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { type Logger, silentLogger } from "../base/logger.ts";
import { createDragoman, type DragomanConfig } from "../configure.ts";
import { memorySessions } from "../stores/memory-sessions.ts";
import { manualClock } from "../testing/manual-clock.ts";
import type { ScriptedModel } from "../testing/scripted-model.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { Toolset } from "../tool/toolset.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import type { Discovery } from "./discovery.ts";
import type { RunEvent } from "./run-event.ts";
import type { RunOptions } from "./run-options.ts";

/** A toolset that notes when it is opened. */
function toolsetOf(
  name: string,
  tools: readonly string[],
  more: Partial<Toolset> = {},
): Toolset & { opened: number } {
  const toolset = {
    name,
    opened: 0,
    catalogueKey: () => name,
    async open() {
      toolset.opened += 1;
      return {
        tools: tools.map((tool) =>
          defineTool({
            name: tool,
            description: tool.replaceAll("_", " "),
            source: { server: name, name: tool },
            execute: () => `${name}: ${tool}`,
          }),
        ),
        close: async () => {},
      };
    },
    ...more,
  };
  return toolset;
}

const mail = () => toolsetOf("mail", ["send_mail", "read_mail", "delete_mail"]);
const music = () => toolsetOf("music", ["play_song", "stop_song"], { description: "Plays songs" });

const search = (query: string) => ({ calls: [{ name: "find_tools", arguments: { query } }] });
const call = (name: string) => ({ calls: [{ name }] });

const shown = (model: ScriptedModel) =>
  model.requests.map(({ tools }) => tools.map(({ name }) => name));

const decisions = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.kind === "discovery-end" ? [event] : []));

/** What the model is shown at first. */
async function firstShown(
  message: string,
  definition: Omit<AgentDefinition, "name">,
  options: RunOptions = {},
  config: DragomanConfig = {},
) {
  const model = modelOf("ok");
  await agentOf({ model, ...definition }, config).ask(message, options);
  return shown(model)[0];
}

const two: Discovery = { tools: { limit: 2 } };

test("the application's own tools are always shown and do not count", async () => {
  const names = await firstShown("Send a mail", { tools: [add], mcp: [mail()], discovery: two });
  expect(names).toEqual(["add", "send_mail", "read_mail", "find_tools"]);
});

test("servers' tools that the application names are all shown, whatever the limit", async () => {
  const tools = ["send_mail", "read_mail", "delete_mail"];
  const names = await firstShown("hm", { tools, mcp: [mail(), music()], discovery: two });
  expect(names).toEqual(tools);
});

test("where all tools fit there is nothing to find", async () => {
  const model = modelOf("ok");
  const agent = agentOf({ model, mcp: [mail()], discovery: { tools: { limit: 3 } } });
  const events = await collect(agent.stream("hm"));
  expect(shown(model)[0]).toEqual(["send_mail", "read_mail", "delete_mail"]);
  expect(decisions(events)).toMatchObject([{ of: "tools", reason: "all-fit", among: 3 }]);
});

test("where none fits, none is shown but the one that finds them", async () => {
  expect(await firstShown("hm", { mcp: [mail()], discovery: two })).toEqual(["find_tools"]);
});

test("a tool that was found is called as any other, and stays for the run", async () => {
  const model = modelOf(search("play a song"), call("play_song"), search("mail"), "ok");
  const agent = agentOf({ model, mcp: [mail(), music()], discovery: { tools: { limit: 1 } } });
  const { messages } = await agent.ask("Delete my mail");
  expect(shown(model).map(({ length }) => length)).toEqual([2, 3, 3, 4]);
  expect(shown(model)[3]).toContain("play_song");
  expect(JSON.stringify(messages)).toContain("music: play_song");
});

test("a tool that is not shown can be called by whoever knows its name", async () => {
  const model = modelOf(call("stop_song"), "ok");
  const agent = agentOf({ model, mcp: [mail(), music()], discovery: { tools: { limit: 1 } } });
  const { messages } = await agent.ask("Delete my mail");
  expect(JSON.stringify(messages)).toContain("music: stop_song");
});

test("tools that the conversation has used stay shown, and their servers connected", async () => {
  const sessions = memorySessions();
  const session = { id: "s" };
  const players = [music(), mail()];
  const discovery: Discovery = { servers: true, tools: { limit: 1 } };
  const dragoman = createDragoman({ logger: silentLogger, env: {}, sessions });
  const asking = (model: ScriptedModel) =>
    dragoman.defineAgent({ name: "tester", model, mcp: players, discovery });
  await asking(modelOf(call("play_song"), "playing")).ask("Play a song", { session });
  const model = modelOf("ok");
  await asking(model).ask("Now send it by mail", { session });
  expect(shown(model)[0]).toEqual(expect.arrayContaining(["play_song", "send_mail"]));
});

test("a plan is made of the tools that are shown: there is nothing to find", async () => {
  const model = modelOf('{"steps":[],"answer":"nothing to do"}');
  await agentOf({ model, mode: "plan", mcp: [mail()], discovery: two }).ask("Send a mail");
  const told = JSON.stringify(model.requests[0]?.messages);
  expect(told).toContain("send_mail");
  expect(told).not.toContain("delete_mail");
  expect(told).not.toContain("find_tools");
});

test("a run's discovery counts before the agent's, and that before the configured one", async () => {
  const of = (definition: object, options: RunOptions, config: DragomanConfig) =>
    firstShown("Send a mail", { mcp: [mail()], ...definition }, options, config);
  const one: Discovery = { tools: { limit: 1 } };
  expect(await of({}, {}, { discovery: one })).toHaveLength(2);
  expect(await of({ discovery: two }, {}, { discovery: one })).toHaveLength(3);
  expect(await of({ discovery: two }, { discovery: one }, {})).toHaveLength(2);
  expect(await of({ discovery: two }, { discovery: "none" }, {})).toHaveLength(3);
});

test.each([
  [{ tool: {} }, 'unknown property "tool". Did you mean "tools"?'],
  [{ tools: {} }, "need a limit"],
  [{ tools: { limit: 0 } }, "need a limit"],
  [{ servers: { scorer: "best" } }, '"bm25f", "tf-cosine" or'],
  [{ servers: { treshold: 1 } }, 'Did you mean "threshold"?'],
  ["all", "must be an object"],
])("%j is refused with what is allowed", async (discovery, message) => {
  const wrong = discovery as Discovery;
  expect(() => agentOf({ discovery: wrong })).toThrow(message);
  expect(() => createDragoman({ discovery: wrong })).toThrow(message);
  expect(() => createDragoman().configure({ discovery: wrong })).toThrow(ConfigurationError);
  await expect(agentOf({}).ask("x", { discovery: wrong })).rejects.toThrow(message);
});

test("a scorer of the application ranks tools; the default one takes its place where it fails", async () => {
  const scorer = (score: () => readonly number[]) => ({ name: "own", threshold: 0, score });
  const events = async (score: () => readonly number[]) => {
    const model = modelOf("ok");
    const discovery = { tools: { limit: 1, scorer: scorer(score) } };
    return decisions(
      await collect(agentOf({ model, mcp: [mail()], discovery }).stream("Read my mail")),
    );
  };
  expect(await events(() => [0, 0, 1])).toMatchObject([
    { scorer: "own", tools: [{ name: "delete_mail", server: "mail", score: 1 }] },
  ]);
  expect(
    await events(() => {
      throw new Error("down");
    }),
  ).toMatchObject([{ scorer: "bm25f", problem: "down", tools: [{ name: "read_mail" }] }]);
});

test("a server that nobody knows is asked for its tools where its description fits the search", async () => {
  const servers = [toolsetOf("mail", ["send_mail"], { description: "Electronic mail" }), music()];
  const model = modelOf(search("play a song"), call("play_song"), "ok");
  const agent = agentOf({ model, mcp: servers, discovery: { servers: true, tools: { limit: 1 } } });
  const { messages } = await agent.ask("Send electronic mail");
  expect(shown(model)[0]).toEqual(["send_mail", "find_tools"]);
  expect(shown(model)[1]).toContain("play_song");
  expect(JSON.stringify(messages)).toContain("music: play_song");
});

test("the server that fits best is waited for, though another one is ready", async () => {
  const clock = manualClock();
  const gate = Promise.withResolvers<void>();
  const slow = toolsetOf("music", ["play_song"]);
  const players: Toolset = {
    ...slow,
    description: "Plays songs",
    open: async (...scope) => {
      await gate.promise;
      return slow.open(...scope);
    },
  };
  const servers = [toolsetOf("mail", ["send_mail"], { description: "Mail a song" }), players];
  const model = modelOf("ok");
  const discovery: Discovery = { servers: { threshold: 0.01 } };
  const run = agentOf({ model, mcp: servers, discovery }, { clock }).stream("Play songs");
  const reading = (async () => {
    for await (const event of run) {
      if (event.kind === "server-connect" && event.server === "mail") {
        clock.advance(60_000);
        gate.resolve();
      }
    }
  })();
  await reading;
  expect(shown(model)[0]).toEqual(["send_mail", "play_song"]);
});

test("the model is told of a server that has what it looks for and cannot be reached", async () => {
  const servers = [mail(), music()];
  const dragoman = createDragoman({ logger: silentLogger, env: {} });
  const discovery: Discovery = { servers: true, tools: { limit: 1 } };
  const asking = (model: ScriptedModel) =>
    dragoman.defineAgent({ name: "tester", model, mcp: servers, discovery });
  await asking(modelOf("ok")).ask(" ");
  (servers[1] as Toolset).open = () => Promise.reject(new Error("gone"));
  const model = modelOf(search("play a song"), "ok");
  const { failedServers, messages } = await asking(model).ask("Delete my mail");
  expect(failedServers).toMatchObject([{ name: "music" }]);
  expect(JSON.stringify(messages)).toContain("Could not be reached: music.");
});

test("what one actor's catalogue says is not known to another's run", async () => {
  const secret = toolsetOf("crm", ["list_layoffs"], {
    description: "Customers",
    catalogueKey: ({ run }) => `crm ${run.actor}`,
  });
  const dragoman = createDragoman({ logger: silentLogger, env: {} });
  const ask = async (message: string, actor: string) => {
    const agent = dragoman.defineAgent({
      name: "tester",
      model: modelOf("ok"),
      mcp: [secret, toolsetOf("mail", ["send_mail"], { description: "Electronic mail" })],
      discovery: { servers: true },
    });
    return decisions(await collect(agent.stream(message, { actor })));
  };
  await ask(" ", "ann");
  expect(await ask("layoffs mail", "ann")).toMatchObject([{ servers: [{ chosen: true }, {}] }]);
  expect(await ask("layoffs mail", "bob")).toMatchObject([
    { servers: [{ name: "crm", chosen: false, score: 0 }, { chosen: true }] },
  ]);
});

test("a catalogue is believed for a day", async () => {
  const clock = manualClock();
  const servers = [toolsetOf("travel", ["book_flight"]), music()];
  const dragoman = createDragoman({ logger: silentLogger, env: {}, clock });
  const chosen = async (message: string) => {
    const agent = dragoman.defineAgent({
      name: "tester",
      model: modelOf("ok"),
      mcp: servers,
      discovery: { servers: true },
    });
    const [decision] = decisions(await collect(agent.stream(message)));
    return decision?.of === "servers" ? decision.reason : undefined;
  };
  await chosen(" ");
  expect(await chosen("Book a flight")).toBe("chosen");
  clock.advance(25 * 60 * 60 * 1000);
  expect(await chosen("Book a flight")).toBe("below-threshold");
});

test("a store of catalogues that fails costs a warning, not the run", async () => {
  const warnings: string[] = [];
  const logger: Logger = { ...silentLogger, warn: (message) => void warnings.push(message) };
  const broken = async () => {
    throw new Error("disk full");
  };
  const catalogues = { get: broken, set: broken };
  const names = await firstShown(
    "Send a mail",
    { mcp: [mail()], discovery: { servers: true } },
    {},
    { logger, catalogues },
  );
  expect(names).toHaveLength(3);
  expect(warnings).toContain("The store of catalogues failed: disk full");
});

test("a server's tool called find_tools gets another name; one of the application's is refused", async () => {
  const odd = toolsetOf("odd", ["find_tools", "sing", "hum"]);
  const model = modelOf(call("odd_find_tools"), "ok");
  const { messages } = await agentOf({ model, mcp: [odd], discovery: two }).ask("sing");
  expect(JSON.stringify(messages)).toContain("odd: find_tools");
  const own = defineTool({ name: "find_tools", description: "", execute: () => "" });
  const result = await agentOf({ model, tools: [own], mcp: [odd], discovery: two }).ask("sing");
  expect(result).toMatchObject({ status: "failed", error: { code: "invalid-definition" } });
});

test("a run that waits for somebody has what it found when it is resumed", async () => {
  const servers = [
    toolsetOf("mail", ["send_mail"], { description: "Electronic mail" }),
    toolsetOf("music", ["play_song"], { description: "Plays songs" }),
  ];
  const model = modelOf(search("play a song"), call("play_song"), "played");
  const agent = agentOf({
    model,
    mcp: servers,
    discovery: { servers: true, tools: { limit: 1 } },
    approval: { tools: { play_song: "ask" } },
  });
  const waiting = await agent.ask("Send electronic mail");
  expect(waiting.status).toBe("suspended");
  const [asked] = waiting.status === "suspended" ? waiting.waitingFor : [];
  const run = await agent.resume(waiting.runId, {
    decisions: { [asked?.id ?? ""]: { kind: "approve" } },
  });
  expect(run).toMatchObject({ status: "completed", text: "played" });
  expect(shown(model).at(-1)).toContain("play_song");
  expect(servers.map(({ opened }) => opened)).toEqual([2, 2]);
});
