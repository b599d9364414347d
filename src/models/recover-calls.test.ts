import { expect, test } from "vitest";
import { collect, outcomeOf } from "../../test/model-events.ts";
import type { ModelRequest } from "../model/model.ts";
import { type ScriptedAnswer, scriptedModel } from "../testing/scripted-model.ts";
import { recoverCalls } from "./recover-calls.ts";

const request: ModelRequest = {
  messages: [],
  tools: [{ name: "now", description: "Tells the time.", inputSchema: { type: "object" } }],
};
const { signal } = new AbortController();

const ask = async (answer: string | ScriptedAnswer, asked: Partial<ModelRequest> = {}) => {
  const model = recoverCalls(scriptedModel([answer]));
  return outcomeOf(await collect(model.stream({ ...request, ...asked }, { signal })));
};

const call = '{"name":"now","parameters":{"zone": "Europe/Paris"}}';
const args = '{"zone":"Europe/Paris"}';

test.each([
  ["bare", call, 1],
  ["with arguments", '{ "name": "now", "arguments": {"zone":"Europe/Paris"}, "id": "1" }', 1],
  ["fenced", `\`\`\`json\n${call}\n\`\`\``, 1],
  ["with arguments as text", `{"name":"now","arguments":${JSON.stringify(args)}}`, 1],
  ["in OpenAI's form", `{"id":"1","type":"function","function":${call}}`, 1],
  ["in a list", `[${call}, ${call}]`, 2],
  ["after Mistral's mark", `[TOOL_CALLS] [${call}]`, 1],
  ["after Meta's mark", `<|python_tag|>${call}`, 1],
  ["in a tag that stays open", `<tool_call>\n${call}`, 1],
  ["in tags", ` <tool_call>\n${call}\n</tool_call>\n<tool_call>${call}</tool_call>`, 2],
])("a call that is all of the text, %s, is a call", async (_name, text, count) => {
  const outcome = await ask({ reasoning: "hm", text });
  expect(outcome).toMatchObject({
    text: "",
    reasoning: "hm",
    calls: Array.from({ length: count }, () => ["now", args]),
    finish: { reason: "tool-calls" },
  });
});

test.each([
  ["prose that quotes one", `Call it like this: ${call}`],
  ["one with prose after it", `${call}\nThat is how.`],
  ["a fence with prose after it", `\`\`\`json\n${call}\n\`\`\`\nThat is how.`],
  ["tags with prose between them", `<tool_call>${call}</tool_call> and`],
  ["one of a tool that is not offered", '{"name":"later","parameters":{}}'],
  ["JSON that is an answer", '{"name":"now","city":"Paris"}'],
  ["arguments that are no object", '{"name":"now","parameters":"x"}'],
  ["a list of other things", "[1, 2]"],
  ["an empty list", "[]"],
  ["a list with a call and more", `[${call}, {"note":"x"}]`],
  ["arguments as broken text", '{"name":"now","arguments":"{"}'],
  ["broken JSON", '{"name":"now"'],
  ["nothing", " "],
])("a text that is %s stays text", async (_name, text) => {
  expect(await ask(text)).toMatchObject({ text, calls: [], finish: { reason: "stop" } });
});

test("without tools nothing is held back, and native calls stay as they are", async () => {
  expect(await ask(call, { tools: [] })).toMatchObject({ text: call, calls: [] });
  expect(await ask(call, { toolChoice: "none" })).toMatchObject({ text: call, calls: [] });
  const native = { text: "{", calls: [{ name: "now", arguments: {} }] };
  expect(await ask(native)).toMatchObject({ text: "{", calls: [["now", "{}"]] });
});

test("text that cannot be a call is passed on as it comes", async () => {
  const model = recoverCalls(scriptedModel([{ text: "Hello there", hangs: true }]));
  const controller = new AbortController();
  const stream = model.stream(request, controller)[Symbol.asyncIterator]();
  expect((await stream.next()).value).toMatchObject({ kind: "text-start" });
  expect((await stream.next()).value).toMatchObject({ text: "Hello" });
  controller.abort();
});
