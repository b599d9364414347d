import { expect, test } from "vitest";
import { add, agentOf, collect, modelOf } from "../../test/agent-fixture.ts";
import { type ScriptedModel, scriptedModel } from "../testing/scripted-model.ts";

/** A model that only writes. */
function writer(...texts: [string, ...string[]]): ScriptedModel {
  return {
    ...scriptedModel(texts),
    capabilities: { tools: false, images: false, jsonSchema: false },
  };
}

const call = '{"thought":"I must add.","tool":"add","arguments":{"a":1,"b":2}}';
const answer = '{"thought":"Done.","answer":"It is 3."}';

test("L-M10, L-M11: a model without tool calling picks its next action as JSON, one step at a time", async () => {
  const model = writer(call, answer);
  const run = agentOf({ model, tools: [add] }).stream("1+2?");
  const events = await collect(run);
  expect(await run.result).toMatchObject({ status: "completed", text: "It is 3." });
  const kinds = events.map(({ kind }) => kind);
  expect(kinds).toContain("tool-start");
  const [, second] = model.requests;
  expect(JSON.stringify(second?.messages.at(-1))).toMatch(/Result of add:.*"3"/);
  const spoken = (wanted: string) =>
    events
      .flatMap((event) => (event.kind === wanted && "text" in event ? [event.text] : []))
      .join("|");
  expect(spoken("reasoning-delta")).toBe("I must add.|Done.");
  expect(spoken("text-delta")).toBe("It is 3.");
});

test("L-M10: the model is told of its tools in words and reads results as observations", async () => {
  const model = writer(call, answer);
  await agentOf({ model, tools: [add], instructions: "Be brief." }).ask("1+2?");
  const [first, second] = model.requests;
  expect(first?.tools).toEqual([]);
  expect(JSON.stringify(first?.messages[0])).toMatch(/Be brief\..*Adds two numbers/);
  expect(second?.messages.slice(-2)).toMatchObject([
    { role: "assistant", content: [{ text: expect.stringMatching(/"tool":"add"/) }] },
    { role: "user", content: [{ text: "Result of add:" }, { text: "3" }] },
  ]);
});

test("mode react does the same with a model that could call tools", async () => {
  const model = scriptedModel([call, answer]);
  expect(await agentOf({ model, tools: [add], mode: "react" }).ask("?")).toMatchObject({
    text: "It is 3.",
  });
  expect(model.requests[0]?.tools).toEqual([]);
});

test("L-M10: a model that calls tools natively is asked to", async () => {
  const model = modelOf({ calls: [{ name: "add", arguments: { a: 1, b: 2 } }] }, "3");
  await agentOf({ model, tools: [add] }).ask("?");
  expect(model.requests[0]?.tools).toHaveLength(1);
});

/** Ways in which models write an action, all meant alike. */
const spellings: Readonly<Record<string, string>> = {
  "a fenced block": `\`\`\`json\n${call}\n\`\`\``,
  "prose around it": `Let me see.\n${call}\nThat should do.`,
  "a trailing comma": '{"tool":"add","arguments":{"a":1,"b":2,},}',
  "a missing bracket": '{"tool":"add","arguments":{"a":1,"b":2}',
  "single quotes": "{'tool': 'add', 'arguments': {'a': 1, 'b': 2}}",
  "action and action_input": '{"action":"add","action_input":{"a":1,"b":2}}',
  "a nested action": '{"thought":"x","action":{"name":"add","arguments":{"a":1,"b":2}}}',
  "arguments as text": '{"tool":"add","arguments":"{\\"a\\":1,\\"b\\":2}"}',
};

test.each(Object.entries(spellings))("%s is understood", async (_, text) => {
  const result = await agentOf({ model: writer(text, answer), tools: [add] }).ask("?");
  expect(JSON.stringify(result.messages)).toMatch(/"text":"3"/);
  expect(result.text).toBe("It is 3.");
});

test.each([
  '{"answer":"It is 3."}',
  '{"final_answer":"It is 3."}',
  '{"action":"final_answer","action_input":"It is 3."}',
  '```\n{"answer":"It is 3."}\n```',
])("%s is an answer", async (text) => {
  expect((await agentOf({ model: writer(text), tools: [add] }).ask("?")).text).toBe("It is 3.");
});

test("what cannot be read is asked again with the reason, a few times, within one step", async () => {
  const model = writer("I think it is 3", '{"foo":1}', answer);
  const result = await agentOf({ model, tools: [add] }).ask("?");
  expect(result).toMatchObject({ status: "completed", text: "It is 3.", steps: 1 });
  expect(result.usage.inputTokens).toBe(3);
  const asked = model.requests.map(({ messages }) => JSON.stringify(messages.at(-1)));
  expect(asked[1]).toMatch(/it is not a JSON object/);
  expect(asked[2]).toMatch(/neither .*tool.* nor .*answer.*, only: foo/);
});

test("a model that never writes an action fails the run, and says what was wrong", async () => {
  const result = await agentOf({ model: writer("hm"), tools: [add] }).ask("?");
  expect(result).toMatchObject({ status: "failed", error: { code: "model-invalid-response" } });
});

test("an unknown tool and wrong arguments are observations to react to", async () => {
  const model = writer(
    '{"tool":"ad","arguments":{}}',
    '{"tool":"add","arguments":{"a":"x"}}',
    answer,
  );
  expect((await agentOf({ model, tools: [add] }).ask("?")).text).toBe("It is 3.");
  const read = model.requests.map(({ messages }) => JSON.stringify(messages.at(-1)));
  expect(read[1]).toMatch(/Error of ad:.*no tool/);
  expect(read[2]).toMatch(/Error of add:.*not valid/);
});

test("without tools the model is left alone", async () => {
  const model = writer("Just hello.");
  expect((await agentOf({ model }).ask("Hi")).text).toBe("Just hello.");
  expect(model.requests[0]?.messages).toHaveLength(1);
});
