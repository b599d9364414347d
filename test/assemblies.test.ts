import { describe, expect, test } from "vitest";
import { MemoryRunStore } from "../src/agent/memory-run-store.ts";
import type { RunResult } from "../src/agent/run-result.ts";
import type { Decision } from "../src/agent/waiting.ts";
import { memorySessions } from "../src/stores/memory-sessions.ts";
import { manualClock } from "../src/testing/manual-clock.ts";
import { memoryKey } from "../src/tool/binding.ts";
import { defineTool } from "../src/tool/define-tool.ts";
import type { Tool } from "../src/tool/tool.ts";
import { collect } from "./agent-fixture.ts";
import { assemblyOf, kinds, working } from "./assembly-kinds.ts";
import { type Crew, crew } from "./crew.ts";

const yes: Decision = { kind: "approve" };
const key = (id: string) => ({ app: "default", id });

const noting = (log: unknown[]): Tool =>
  defineTool({
    name: "pay",
    description: "Pays.",
    execute: (_input, { binding }) => {
      log.push([binding.agent.name, binding.run.session?.id]);
      return "paid";
    },
  });

const twoWorkers = (team: Crew, tool: Tool, more = {}) =>
  [
    team.member("first", working("pay", "one"), { tools: [tool], ...more }),
    team.member("second", working("pay", "two"), { tools: [tool], ...more }),
  ] as const;

describe.each(kinds)("a %s", (kind) => {
  test("waits for each approval, and goes on where it was, whatever was decided when", async () => {
    const log: unknown[] = [];
    const team = crew();
    const members = twoWorkers(team, noting(log), { approval: { tools: { pay: "ask" } } });
    const desk = assemblyOf(kind, team, members);
    const store = new MemoryRunStore();
    let result: RunResult = await desk.ask("Go", { store });
    let rounds = 0;
    while (result.status === "suspended") {
      rounds += 1;
      const [{ id, agentPath } = { id: "", agentPath: [] }] = result.waitingFor;
      expect(agentPath[0]).toBe("desk");
      result = await desk.resume(result.runId, { store, decisions: { [id]: yes } });
    }
    expect(rounds).toBe(2);
    expect(result.status).toBe("completed");
    expect(log).toEqual([
      ["first", undefined],
      ["second", undefined],
    ]);
    expect(["first", "second"].map((name) => team.model(name).requests.length)).toEqual([2, 2]);
    const events = await store.events(key(result.runId));
    const once = events.flatMap((event) =>
      event.kind === "agent-start" || event.kind === "agent-end" || event.kind === "run-end"
        ? [`${event.kind} ${event.agentPath.join("/")}`]
        : [],
    );
    expect(once.toSorted()).toEqual([
      "agent-end desk/first",
      "agent-end desk/second",
      "agent-start desk/first",
      "agent-start desk/second",
      "run-end desk",
    ]);
  });

  test("counts what all of them have used up, once, also where it was resumed", async () => {
    const team = crew();
    const members = twoWorkers(team, noting([]), { approval: { tools: { pay: "ask" } } });
    const desk = assemblyOf(kind, team, members);
    let result: RunResult = await desk.ask("Go");
    while (result.status === "suspended") {
      const decisions = Object.fromEntries(result.waitingFor.map(({ id }) => [id, yes]));
      result = await desk.resume(result.runId, { decisions });
    }
    const own = kind === "subagents" ? 3 : 0;
    expect(result).toMatchObject({
      steps: 4 + own,
      usage: { inputTokens: 4 + own, outputTokens: 4 + own },
      usageByModel: { first: { inputTokens: 2 }, second: { inputTokens: 2 } },
    });
    expect(result.participants.map(({ name }) => name)).toEqual(["first", "second"]);
  });

  test("has a session, which its members' tools and its next run know of", async () => {
    const log: unknown[] = [];
    const team = crew({ sessions: memorySessions() });
    const desk = assemblyOf(kind, team, twoWorkers(team, noting(log)));
    await desk.ask("the first question", { session: { id: "s" } });
    await desk.ask("the next one", { session: { id: "s" } });
    expect(log).toEqual([
      ["first", "s"],
      ["second", "s"],
      ["first", "s"],
      ["second", "s"],
    ]);
    const asked = team.model(kind === "subagents" ? "desk" : "first").requests.at(-1);
    expect(JSON.stringify(asked?.messages)).toContain("the first question");
  });

  test("ends where the run's limit is reached, and asks nobody any more", async () => {
    const log: unknown[] = [];
    const team = crew();
    const desk = assemblyOf(kind, team, twoWorkers(team, noting(log)));
    const result = await desk.ask("Go", { limits: { maxTokens: 2 } });
    expect(log).toEqual(kind === "subagents" ? [] : [["first", undefined]]);
    expect(team.model("second").requests).toEqual([]);
    // Who is at work gives what there is; in a swarm and with subagents that is the answer.
    const isAnswer = kind === "subagents" || kind === "swarm";
    expect(result).toMatchObject(
      isAnswer ? { status: "completed" } : { status: "failed", error: { code: "limit-reached" } },
    );
  });

  test.each(["cancelled", "deadline-exceeded"])("ends at once where it is %s", async (how) => {
    const clock = manualClock();
    const team = crew({ clock });
    const members = [
      team.member("first", { hangs: true }),
      team.member("second", "never"),
    ] as const;
    const run = assemblyOf(kind, team, members).stream("Go", { timeoutMs: 1_000 });
    const end = (): void => (how === "cancelled" ? run.cancel("enough") : clock.advance(1_000));
    for await (const event of run) {
      if (event.kind === "model-start" && event.agentPath.length === 2) {
        end();
      }
    }
    expect(await run.result).toMatchObject(
      how === "cancelled"
        ? { status: how, reason: "enough" }
        : { status: "failed", error: { code: how } },
    );
    expect(team.model("second").requests).toEqual([]);
  });

  test("passes on that a server was read to whoever is asked next", async () => {
    const taints: boolean[] = [];
    const team = crew();
    const source = { server: "web", name: "pay" };
    const fetch = defineTool({ name: "pay", description: "f", source, execute: () => "page" });
    const send = defineTool({ name: "pay", description: "s", execute: () => "sent" });
    const approval = {
      tools: {
        pay: ({ tainted }: { readonly tainted: boolean }) => {
          taints.push(tainted);
          return "allow" as const;
        },
      },
    };
    const members = [
      team.member("first", working("pay", "one"), { tools: [fetch] }),
      team.member("second", working("pay", "two"), { tools: [send], approval }),
    ] as const;
    await assemblyOf(kind, team, members).ask("Go");
    expect(taints).toEqual([true]);
  });

  test("nests three deep in each other kind, with one path for each event", async () => {
    for (const other of kinds) {
      const log: unknown[] = [];
      const team = crew();
      const inner = assemblyOf(kind, team, twoWorkers(team, noting(log)), "inner");
      const last = team.member("last", "done");
      const middle = assemblyOf("sequence", team, [inner, last], "middle");
      const end = team.member("end", "over");
      const outer = assemblyOf(other, team, [middle, end], "outer");
      const run = outer.stream("Go");
      const events = await collect(run);
      expect((await run.result).status).toBe("completed");
      const paths = events.flatMap((event) =>
        event.kind === "agent-end" ? [event.agentPath.join("/")] : [],
      );
      const first = other === "subagents" ? "outer/middle" : "outer/first";
      const rest = other === "swarm" ? [] : [other === "subagents" ? "outer/end" : "outer/second"];
      expect({ other, paths }).toEqual({
        other,
        paths: [
          `${first}/first/first`,
          `${first}/first/second`,
          `${first}/first`,
          `${first}/second`,
          first,
          ...rest,
        ],
      });
    }
  });
});

test("memory that was set by who had read from a server taints who reads it", async () => {
  const taints: boolean[] = [];
  const page = memoryKey<string>("page");
  const team = crew();
  const source = { server: "web", name: "fetch" };
  const fetch = defineTool({ name: "fetch", description: "f", source, execute: () => "page" });
  const put = defineTool({
    name: "put",
    description: "p",
    execute: (_input, { binding }) => binding.run.memory?.set(page, "found"),
  });
  const take = defineTool({
    name: "take",
    description: "t",
    execute: (_input, { binding, signal }) => binding.run.memory?.waitFor(page, signal),
  });
  const send = defineTool({ name: "send", description: "s", execute: () => "sent" });
  const reader = team.member(
    "reader",
    [{ calls: [{ name: "fetch" }] }, { calls: [{ name: "put" }] }, "ok"],
    { tools: [fetch, put] },
  );
  const sender = team.member(
    "sender",
    [{ calls: [{ name: "take" }] }, { calls: [{ name: "send" }] }, "ok"],
    {
      tools: [take, send],
      approval: {
        tools: {
          send: ({ tainted }) => {
            taints.push(tainted);
            return "allow";
          },
        },
      },
    },
  );
  const both = team.defineParallel({ name: "both", members: [reader, sender] });
  expect((await both.ask("Go")).status).toBe("completed");
  expect(taints).toEqual([true]);
});

test("the events of a nested assembly come in order, each with the path to where it happened", async () => {
  const team = crew();
  const note = defineTool({
    name: "note",
    description: "Notes.",
    execute: (_input, { binding }) => binding.run.memory?.set("seen", 1),
  });
  const writer = team.member("writer", working("note", "written"), { tools: [note] });
  const pair = team.defineLoop({ name: "pair", members: [writer], maxRounds: 1, until: "NEVER" });
  const members = [pair, team.member("other", "said")];
  const side = team.defineParallel({ name: "side", members, concurrency: 1 });
  const desk = team.defineSequence({ name: "desk", members: [side, team.member("end", "over")] });
  const events = await collect(desk.stream("Go"));
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
  const shown = events.filter(({ kind }) => !kind.endsWith("-delta"));
  expect(shown.map(({ kind, agentPath }) => `${kind} ${agentPath.join("/")}`)).toEqual([
    "run-start desk",
    "agent-start desk/side",
    "agent-start desk/side/pair",
    "agent-start desk/side/pair/writer",
    "step-start desk/side/pair/writer",
    "model-start desk/side/pair/writer",
    "tool-call-start desk/side/pair/writer",
    "tool-call-end desk/side/pair/writer",
    "model-end desk/side/pair/writer",
    "tool-start desk/side/pair/writer",
    "memory-set desk/side/pair/writer",
    "tool-end desk/side/pair/writer",
    "step-end desk/side/pair/writer",
    "step-start desk/side/pair/writer",
    "model-start desk/side/pair/writer",
    "text-start desk/side/pair/writer",
    "text-end desk/side/pair/writer",
    "model-end desk/side/pair/writer",
    "step-end desk/side/pair/writer",
    "agent-end desk/side/pair/writer",
    "notice desk/side/pair",
    "agent-end desk/side/pair",
    "agent-start desk/side/other",
    "step-start desk/side/other",
    "model-start desk/side/other",
    "text-start desk/side/other",
    "text-end desk/side/other",
    "model-end desk/side/other",
    "step-end desk/side/other",
    "agent-end desk/side/other",
    "agent-end desk/side",
    "agent-start desk/end",
    "step-start desk/end",
    "model-start desk/end",
    "text-start desk/end",
    "text-end desk/end",
    "model-end desk/end",
    "step-end desk/end",
    "agent-end desk/end",
    "run-end desk",
  ]);
});
