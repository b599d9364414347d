import { expect, test } from "vitest";
import { crew } from "../../test/crew.ts";
import { MemoryRunStore } from "../agent/memory-run-store.ts";
import { defineTool } from "../tool/define-tool.ts";

test("a workflow is plain code, and its output is typed", async () => {
  const { member, defineWorkflow } = crew();
  const [left, right] = [member("left", "1"), member("right", "2")];
  const sum = defineWorkflow(async (context, input) => {
    const answers = await Promise.all([context.ask(left, input), context.ask(right, input)]);
    return { total: answers.reduce((total, { text }) => total + Number(text), 0) };
  });
  const result = await sum.ask("Go");
  expect(result.status === "completed" && result.output.total).toBe(3);
  expect(result.text).toBe('{"total":3}');
});

test("what a workflow has done is not done again when it is resumed", async () => {
  const { member, model, defineWorkflow } = crew();
  const log: string[] = [];
  const pay = defineTool({ name: "pay", description: "Pays.", execute: () => log.push("pay") });
  const look = member("look", "seen");
  const payer = member("payer", [{ calls: [{ id: "p", name: "pay" }] }, "paid"], {
    tools: [pay],
    approval: { default: "ask" },
  });
  const flow = defineWorkflow(
    async (context) => {
      const id = await context.randomId();
      await context.step("note", () => log.push(`note ${id}`));
      await context.memory.set("seen", (await context.ask(look, "Look")).text);
      const { text } = await context.ask(payer, "Pay");
      return `${text} ${String(context.memory.get("seen"))} ${id}`;
    },
    { name: "flow" },
  );
  const store = new MemoryRunStore();
  const first = await flow.ask("Go", { store });
  expect(first.status).toBe("suspended");
  const id = first.status === "suspended" ? (first.waitingFor[0]?.id ?? "") : "";
  const second = await flow.resume(first.runId, {
    store,
    decisions: { [id]: { kind: "approve" } },
  });
  expect(second).toMatchObject({
    status: "completed",
    text: expect.stringMatching(/^paid seen id/),
  });
  expect(log).toEqual([expect.stringMatching(/^note id/), "pay"]);
  expect(model("look").requests).toHaveLength(1);
});

test("a branch that waits suspends the workflow, even where the code has swallowed it", async () => {
  const { member, defineWorkflow } = crew();
  const pay = defineTool({ name: "pay", description: "Pays.", execute: () => "ok" });
  const payer = member("payer", [{ calls: [{ name: "pay" }] }, "paid"], {
    tools: [pay],
    approval: { default: "ask" },
  });
  const flow = defineWorkflow(async (context) => {
    try {
      return (await context.ask(payer, "Pay")).text;
    } catch {
      return "swallowed";
    }
  });
  expect(await flow.ask("Go")).toMatchObject({ status: "suspended" });
});

test("a workflow that throws fails, and nobody that it asked is left behind", async () => {
  const { member, defineWorkflow } = crew();
  const slow = member("slow", "late");
  const flow = defineWorkflow(async (context) => {
    void context.ask(slow, "Go");
    throw new Error("broken code");
  });
  const result = await flow.ask("Go");
  expect(result).toMatchObject({ status: "failed", error: { message: "broken code" } });
  expect(result.participants).toMatchObject([{ name: "slow", result: { status: "completed" } }]);
});

test("tools share the memory of the run, and may wait for a key", async () => {
  const { member, defineWorkflow } = crew();
  const put = defineTool({
    name: "put",
    description: "Puts.",
    async execute(_input, { binding }) {
      await binding.run.memory?.set("secret", "sesame");
      return "put";
    },
  });
  const take = defineTool({
    name: "take",
    description: "Takes.",
    execute: (_input, { binding, signal }) => binding.run.memory?.waitFor("secret", signal),
  });
  const taker = member(
    "taker",
    [{ calls: [{ name: "take" }] }, ({ messages }) => JSON.stringify(messages.at(-1))],
    { tools: [take] },
  );
  const putter = member("putter", [{ calls: [{ name: "put" }] }, "ok"], { tools: [put] });
  const flow = defineWorkflow(async (context) => {
    const [taken] = await Promise.all([context.ask(taker, "Take"), context.ask(putter, "Put")]);
    return taken.text;
  });
  expect((await flow.ask("Go")).text).toContain("sesame");
});

test("a function that never ends, and one that hangs in a step, end with the run", async () => {
  for (const hang of ["code", "step"]) {
    const { defineWorkflow } = crew();
    const flow = defineWorkflow(async ({ step }) => {
      await (hang === "step"
        ? step("hang", () => new Promise<null>(() => {}))
        : new Promise(() => {}));
    });
    const run = flow.stream("Go");
    for await (const { kind } of run) {
      if (kind === "run-start") {
        run.cancel("enough");
      }
    }
    expect(await run.result).toMatchObject({ status: "cancelled", reason: "enough" });
  }
});

test("a member that fails and that nobody waits for ends no process", async () => {
  const { member, defineWorkflow } = crew();
  const broken = member("broken", { error: new Error("no") }, { retry: { maxAttempts: 1 } });
  const slow = member("slow", "late");
  const flow = defineWorkflow(async ({ ask }) => {
    void ask(broken, "Go");
    return (await ask(slow, "Go")).text;
  });
  expect(await flow.ask("Go")).toMatchObject({ status: "completed", text: "late" });
});

test("a step gives the same data whether it was just done or is looked up, also nothing", async () => {
  const { member, defineWorkflow } = crew();
  const pay = defineTool({ name: "pay", description: "Pays.", execute: () => "ok" });
  const payer = member("payer", [{ calls: [{ id: "p", name: "pay" }] }, "paid"], {
    tools: [pay],
    approval: { default: "ask" },
  });
  const seen: unknown[] = [];
  const flow = defineWorkflow(
    async ({ ask, step }) => {
      seen.push(await step("when", () => new Date(0) as never));
      seen.push(await step("nothing", async () => {}));
      await ask(payer, "Pay");
    },
    { name: "flow" },
  );
  const store = new MemoryRunStore();
  const { runId } = await flow.ask("Go", { store });
  const waiting = (await store.get({ app: "default", id: runId }))?.waitingFor[0]?.id ?? "";
  await flow.resume(runId, { store, decisions: { [waiting]: { kind: "approve" } } });
  const first = ["1970-01-01T00:00:00.000Z", undefined];
  expect(seen).toEqual([...first, ...first]);
});

test("what is no question is refused before it is asked", async () => {
  const { member, defineWorkflow } = crew();
  const agent = member("a", "x");
  const flow = defineWorkflow(async ({ ask }) => ask(agent, undefined as never));
  expect(await flow.ask("Go")).toMatchObject({
    status: "failed",
    error: { message: expect.stringContaining("neither a text nor a list of parts") },
  });
});
