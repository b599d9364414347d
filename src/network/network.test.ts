import { expect, test } from "vitest";
import { collect } from "../../test/agent-fixture.ts";
import { crew } from "../../test/crew.ts";
import { scriptedModel } from "../testing/scripted-model.ts";

test("R19: a network asks its named tasks in their order", async () => {
  const { member, asked, defineNetwork } = crew();
  const tasks = [
    { name: "find", agent: member("finder", "found"), outputKey: "facts" },
    { name: "tell", agent: member("teller", "told"), input: "Tell of {facts}" },
  ];
  const result = await defineNetwork({ name: "desk", tasks }).ask("Go");
  expect(result).toMatchObject({ status: "completed", text: "told" });
  expect(result.participants.map(({ name }) => name)).toEqual(["find", "tell"]);
  expect(asked("teller")).toEqual(["Tell of found"]);
  const twice = [...tasks, { name: "tell", agent: member("other", "told again") }];
  expect(() => defineNetwork({ name: "desk", tasks: twice })).toThrow(
    'Two members of the network "desk" are called "tell"',
  );
});

test("a function of the state routes, and ends the run", async () => {
  const { member, defineNetwork } = crew();
  const network = defineNetwork({
    name: "desk",
    tasks: [member("a", "to b"), member("b", "to a")],
    routing: ({ last, turns }) => (turns >= 3 ? null : last?.name === "a" ? "b" : "a"),
  });
  const result = await network.ask("Go");
  expect(result.participants.map(({ name }) => name)).toEqual(["a", "b", "a"]);
  expect(result.text).toBe("to b");
});

test("a model routes by the tasks' names and descriptions, and says when it is done", async () => {
  const { member, defineNetwork } = crew();
  const router = scriptedModel(['{"next":"money"}', '{"next":"done"}']);
  const network = defineNetwork({
    name: "desk",
    tasks: [member("tech", "fixed"), member("money", "paid", { description: "Refunds." })],
    routing: { model: router, instructions: "Be quick." },
  });
  const result = await network.ask("I want my money");
  expect(result).toMatchObject({ status: "completed", text: "paid" });
  const told = JSON.stringify(router.requests[0]?.messages);
  expect(told).toContain("money: Refunds.");
  expect(told).toContain("Be quick.");
  expect(JSON.stringify(router.requests[1]?.messages)).toContain("money answered:\\npaid");
});

test("a route to no task fails and says which there are; one without an end is bounded", async () => {
  const { member, defineNetwork } = crew();
  const tasks = [member("billing", "x")];
  const lost = defineNetwork({ name: "n", tasks, routing: () => "biling" });
  expect(await lost.ask("Go")).toMatchObject({
    status: "failed",
    error: { message: expect.stringContaining('Did you mean "billing"?') },
  });
  const endless = defineNetwork({ name: "n", tasks, routing: () => "billing", maxTurns: 3 });
  const run = endless.stream("Go");
  const events = await collect(run);
  expect(events).toContainEqual(expect.objectContaining({ code: "limit-reached" }));
  expect(await run.result).toMatchObject({ status: "completed", steps: 3 });
});
