import { expect, test } from "vitest";
import type { JsonObject } from "../base/json.ts";
import type { ModelRequest, ToolDefinition } from "../model/model.ts";
import { type RequestScope, renderRequest } from "./openai-request.ts";
import { createToolRenderer } from "./openai-tools.ts";

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
        renderTools: createToolRenderer((schema) => schema),
        ...scope,
      },
    ),
  );
}

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
  const renderTools = createToolRenderer((schema) => {
    count += 1;
    return schema;
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
