import { expect, test } from "vitest";
import { add, agentOf, collect, modelOf } from "../../test/agent-fixture.ts";
import { readWrittenCall } from "./written-call.ts";

const offered = new Set(["add"]);
const call = { name: "add", arguments: { a: 1, b: 2 } };
const json = JSON.stringify(call);

test.each([
  json,
  ` ${json}\n`,
  '{"name":"add","parameters":{"a":1,"b":2}}',
  '{"name":"add","arguments":"{\\"a\\":1,\\"b\\":2}"}',
  `{"type":"function","function":${json}}`,
  `\`\`\`json\n${json}\n\`\`\``,
  `\`\`\`\n${json}\`\`\``,
  `<tool_call>\n${json}\n</tool_call>`,
  `[TOOL_CALLS][${json}]`,
])("%j is a call", (text) => {
  expect(readWrittenCall(text, offered)).toEqual(call);
});

test.each([
  `You could write ${json}.`,
  `Here: \`\`\`json\n${json}\n\`\`\` That would add.`,
  '{"name":"remove","arguments":{}}',
  '{"name":"add"}',
  '{"name":"add","arguments":[1,2]}',
  "add(1, 2)",
  "",
])("%j is an answer", (text) => {
  expect(readWrittenCall(text, offered)).toBeUndefined();
});

test("an agent that recovers written calls executes them; another takes them as its answer", async () => {
  const ask = (recoverWrittenCalls: boolean) =>
    agentOf({ model: modelOf(json, "It is 3."), tools: [add], recoverWrittenCalls }).stream("1+2?");
  const run = ask(true);
  const events = await collect(run);
  const result = await run.result;
  expect(result).toMatchObject({ status: "completed", text: "It is 3." });
  expect(result.messages.slice(-3)).toMatchObject([
    { role: "assistant", content: [{ kind: "tool-call", name: "add" }] },
    { role: "tool", content: [{ isError: false, content: [{ text: "3" }] }] },
    { role: "assistant" },
  ]);
  expect(events.map(({ kind }) => kind)).toContain("tool-call-end");
  expect((await ask(false).result).text).toBe(json);
});
