import { expect, test } from "vitest";
import * as z from "zod";
import { crew } from "../../test/crew.ts";

const over = (name: string, message: string) => ({
  text: "Let me pass you on.",
  calls: [{ name: `hand_over_to_${name}`, arguments: { message } }],
});

test("a member hands over, and the colleague goes on with the conversation", async () => {
  const { member, asked, model, defineSwarm } = crew();
  const members = [
    member("front", [over("billing", "She was charged twice")]),
    member("billing", "Refunded.", { description: "Knows money." }),
  ];
  const result = await defineSwarm({ name: "desk", members }).ask("I was charged twice");
  expect(result).toMatchObject({ status: "completed", text: "Refunded.", steps: 2 });
  expect(asked("billing")).toEqual(["She was charged twice"]);
  expect(JSON.stringify(model("billing").requests[0]?.messages)).toContain("I was charged twice");
  expect(model("front").requests[0]?.tools).toMatchObject([
    { name: "hand_over_to_billing", description: expect.stringContaining("Knows money.") },
  ]);
});

test("only permitted handovers are offered", async () => {
  const { member, model, defineSwarm } = crew();
  const members = [member("a", over("b", "x")), member("b", "end"), member("c", "never")];
  const handoffs = { a: ["b"] };
  await defineSwarm({ name: "s", members, handoffs }).ask("Go");
  expect(model("a").requests[0]?.tools.map(({ name }) => name)).toEqual(["hand_over_to_b"]);
  expect(model("b").requests[0]?.tools).toEqual([]);
});

test("a task that is handed to and fro ends the run, by repetition or by number", async () => {
  const { member, defineSwarm } = crew();
  const same = [member("a", over("b", "you")), member("b", over("a", "no, you"))];
  expect(await defineSwarm({ name: "s", members: same }).ask("Go")).toMatchObject({
    status: "failed",
    error: { code: "handoff-limit", message: expect.stringContaining("again and again") },
  });
  let count = 0;
  const other = [
    member("c", () => over("d", `try ${++count}`)),
    member("d", () => over("c", `try ${++count}`)),
  ];
  expect(await defineSwarm({ name: "s", members: other, maxHandoffs: 4 }).ask("Go")).toMatchObject({
    error: { code: "handoff-limit", message: expect.stringContaining("4 times") },
  });
});

test("an agent with a typed answer, and one that plans, hand over without one", async () => {
  const { member, model, defineSwarm } = crew();
  const output = z.object({ n: z.number() });
  const plan = { steps: [{ tool: "hand_over_to_last", arguments: { message: "to last" } }] };
  const members = [
    member("typed", over("planner", "to planner"), { output }),
    member("planner", JSON.stringify(plan), { mode: "plan" }),
    member("last", '{"n":1}', { output }),
  ];
  const result = await defineSwarm({ name: "s", members }).ask("Go");
  expect(result).toMatchObject({ status: "completed", output: { n: 1 }, steps: 3 });
  expect(["typed", "planner"].map((name) => model(name).requests.length)).toEqual([1, 1]);
});

test("members may be called as what every object has", async () => {
  const { member, defineSwarm } = crew();
  const members = [member("constructor", over("toString", "x")), member("toString", "end")];
  const handoffs = { constructor: ["toString"] };
  expect(await defineSwarm({ name: "s", members, handoffs }).ask("Go")).toMatchObject({
    status: "completed",
    steps: 2,
  });
});

test("members that would be handed over to by one tool are refused", () => {
  const { member, defineSwarm } = crew();
  const members = [member("tier 1", "x"), member("tier_1", "y"), member("boss", "z")];
  expect(() => defineSwarm({ name: "s", members })).toThrow(/"hand_over_to_tier_1"/);
});

test.each([
  [{ start: "x" }, /no member "x"/],
  [{ handoffs: { a: ["bb"] } }, /no member "bb"/],
  [{ maxHandoffs: 0 }, /maxHandoffs/],
])("a swarm that cannot be meant is refused: %j", (changes, message) => {
  const { member, defineSwarm } = crew();
  const members = [member("a", "x"), member("b", "y")];
  expect(() => defineSwarm({ name: "s", members, ...changes } as never)).toThrow(message);
});
