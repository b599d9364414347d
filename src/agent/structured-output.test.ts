import { expect, test } from "vitest";
import * as z from "zod";
import { add, agentOf, modelOf } from "../../test/agent-fixture.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { createDragoman } from "../configure.ts";

const output = z.object({ days: z.number(), plan: z.enum(["free", "pro"]).default("free") });

test("P11: the answer is read, checked and typed; the model is told of the schema", async () => {
  const model = modelOf('Here: ```json\n{"days": 3}\n```');
  const agent = createDragoman({ env: {} }).defineAgent({ name: "a", model, output });
  const result = (await agent.ask("How long?")).orThrow();
  expect(result.output).toEqual({ days: 3, plan: "free" });
  expect(model.requests[0]?.messages[0]).toMatchObject({ role: "system" });
  expect(JSON.stringify(model.requests[0]?.messages[0])).toMatch(/fits this JSON Schema.*days/);
});

test("without tools the provider is asked to constrain the answer; with tools, not at first", async () => {
  const bare = modelOf('{"days":1}');
  await agentOf({ model: bare, output } as never).ask("?");
  expect(bare.requests[0]?.output?.schema).toMatchObject({ required: ["days"] });
  const equipped = modelOf("three days", '{"days":3}');
  const agent = createDragoman({ env: {} }).defineAgent({
    name: "a",
    model: equipped,
    output,
    tools: [add],
  });
  expect((await agent.ask("?")).orThrow().output).toEqual({ days: 3, plan: "free" });
  expect(
    equipped.requests.map((request) => [request.output === undefined, request.toolChoice]),
  ).toEqual([
    [true, undefined],
    [false, "none"],
  ]);
});

test("P11: an answer that does not fit is sent back with what is wrong, twice at the most", async () => {
  const model = modelOf("soon", '{"days":"soon"}', '{"days":3,"plan":"gold"}', '{"days":3}');
  const agent = createDragoman({ env: {} }).defineAgent({ name: "a", model, output });
  const result = await agent.ask("?");
  expect(result).toMatchObject({ status: "failed", error: { code: "invalid-output" } });
  expect(model.requests).toHaveLength(3);
  const asked = model.requests.map(({ messages }) => JSON.stringify(messages.at(-1)));
  expect(asked[1]).toMatch(/there is no JSON in it/);
  expect(asked[2]).toMatch(/days: .*number/);
  expect(result.status === "failed" && result.error.message).toMatch(/plan: /);
});

test("a plain JSON Schema will do", async () => {
  const schema = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] };
  const agent = createDragoman({ env: {} }).defineAgent({
    name: "a",
    model: modelOf('{"ok":true}'),
    output: schema,
  });
  expect((await agent.ask("?")).orThrow().output).toEqual({ ok: true });
});

test("an agent without output has none", async () => {
  expect((await agentOf({ model: modelOf("hi") }).ask("?")).orThrow().output).toBeUndefined();
});

test("a schema that is not of an object is refused at once", () => {
  const define = () => createDragoman().defineAgent({ name: "a", output: z.string() });
  expect(define).toThrow(ConfigurationError);
  expect(define).toThrow(/output of agent "a" must be a schema of an object/);
});
