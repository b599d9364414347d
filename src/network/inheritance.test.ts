import { expect, test } from "vitest";
import { crew } from "../../test/crew.ts";
import type { Selection } from "../agent/selection.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { Tool } from "../tool/tool.ts";
import type { Toolset } from "../tool/toolset.ts";

/** What a level says; `undefined` is nothing at all. */
type Says = "none" | "inherit" | "list" | undefined;

interface Levels {
  readonly global: Says;
  readonly outer: Says;
  readonly network: Says;
  readonly agent: Says;
  readonly task: Says;
  readonly run: Says;
}

const names = ["global", "outer", "network", "agent", "task", "run"] as const;

/** A list at each level: its own entry and one that all lists have. */
const listed = (level: string): readonly string[] => [level, "shared"];

const toolCalled = (name: string): Tool =>
  defineTool({ name, description: name, execute: () => name });

const serverCalled = (name: string): Toolset => ({
  name,
  open: async () => ({ tools: [toolCalled(name)], close: async () => {} }),
});

/** What the agent of the innermost task must have, in the words of the requirements. */
function expected({ global, outer, network, agent, task, run }: Levels): readonly string[] {
  const known = (says: Says): boolean => says === "none" || says === "list";
  const named = (says: Says, level: string): readonly string[] =>
    says === "list" ? listed(level) : [];
  // The parent is the network's value, else its enclosing network's, else the global one.
  const fromGlobal = named(global, "global");
  const fromOuter = known(outer) ? named(outer, "outer") : fromGlobal;
  const fromNetwork = known(network) ? named(network, "network") : fromOuter;
  // What a network has comes in only where the agent and its task both say inherit.
  const parent = agent === "inherit" && task === "inherit" ? fromNetwork : fromGlobal;
  const built = known(agent) ? named(agent, "agent") : parent;
  const had = known(task) ? named(task, "task") : built;
  // The options of network.ask narrow, and never widen.
  const allowed = run === "list" ? listed("run") : had;
  return run === "none" ? [] : had.filter((name) => allowed.includes(name));
}

const all: readonly Says[] = ["none", "inherit", "list", undefined];

const combinations: readonly Levels[] = all
  .filter((says) => says !== "inherit")
  .flatMap((global) =>
    all.flatMap((outer) =>
      all.flatMap((network) =>
        all.flatMap((agent) =>
          all.flatMap((task) => all.map((run) => ({ global, outer, network, agent, task, run }))),
        ),
      ),
    ),
  );

/** The names of tools that the model of the innermost task is told of. */
async function actual<Entry>(
  levels: Levels,
  kind: "tools" | "mcp",
  toEntry: (name: string) => Entry,
): Promise<readonly string[]> {
  const entryOf = new Map([...names, "shared"].map((name) => [name, toEntry(name)] as const));
  const say = (level: keyof Levels): Record<string, Selection<Entry>> => {
    const says = levels[level];
    const list = listed(level).map((name) => entryOf.get(name) as Entry); // made above
    return says === undefined ? {} : { [kind]: says === "list" ? list : says };
  };
  const { member, model, defineNetwork } = crew(say("global"));
  const worker = member("worker", "ok", say("agent"));
  const inner = defineNetwork({
    name: "inner",
    tasks: [{ agent: worker, ...say("task") }],
    config: say("network"),
  });
  const outer = defineNetwork({ name: "outer", tasks: [{ agent: inner }], config: say("outer") });
  await outer.ask("Hi", say("run"));
  return (model("worker").requests[0]?.tools ?? []).map(({ name }) => name);
}

test("R8, R10, R12, R13, R19: all combinations of what levels say of tools", {
  timeout: 60_000,
}, async () => {
  expect(combinations).toHaveLength(3 * 4 ** 5);
  for (const levels of combinations) {
    const has = await actual(levels, "tools", toolCalled);
    expect({ levels, has }).toEqual({ levels, has: expected(levels) });
  }
});

test("R8, R10, R12, R13, R19: all combinations of what levels say of servers", {
  timeout: 60_000,
}, async () => {
  for (const levels of combinations) {
    const has = await actual(levels, "mcp", serverCalled);
    expect({ levels, has }).toEqual({ levels, has: expected(levels) });
  }
});

test("R10: what a network, or an agent alone, has is looked up for each run, not frozen when it is defined", async () => {
  const { member, model, configure, defineNetwork } = crew();
  const worker = member("worker", "ok", { tools: "inherit" });
  const network = defineNetwork({ name: "n", tasks: [{ agent: worker, tools: "inherit" }] });
  for (const tools of [[], [toolCalled("later")]]) {
    configure({ tools });
    await network.ask("Hi");
    await worker.ask("Hi");
  }
  expect(model("worker").requests.map(({ tools }) => tools.length)).toEqual([0, 0, 1, 1]);
});

test.each(["model", "limits", "instructions", "hooks", "approval"])(
  "R13: %s is not inherited from a network",
  (setting) => {
    const { member, defineNetwork } = crew();
    const tasks = [member("worker", "ok")];
    const config = { [setting]: {} } as never; // which it may not have
    expect(() => defineNetwork({ name: "n", tasks, config })).toThrow(
      `config of the network "n" has "${setting}", but only tools and mcp are inherited`,
    );
  },
);

test("R13: the model of a network's run is not that of its tasks", async () => {
  const { member, model, defineNetwork } = crew();
  const network = defineNetwork({ name: "n", tasks: [member("worker", "mine")] });
  expect((await network.ask("Hi", { model: scriptedModel(["other"]) })).text).toBe("mine");
  expect(model("worker").requests).toHaveLength(1);
});

test("under strict defaults a task that says nothing has nothing, and one that inherits has it", async () => {
  const { member, model, defineNetwork } = crew({ defaults: { tools: "none", mcp: "none" } });
  const tools = [toolCalled("own")];
  const bare = member("bare", "ok", { tools });
  const asks = member("asks", "ok", { tools });
  await defineNetwork({ name: "n", tasks: [bare, { agent: asks, tools: "inherit" }] }).ask("Hi");
  expect(["bare", "asks"].map((name) => model(name).requests[0]?.tools.length)).toEqual([0, 1]);
});
