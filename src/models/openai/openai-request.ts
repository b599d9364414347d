import type { Json, JsonObject } from "../../base/json.ts";
import type { ModelRequest, ToolDefinition } from "../../model/model.ts";
import { withOutputInWords } from "../../model/output-words.ts";
import { strictArgumentsForm, toClosedSchema } from "../provider/json-schema-closed.ts";
import type { ToolRenderer } from "../provider/tool-renderer.ts";
import { type MessageScope, toWireMessages } from "./openai-messages.ts";
import { type OutputScope, toOutputForm } from "./openai-output.ts";

/** The field that limits the length of an answer. */
export type MaxTokensField = "max_tokens" | "max_completion_tokens";

/** How requests are written. */
export interface RequestScope extends MessageScope, OutputScope {
  readonly model: string;
  readonly stream: boolean;
  readonly maxTokensField: MaxTokensField;
  /** Fields that are added, or replace ours; one that is `undefined` takes ours away. */
  readonly extraBody: JsonObject;
  readonly renderTools: ToolRenderer;
}

/** The body of a chat-completions request, as JSON text. */
export function renderRequest(request: ModelRequest, scope: RequestScope): string {
  const { tools } = request;
  const { extraBody } = scope;
  const body = JSON.stringify({ ...fieldsOf(request, scope), ...extraBody });
  // Tools are by far the longest part that never changes: their text is kept and put in.
  return tools.length === 0 || "tools" in extraBody
    ? body
    : `${body.slice(0, -1)},"tools":${scope.renderTools(tools)}}`;
}

/** A tool as chat completions take it; a schema without a form in the dialect is left out. */
export const toWireTool = (
  { name, description, inputSchema }: ToolDefinition,
  toDialect: OutputScope["toDialect"],
): JsonObject => ({
  type: "function",
  // A rendered schema is plain JSON, as the one that it was made of.
  function: { name, description, parameters: toDialect(inputSchema) as JsonObject | undefined },
});

/** The same in strict mode, where that can say the tool's schema. */
export function toStrictTool(
  tool: ToolDefinition,
  toDialect: OutputScope["toDialect"],
): JsonObject {
  const { name, description, inputSchema } = tool;
  const parameters = toClosedSchema(inputSchema, strictArgumentsForm);
  return parameters === undefined
    ? toWireTool(tool, toDialect)
    : { type: "function", function: { name, description, parameters, strict: true } };
}

function fieldsOf(request: ModelRequest, scope: RequestScope): Record<string, Json | undefined> {
  const { toolChoice = "auto", temperature, maxOutputTokens, output } = request;
  const { responseFormat, inWords } = toOutputForm(output, scope);
  const messages = inWords ? withOutputInWords(request) : request.messages;
  const isChoice = request.tools.length > 0 && toolChoice !== "auto"; // "auto" is every server's default
  return {
    model: scope.model,
    messages: toWireMessages(messages, scope),
    stream: scope.stream,
    stream_options: scope.stream ? { include_usage: true } : undefined,
    temperature,
    [scope.maxTokensField]: maxOutputTokens,
    tool_choice: isChoice ? toolChoice : undefined,
    response_format: responseFormat,
    reasoning_effort: request.reasoningEffort,
  };
}
