import { expect, test } from "vitest";
import type { JsonObject } from "../../base/json.ts";
import type { ModelRequest, ToolDefinition } from "../../model/model.ts";
import { createToolRenderer } from "../provider/tool-renderer.ts";
import { type RequestScope, renderRequest, toStrictTool, toWireTool } from "./openai-request.ts";

const base: ModelRequest = {
  messages: [{ role: "user", content: [{ kind: "text", text: "Hi" }] }],
  tools: [],
};
const tool: ToolDefinition = {
  name: "now",
  description: "Tells the time.",
  inputSchema: { type: "object" },
};

function render(
  request: Partial<ModelRequest> = {},
  scope: Partial<RequestScope> = {},
): JsonObject {
  return JSON.parse(
    renderRequest(
      { ...base, ...request },
      {
        model: "m",
        stream: true,
        provider: "here",
        images: true,
        maxTokensField: "max_tokens",
        extraBody: {},
        renderTools: createToolRenderer((given) => toWireTool(given, (schema) => schema)),
        structuredOutput: "json_schema",
        toDialect: (schema) => schema,
        strict: false,
        ...scope,
      },
    ),
  );
}

const schema = { type: "object", properties: { ok: { type: "boolean" } } };
const words = {
  role: "system",
  content: `When you give your final answer, write one JSON value of this JSON Schema and nothing else, without a code fence:\n${JSON.stringify(schema)}`,
};

test.each<readonly [scope: Partial<RequestScope>, format: JsonObject | undefined, told: boolean]>([
  [{}, { type: "json_schema", json_schema: { name: "my_answer", schema } }, false],
  [{ toDialect: () => undefined }, { type: "json_object" }, true],
  [{ structuredOutput: "json_object" }, { type: "json_object" }, true],
  [{ structuredOutput: "none" }, undefined, true],
])("structured output with %j is asked for as %j", (scope, format, told) => {
  const body = render({ output: { schema, name: "my answer" } }, scope);
  expect(body["response_format"]).toEqual(format);
  expect(body["messages"]).toEqual(told ? [words, ...messages] : messages);
});

test("strict mode is asked for where it can say the schema", () => {
  const closed = { ...schema, required: ["ok"], additionalProperties: false };
  const formatOf = (given: JsonObject) =>
    render({ output: { schema: given } }, { strict: true })["response_format"];
  expect(formatOf({ ...schema, required: ["ok"] })).toEqual({
    type: "json_schema",
    json_schema: { name: "output", schema: closed, strict: true },
  });
  expect(formatOf(schema)).toEqual({
    type: "json_schema",
    json_schema: { name: "output", schema },
  });
});

test("a strict tool says what may be left out as null; one that cannot be said is not strict", () => {
  const named = { name: "n", description: "D" };
  const strict = toStrictTool({ ...named, inputSchema: schema }, (given) => given);
  expect(strict["function"]).toEqual({
    ...named,
    strict: true,
    parameters: {
      type: "object",
      properties: { ok: { anyOf: [{ type: "boolean" }, { type: "null" }] } },
      required: ["ok"],
      additionalProperties: false,
    },
  });
  const open = { type: "object", additionalProperties: { type: "string" } };
  const loose = toStrictTool({ ...named, inputSchema: open }, (given) => given);
  expect(loose["function"]).toEqual({ ...named, parameters: open });
});

test("the wish for JSON joins a system message that is there", () => {
  const { messages: given } = base;
  const asked = { messages: [{ role: "system" as const, text: "Be brief." }, ...given] };
  const body = render({ ...asked, output: { schema } }, { structuredOutput: "none" });
  const system = { role: "system", content: `Be brief.\n\n${words.content}` };
  expect(body["messages"]).toEqual([system, ...messages]);
});

test.each([
  [{ type: "array" }, false],
  [{ anyOf: [{ type: "object" }, { type: "string" }] }, false],
  [{ anyOf: [{ type: "object" }, { properties: {} }] }, true],
  [{ allOf: [{}, { type: "object" }] }, true],
  [{}, false],
])("a schema %j is asked for natively: %s", (other, isNative) => {
  const body = render({ output: { schema: other } });
  expect(body["response_format"] !== undefined).toBe(isNative);
});

const messages = [{ role: "user", content: "Hi" }];
const wireTool = {
  type: "function",
  function: { name: "now", description: "Tells the time.", parameters: { type: "object" } },
};

test("a request says no more than it has to", () => {
  expect(render()).toEqual({
    model: "m",
    messages,
    stream: true,
    stream_options: { include_usage: true },
  });
  expect(render({}, { stream: false })).toEqual({ model: "m", messages, stream: false });
});

test.each<
  readonly [request: Partial<ModelRequest>, scope: Partial<RequestScope>, fields: JsonObject]
>([
  [{ temperature: 0 }, {}, { temperature: 0 }],
  [{ maxOutputTokens: 5 }, {}, { max_tokens: 5 }],
  [
    { maxOutputTokens: 5 },
    { maxTokensField: "max_completion_tokens" },
    { max_completion_tokens: 5 },
  ],
  [{ tools: [tool] }, {}, { tools: [wireTool] }],
  [{ tools: [tool], toolChoice: "auto" }, {}, { tools: [wireTool] }],
  [{ tools: [tool], toolChoice: "none" }, {}, { tools: [wireTool], tool_choice: "none" }],
  [{ tools: [tool], toolChoice: "required" }, {}, { tools: [wireTool], tool_choice: "required" }],
  [{ tools: [], toolChoice: "required" }, {}, {}],
  [{ reasoningEffort: "low" }, {}, { reasoning_effort: "low" }],
  [{}, { extraBody: { top_k: 1, model: "other" } }, { top_k: 1, model: "other" }],
  [{ tools: [tool] }, { extraBody: { tools: [1] } }, { tools: [1] }],
])("%j with %j adds %j", (request, scope, fields) => {
  const { extraBody = {}, ...rest } = scope;
  expect(
    render(request, { ...rest, extraBody: { ...extraBody, stream_options: undefined } }),
  ).toEqual({
    model: "m",
    messages,
    stream: true,
    ...fields,
  });
});

test("tools are rendered once for each array, and each definition once", () => {
  let count = 0;
  const renderTools = createToolRenderer((given) => {
    count += 1;
    return toWireTool(given, (schema) => schema);
  });
  const tools = [tool, { ...tool, name: "then" }];
  const first = renderTools(tools);
  expect(renderTools(tools)).toBe(first);
  expect(renderTools([...tools])).toBe(first);
  expect(count).toBe(2);
  tools.length = 0;
  expect(renderTools(tools), "the array is not looked at again").toBe(first);
  expect(JSON.parse(first)).toMatchObject([wireTool, { function: { name: "then" } }]);
});
