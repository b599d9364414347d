import type { Json, JsonObject } from "../../base/json.ts";
import type { ModelRequest, ReasoningEffort, ToolDefinition } from "../../model/model.ts";
import { withOutputInWords } from "../../model/output-words.ts";
import type { ToolRenderer } from "../provider/tool-renderer.ts";
import { isBeforeGemini3 } from "./gemini-generation.ts";
import { type GeminiMessageScope, systemTextOf, toContents } from "./gemini-messages.ts";
import { toGeminiJsonSchema, toGeminiResponseSchema } from "./json-schema-gemini.ts";

/** How requests are written. */
export interface GeminiRequestScope extends GeminiMessageScope {
  readonly model: string;
  readonly thoughts: boolean;
  /** Fields that are added, or replace ours; one that is `undefined` takes ours away. */
  readonly extraBody: JsonObject;
  readonly renderTools: ToolRenderer;
}

/** A tool as Gemini declares it; one without arguments has no schema. */
export const toDeclaration = ({ name, description, inputSchema }: ToolDefinition): JsonObject => ({
  name,
  description,
  // A rendered schema is plain JSON, as the one that it was made of.
  parametersJsonSchema: toGeminiJsonSchema(inputSchema) as JsonObject | undefined,
});

/** The body of a `generateContent` request, as JSON text. */
export function renderGeminiRequest(request: ModelRequest, scope: GeminiRequestScope): string {
  const { tools } = request;
  const { extraBody } = scope;
  const body = JSON.stringify({ ...fieldsOf(request, scope), ...extraBody });
  // Tools are by far the longest part that never changes: their text is kept and put in.
  return tools.length === 0 || "tools" in extraBody
    ? body
    : `${body.slice(0, -1)},"tools":[{"functionDeclarations":${scope.renderTools(tools)}}]}`;
}

function fieldsOf(
  request: ModelRequest,
  scope: GeminiRequestScope,
): Record<string, Json | undefined> {
  const { toolChoice = "auto", tools } = request;
  const schema = responseSchemaOf(request, scope);
  const isTold = request.output !== undefined && schema === undefined;
  const messages = isTold ? withOutputInWords(request) : request.messages;
  const system = systemTextOf(messages);
  const mode = modes[toolChoice];
  return {
    contents: toContents(messages, scope),
    systemInstruction: system === "" ? undefined : { parts: [{ text: system }] },
    toolConfig:
      tools.length > 0 && mode !== undefined ? { functionCallingConfig: { mode } } : undefined,
    generationConfig: {
      temperature: request.temperature,
      maxOutputTokens: request.maxOutputTokens,
      ...(schema === undefined
        ? {}
        : { responseMimeType: "application/json", responseSchema: schema }),
      thinkingConfig: thinkingOf(request.reasoningEffort, scope),
    },
  };
}

const modes = { auto: undefined, none: "NONE", required: "ANY" } as const;

/** Before Gemini 3, a request with tools and a response schema is refused. */
function responseSchemaOf(
  { output, tools }: ModelRequest,
  { model }: GeminiRequestScope,
): JsonObject | undefined {
  return output === undefined || (tools.length > 0 && isBeforeGemini3(model))
    ? undefined
    : (toGeminiResponseSchema(output.schema) as JsonObject | undefined); // plain JSON, as above
}

function thinkingOf(
  effort: ReasoningEffort | undefined,
  { model, thoughts }: GeminiRequestScope,
): JsonObject | undefined {
  const shown = thoughts && effort !== "none" ? { includeThoughts: true } : {};
  const amount =
    effort === undefined
      ? {}
      : isBeforeGemini3(model)
        ? { thinkingBudget: budgets[effort] }
        : { thinkingLevel: levels[effort] };
  const config = { ...shown, ...amount };
  return Object.keys(config).length === 0 ? undefined : config;
}

/** Gemini 3 cannot be kept from thinking altogether. */
const levels = { none: "MINIMAL", low: "LOW", medium: "MEDIUM", high: "HIGH" } as const;

/** In tokens. */
const budgets = { none: 0, low: 1_024, medium: 8_192, high: 24_576 } as const;
