import { expect, test } from "vitest";
import { collect } from "../../test/agent-fixture.ts";
import { crew } from "../../test/crew.ts";

test("a loop ends where its predicate says so, and asks what was answered last", async () => {
  const { member, asked, defineLoop } = crew();
  const members = [member("write", ["v1", "v2"]), member("judge", ["bad", "good"])];
  const loop = defineLoop({
    name: "polish",
    members,
    maxRounds: 5,
    until: ({ last }) => last?.name === "judge" && last.result.text === "good",
  });
  expect(await loop.ask("Go")).toMatchObject({ status: "completed", text: "good", steps: 4 });
  expect([asked("write"), asked("judge")]).toEqual([
    ["Go", "bad"],
    ["v1", "v2"],
  ]);
});

test("a loop ends at an agent's word, which is not part of the answer", async () => {
  const { member, defineLoop } = crew();
  const members = [member("write", ["more", "the end\nDONE"])];
  const loop = defineLoop({ name: "l", members, maxRounds: 9, until: "DONE" });
  expect(await loop.ask("Go")).toMatchObject({ text: "the end", steps: 2 });
});

test("a loop that finds no end stops after its rounds and says so", async () => {
  const { member, defineLoop } = crew();
  const loop = defineLoop({ name: "l", members: [member("m", "x")], maxRounds: 3, until: "NEVER" });
  const run = loop.stream("Go");
  const events = await collect(run);
  expect(events).toContainEqual(expect.objectContaining({ kind: "notice", code: "limit-reached" }));
  expect(await run.result).toMatchObject({ status: "completed", text: "x", steps: 3 });
});

test.each([0, 1.5, undefined])("a loop without a bound is refused: maxRounds %s", (maxRounds) => {
  const { member, defineLoop } = crew();
  const definition = { name: "l", members: [member("m", "x")], maxRounds } as never;
  expect(() => defineLoop(definition)).toThrow(/maxRounds of the loop "l"/);
});

test("a predicate that throws fails the run and says so", async () => {
  const { member, defineLoop } = crew();
  const until = (): never => {
    throw new Error("oops");
  };
  const loop = defineLoop({ name: "l", members: [member("m", "x")], maxRounds: 3, until });
  expect(await loop.ask("Go")).toMatchObject({
    status: "failed",
    error: { code: "hook-failed", message: 'The until of "l" failed: oops' },
  });
});
