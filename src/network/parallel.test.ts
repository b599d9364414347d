import { expect, test } from "vitest";
import { crew } from "../../test/crew.ts";
import type { Decision } from "../agent/waiting.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { AssemblyState } from "./assembly-state.ts";

test("members are asked side by side, and their answers stand in order under their names", async () => {
  const { member, defineParallel, asked } = crew();
  const both = defineParallel({ name: "both", members: [member("a", "1"), member("b", "2")] });
  const result = await both.ask("Go");
  expect([asked("a"), asked("b")]).toEqual([["Go"], ["Go"]]);
  expect(result).toMatchObject({
    status: "completed",
    text: "## a\n\n1\n\n## b\n\n2",
    output: { a: { status: "completed", text: "1" }, b: { status: "completed", text: "2" } },
  });
});

test("a failure cancels the others at once, unless it is collected", async () => {
  const { member, defineParallel } = crew();
  const fails = member("fails", { error: new Error("broken") }, { retry: { maxAttempts: 1 } });
  const hangs = member("hangs", { hangs: true });
  const fast = await defineParallel({ name: "fast", members: [hangs, fails] }).ask("Go");
  expect(fast).toMatchObject({
    status: "failed",
    error: { code: "participant-failed", message: expect.stringContaining('"fails" of "fast"') },
  });
  expect(fast.participants.map(({ name, result }) => `${name} ${result.status}`)).toEqual([
    "hangs cancelled",
    "fails failed",
  ]);
  const members = [member("works", "fine"), fails];
  const collected = await defineParallel({ name: "all", members, onFailure: "collect" }).ask("Go");
  expect(collected).toMatchObject({
    status: "completed",
    output: { works: { status: "completed" }, fails: { status: "failed" } },
  });
  const none = await defineParallel({ name: "x", members: [fails], onFailure: "collect" }).ask(
    "Go",
  );
  expect(none.status).toBe("failed");
});

test("no more than `concurrency` members work at once", async () => {
  const { member, defineParallel } = crew();
  let now = 0;
  let most = 0;
  const work = defineTool({
    name: "work",
    description: "Works.",
    async execute() {
      now += 1;
      most = Math.max(most, now);
      await new Promise<void>((resolve) => setImmediate(resolve));
      now -= 1;
      return "ok";
    },
  });
  const members = Array.from({ length: 9 }, (_, index) =>
    member(`m${index}`, [{ calls: [{ name: "work" }] }, "ok"], { tools: [work] }),
  );
  const result = await defineParallel({ name: "nine", members, concurrency: 3 }).ask("Go");
  expect([result.status, most]).toEqual(["completed", 3]);
});

test("fifty branches of which one hangs end within the deadline", async () => {
  const clock = manualClock();
  const { member, defineParallel } = crew({ clock });
  const members = Array.from({ length: 50 }, (_, index) =>
    member(`m${index}`, index === 17 ? { hangs: true } : "ok"),
  );
  const run = defineParallel({ name: "fifty", members }).stream("Go", { timeoutMs: 1_000 });
  let ended = 0;
  for await (const { kind } of run) {
    ended += kind === "agent-end" ? 1 : 0;
    if (ended === 49) {
      clock.advance(1_000);
    }
  }
  expect(await run.result).toMatchObject({
    status: "failed",
    error: { code: "deadline-exceeded" },
  });
});

test("a branch that waits suspends the whole; branches that are done are not run again", async () => {
  const { member, defineParallel, model } = crew();
  let paid = 0;
  const pay = defineTool({ name: "pay", description: "Pays.", execute: () => ++paid });
  const careful = { tools: [pay], approval: { default: "ask" } } as const;
  const paying = [{ calls: [{ id: "p", name: "pay" }] }, "paid"] as const;
  const members = [
    member("one", [...paying], careful),
    member("two", [...paying], careful),
    member("free", "done"),
  ];
  const both = defineParallel({ name: "both", members });
  const first = await both.ask("Go");
  expect(first).toMatchObject({
    status: "suspended",
    waitingFor: [{ agentPath: ["both", "one"] }, { agentPath: ["both", "two"] }],
  });
  const ids = first.status === "suspended" ? first.waitingFor.map(({ id }) => id) : [];
  expect(new Set(ids).size).toBe(2);
  const decisions = Object.fromEntries(ids.map((id) => [id, { kind: "approve" } as Decision]));
  const second = await both.resume(first.runId, { decisions });
  expect(second).toMatchObject({ status: "completed", steps: 5 });
  expect([paid, model("free").requests.length]).toEqual([2, 1]);
});

test("where none has an answer, the error names all of them and why", async () => {
  const { member, defineParallel } = crew();
  const broken = (name: string) =>
    member(name, { error: new Error(`no ${name}`) }, { retry: { maxAttempts: 1 } });
  const members = [broken("a"), broken("b")];
  const both = defineParallel({ name: "both", members, onFailure: "collect" });
  expect(await both.ask("Go")).toMatchObject({
    status: "failed",
    error: {
      code: "participant-failed",
      message: expect.stringMatching(/No member of "both".*"a" failed: no a "b" failed: no b/),
    },
  });
});

test("what a member is asked does not depend on how fast another one was", async () => {
  const { member, asked, defineParallel } = crew();
  const turns: number[] = [];
  const members = [
    member("fast", "quick"),
    {
      agent: member("slow", "late"),
      input: ({ turns: count }: AssemblyState) => {
        turns.push(count);
        return "asked";
      },
    },
    { agent: member("named", "x"), input: "Is it {fast}?" },
  ];
  await defineParallel({ name: "p", members, concurrency: 1 }).ask("Go");
  expect(turns).toEqual([0]);
  expect(asked("named")).toEqual(["Is it {fast}?"]);
});

test("a member has a time of its own, and those that are done are collected", async () => {
  const clock = manualClock();
  const { member, defineParallel } = crew({ clock });
  const members = [
    { agent: member("hangs", { hangs: true }), timeoutMs: 100 },
    member("works", "fine"),
  ];
  const run = defineParallel({ name: "p", members, onFailure: "collect" }).stream("Go");
  for await (const { kind } of run) {
    if (kind === "agent-end") {
      clock.advance(100);
    }
  }
  expect(await run.result).toMatchObject({
    status: "completed",
    output: {
      hangs: { status: "failed", error: { code: "deadline-exceeded" } },
      works: { status: "completed" },
    },
  });
});
