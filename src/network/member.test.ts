import { expect, test } from "vitest";
import { working } from "../../test/assembly-kinds.ts";
import { crew } from "../../test/crew.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { Toolset } from "../tool/toolset.ts";

test.each([
  [{ name: "" }, /name of member 1/],
  [{ name: 5 }, /name of member 1/],
  [{ name: "x".repeat(201) }, /name of member 1/],
  [{ outputKey: "two words" }, /outputKey of member 1/],
  [{ outputKey: "input" }, /would be \{input\}/],
  [{ name: "input" }, /would be \{input\}/],
  [{ input: 5 }, /input of member 1/],
  [{ timeoutMs: 0 }, /timeoutMs of member 1/],
  [{ limits: { maxSteps: 0 } }, /maxSteps/],
  [{ limit: {} }, /unknown property "limit"/],
])("a member that cannot be meant is refused: %j", (changes, message) => {
  const { member, defineSequence } = crew();
  const members = [{ agent: member("a", "x"), ...changes } as never];
  expect(() => defineSequence({ name: "s", members })).toThrow(message);
});

test("an input that gives no question fails the run and says whose it is", async () => {
  const { member, defineSequence } = crew();
  const members = [{ agent: member("a", "x"), input: () => undefined as never }];
  expect(await defineSequence({ name: "s", members }).ask("Go")).toMatchObject({
    status: "failed",
    error: {
      code: "hook-failed",
      message: 'The input of a of "s" failed: it gave neither a text nor a list of parts.',
    },
  });
});

test("an input that hangs ends with the run", async () => {
  const { member, defineSequence } = crew();
  const members = [{ agent: member("a", "x"), input: () => new Promise<string>(() => {}) }];
  const run = defineSequence({ name: "s", members }).stream("Go");
  for await (const { kind } of run) {
    if (kind === "run-start") {
      run.cancel("enough");
    }
  }
  expect(await run.result).toMatchObject({ status: "cancelled" });
});

test("limits of an entry hold for the member with all whom it asks", async () => {
  const { member, model, defineSequence } = crew();
  const ping = defineTool({ name: "ping", description: "Pings.", execute: () => Math.random() });
  const busy = member("busy", { calls: [{ name: "ping" }] }, { tools: [ping] });
  const lead = member("lead", working("delegate_to_busy", "led"), { tools: [busy] });
  const entry = { agent: lead, limits: { maxToolCalls: 4 } };
  const result = await defineSequence({ name: "s", members: [entry, busy] }).ask("Go");
  // One call asked for busy, three were its own, then it was asked for its answer; so was lead.
  expect(result.participants[0]?.result).toMatchObject({ status: "completed" });
  expect(model("lead").requests).toHaveLength(2);
  expect(result.participants[0]?.result.participants[0]?.result).toMatchObject({
    finishReason: "max-tool-calls",
    steps: 4,
  });
  // The next member has limits of its own.
  expect(result.participants[1]?.result).toMatchObject({ finishReason: "max-steps" });
});

test("how often and how deep a member may delegate is its own, within the run's", async () => {
  const { member, model, defineSequence } = crew();
  const helper = member("helper", "helped");
  const asks = { calls: [{ name: "delegate_to_helper", arguments: { request: "Go" } }] };
  const lead = member("lead", [asks, asks, asks, "done"], {
    tools: [helper],
    limits: { maxDelegations: 2 },
  });
  const flat = member("flat", [asks, "done"], { tools: [helper], limits: { maxDepth: 1 } });
  await defineSequence({ name: "s", members: [lead, flat] }).ask("Go");
  expect(model("helper").requests).toHaveLength(2);
  const whole = crew();
  const inner = whole.member("helper", "helped");
  const boss = whole.member("boss", [asks, asks, "done"], { tools: [inner] });
  await whole
    .defineSequence({ name: "s", members: [boss] })
    .ask("Go", { limits: { maxDelegations: 1 } });
  expect(whole.model("helper").requests).toHaveLength(1);
});

test("an agent that was started uses its connections as a member, too", async () => {
  const { member, defineSequence } = crew();
  let opened = 0;
  const server: Toolset = {
    name: "server",
    async open() {
      opened += 1;
      return {
        tools: [defineTool({ name: "look", description: "l", execute: () => "seen" })],
        close: async () => {},
      };
    },
  };
  await using live = await member("reader", working("look", "read"), { mcp: [server] }).start();
  const desk = defineSequence({ name: "desk", members: [live, { agent: live, name: "again" }] });
  expect(await desk.ask("Go")).toMatchObject({ status: "completed", text: "read" });
  expect(opened).toBe(1);
});

test("discovery is an option of a run for all its members", async () => {
  const { member, model, defineSequence } = crew();
  const toolset: Toolset = {
    name: "many",
    open: async () => ({
      tools: Array.from({ length: 20 }, (_, index) =>
        defineTool({ name: `t${index}`, description: `Does ${index}.`, execute: () => index }),
      ),
      close: async () => {},
    }),
  };
  const desk = defineSequence({ name: "d", members: [member("a", "x", { mcp: [toolset] })] });
  await desk.ask("Go");
  await desk.ask("Go", { discovery: { tools: { limit: 3 } } });
  const [all, few] = model("a").requests.map(({ tools }) => tools.length);
  expect(all).toBe(20);
  expect(few).toBeLessThan(6);
});
