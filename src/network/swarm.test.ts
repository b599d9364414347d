import { expect, test } from "vitest";
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

test.each([
  [{ start: "x" }, /no member "x"/],
  [{ handoffs: { a: ["bb"] } }, /no member "bb"/],
  [{ maxHandoffs: 0 }, /maxHandoffs/],
])("a swarm that cannot be meant is refused: %j", (changes, message) => {
  const { member, defineSwarm } = crew();
  const members = [member("a", "x"), member("b", "y")];
  expect(() => defineSwarm({ name: "s", members, ...changes } as never)).toThrow(message);
});
