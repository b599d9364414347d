import { expect, test } from "vitest";
import { add, agentOf, modelOf } from "../../test/agent-fixture.ts";
import type { TextAdapter } from "../model/text-adapter.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { planSchema } from "./plan.ts";
import { createPlanner } from "./planner.ts";

test("L-M7: a planner's own model takes precedence over the agent's", async () => {
  const agent = agentOf({ model: modelOf("wrong one"), tools: [add] });
  const model = modelOf('{"thought":"t","steps":[{"tool":"add","arguments":{"a":1,"b":2}}]}');
  expect(await createPlanner({ agent, model }).plan("1+2?")).toEqual({
    thought: "t",
    steps: [{ tool: "add", arguments: { a: 1, b: 2 } }],
  });
  expect(JSON.stringify(model.requests[0]?.messages)).toMatch(/1\+2\?/);
});

test("L-M3, L-M10: a plan is always generated, by its schema where the adapter supports that", async () => {
  const schemas: unknown[] = [];
  const model: TextAdapter = {
    available: () => true,
    modelName: "tiny",
    supportsStructuredOutput: true,
    supportsFunctionCalling: true,
    generateWithTools: () => ({ kind: "final", text: "not a plan" }),
    generate: (_prompt, { schema }) => {
      schemas.push(schema);
      return '{"thought":"t","steps":[],"answer":"3"}';
    },
  };
  const agent = agentOf({ model, tools: [add] });
  expect(await createPlanner({ agent }).plan("1+2?")).toMatchObject({ answer: "3" });
  expect(schemas).toEqual([planSchema]);
});

test("a plan that cannot be read throws", async () => {
  const agent = agentOf({ model: modelOf("hm"), tools: [add] });
  await expect(createPlanner({ agent }).plan("?")).rejects.toMatchObject({ code: "invalid-plan" });
});

test("L-M9: the next action is a tool or the answer, from native calls or from JSON", async () => {
  const history = [{ role: "user", content: [{ kind: "text", text: "1+2?" }] }] as const;
  const call = { kind: "tool", name: "add", arguments: { a: 1, b: 2 }, thought: "sum" };
  const native = modelOf(
    { reasoning: "sum", calls: [{ name: "add", arguments: { a: 1, b: 2 } }] },
    "3",
  );
  const agent = agentOf({ model: native, tools: [add] });
  expect(await createPlanner({ agent }).nextAction(history)).toEqual(call);
  expect(await createPlanner({ agent }).nextAction(history)).toEqual({
    kind: "final",
    text: "3",
    thought: "",
  });
  const written = {
    ...scriptedModel(['{"thought":"sum","tool":"add","arguments":{"a":1,"b":2}}']),
    capabilities: { tools: false, images: false, jsonSchema: false },
  };
  expect(await createPlanner({ agent, model: written }).nextAction(history)).toEqual(call);
});

test("explain shows exactly what the model would get, and asks nobody", async () => {
  const model = modelOf("never said");
  const agent = agentOf({ model, tools: [add], instructions: "Be brief." });
  const explained = await agent.explain("1+2?");
  expect(model.requests).toHaveLength(0);
  expect((await agent.ask("1+2?")).status).toBe("completed");
  expect(explained.request).toEqual(model.requests[0]);
  expect(explained).toMatchObject({ model: "scripted", mode: "auto", promptsVersion: 1 });
});

test("explain says why there is no request, where something fails before it", async () => {
  const hooks = {
    beforeModel: () => {
      throw new Error("no budget");
    },
  };
  const explained = await agentOf({ model: modelOf("ok"), hooks }).explain("Hi");
  expect(explained.request).toBeUndefined();
  expect(explained.error).toMatchObject({
    code: "hook-failed",
    message: expect.stringContaining("no budget"),
  });
});

test("explain shows the prompt of a model that only writes", async () => {
  const model = {
    ...modelOf("x"),
    capabilities: { tools: false, images: false, jsonSchema: false },
  };
  const { request } = await agentOf({ model, tools: [add] }).explain("1+2?");
  expect(JSON.stringify(request?.messages[0])).toMatch(/Adds two numbers/);
});

test("prompts may be replaced, and a placeholder without a value is a mistake", async () => {
  const model = {
    ...modelOf("x"),
    capabilities: { tools: false, images: false, jsonSchema: false },
  };
  const own = agentOf({ model, tools: [add], prompts: { react: "Tools: {{tools}}." } });
  const [system] = (await own.explain("?")).request?.messages ?? [];
  expect(system).toMatchObject({ text: expect.stringMatching(/^Tools: .*"add".*\.$/) });
  const wrong = agentOf({ model, tools: [add], prompts: { react: "{{tool}}" } });
  expect(await wrong.ask("?")).toMatchObject({
    status: "failed",
    error: { code: "invalid-definition" },
  });
});
