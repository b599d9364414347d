import type { JsonSchema } from "../base/json-schema.ts";

const id: JsonSchema = { type: "string", minLength: 1, maxLength: 512 };
const text: JsonSchema = { type: "string" };

const source: JsonSchema = {
  type: "object",
  properties: { type: { enum: ["data", "url", "file"] }, value: text, mimeType: text },
  required: ["type", "value"],
};

const part: JsonSchema = {
  type: "object",
  properties: { type: { enum: ["text", "image", "audio", "video", "document", "binary"] } },
  required: ["type"],
  allOf: [
    when(ofType("text"), { properties: { text }, required: ["text"] }),
    when(
      { properties: { type: { enum: ["image", "audio", "video", "document"] } } },
      { properties: { source }, required: ["source"] },
    ),
    when(ofType("binary"), {
      properties: { mimeType: text, data: text, url: text },
      required: ["mimeType"],
    }),
  ],
};

const content: JsonSchema = { type: ["string", "array"], items: part };

const toolCall: JsonSchema = {
  type: "object",
  properties: {
    id,
    function: {
      type: "object",
      properties: { name: text, arguments: text },
      required: ["name", "arguments"],
    },
  },
  required: ["id", "function"],
};

const message: JsonSchema = {
  type: "object",
  properties: {
    id,
    role: { enum: ["developer", "system", "user", "assistant", "tool", "reasoning", "activity"] },
    subagentRunId: text,
  },
  required: ["id", "role"],
  allOf: [
    when(ofRole("user"), { properties: { content }, required: ["content"] }),
    when(ofRole("assistant"), {
      properties: { content: text, toolCalls: { type: "array", items: toolCall } },
    }),
    when(ofRole("tool"), {
      properties: { content, toolCallId: id, error: text },
      required: ["content", "toolCallId"],
    }),
  ],
};

/** What {@link RunAgentInput} is, as far as it is looked at; unknown keys are let be. */
export const inputSchema: JsonSchema = {
  type: "object",
  properties: {
    threadId: id,
    runId: id,
    protocolVersion: text,
    parentRunId: id,
    messages: { type: "array", items: message },
    tools: {
      type: "array",
      items: {
        type: "object",
        properties: { name: text, description: text, parameters: { type: "object" } },
        required: ["name"],
      },
    },
    context: {
      type: "array",
      items: {
        type: "object",
        properties: { description: text, value: text },
        required: ["description", "value"],
      },
    },
    resume: {
      type: "array",
      items: {
        type: "object",
        properties: { interruptId: id, status: { enum: ["resolved", "cancelled"] } },
        required: ["interruptId", "status"],
      },
    },
  },
  required: ["threadId", "runId", "messages"],
};

/** What holds where something else does. */
function when(condition: JsonSchema, consequence: JsonSchema): JsonSchema {
  // biome-ignore lint/suspicious/noThenProperty: it is the keyword of JSON Schema
  return { if: condition, then: consequence };
}

function ofType(type: string): JsonSchema {
  return { properties: { type: { const: type } } };
}

function ofRole(role: string): JsonSchema {
  return { properties: { role: { const: role } } };
}
