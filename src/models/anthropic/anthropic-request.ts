import type { Json, JsonObject } from "../../base/json.ts";
import type { ModelRequest, ReasoningEffort, ToolDefinition } from "../../model/model.ts";
import { withOutputInWords } from "../../model/output-words.ts";
import { anthropicForm, toClosedSchema } from "../provider/json-schema-closed.ts";
import type { ToolRenderer } from "../provider/tool-renderer.ts";
import { type AnthropicMessageScope, systemOf, toAnthropicMessages } from "./anthropic-messages.ts";
import { toAnthropicSchema } from "./json-schema-anthropic.ts";

/** How requests are written. */
export interface AnthropicRequestScope extends AnthropicMessageScope {
  readonly model: string;
  readonly stream: boolean;
  readonly jsonSchema: boolean;
  readonly maxOutputTokens: number;
  readonly thinking: JsonObject | undefined;
  readonly cache: boolean;
  /** Fields that are added, or replace ours; one that is `undefined` takes ours away. */
  readonly extraBody: JsonObject;
  readonly renderTools: ToolRenderer;
}

/** A tool as the messages API takes it. */
export const toAnthropicTool = ({
  name,
  description,
  inputSchema,
}: ToolDefinition): JsonObject => ({
  name,
  description,
  // A rendered schema is plain JSON, as the one that it was made of.
  input_schema: toAnthropicSchema(inputSchema) as JsonObject,
});

/** The body of a messages request, as JSON text. */
export function renderAnthropicRequest(
  request: ModelRequest,
  scope: AnthropicRequestScope,
): string {
  const { extraBody, renderTools } = scope;
  const body = JSON.stringify({ ...fieldsOf(request, scope), ...extraBody });
  // Tools are by far the longest part that never changes: their text is kept and put in.
  return request.tools.length === 0 || "tools" in extraBody
    ? body
    : `${body.slice(0, -1)},"tools":${renderTools(request.tools)}}`;
}

function fieldsOf(
  request: ModelRequest,
  scope: AnthropicRequestScope,
): Record<string, Json | undefined> {
  const { toolChoice = "auto", tools, output } = request;
  const schema =
    output !== undefined && scope.jsonSchema
      ? toClosedSchema(output.schema, anthropicForm)
      : undefined;
  const isTold = output !== undefined && schema === undefined;
  const messages = isTold ? withOutputInWords(request) : request.messages;
  const thought = thinkingOf(request, scope);
  const config = {
    ...(thought.effort === undefined ? {} : { effort: thought.effort }),
    ...(schema === undefined ? {} : { format: { type: "json_schema", schema } }),
  };
  const choice = choices[toolChoice];
  return {
    model: scope.model,
    max_tokens: thought.maxTokens,
    system: systemOf(messages),
    messages: toAnthropicMessages(messages, scope),
    stream: scope.stream,
    // A model that thinks takes no other temperature than its own.
    temperature: isThinking(thought.thinking) ? undefined : request.temperature,
    thinking: thought.thinking,
    output_config: Object.keys(config).length === 0 ? undefined : config,
    tool_choice: tools.length > 0 && choice !== undefined ? { type: choice } : undefined,
    cache_control: scope.cache && tools.length > 0 ? { type: "ephemeral" } : undefined,
  };
}

const choices = { auto: undefined, none: "none", required: "any" } as const;

const isThinking = (thinking: JsonObject | undefined): boolean =>
  thinking !== undefined && thinking["type"] !== "disabled";

interface Thinking {
  readonly thinking: JsonObject | undefined;
  readonly effort?: ReasoningEffort;
  readonly maxTokens: number;
}

/** A model that is made to call a tool may not think. */
function thinkingOf(request: ModelRequest, scope: AnthropicRequestScope): Thinking {
  const { reasoningEffort: effort, toolChoice, tools } = request;
  const maxTokens = request.maxOutputTokens ?? scope.maxOutputTokens;
  if (toolChoice === "required" && tools.length > 0) {
    return { thinking: undefined, maxTokens };
  }
  if (effort === undefined) {
    return { thinking: scope.thinking, maxTokens };
  }
  if (effort === "none") {
    return { thinking: { type: "disabled" }, maxTokens };
  }
  if (!isManual(scope.model)) {
    return { thinking: { type: "adaptive", display: "summarized" }, effort, maxTokens };
  }
  const budget = budgets[effort];
  // What is left for the answer itself stays what it was.
  return { thinking: { type: "enabled", budget_tokens: budget }, maxTokens: maxTokens + budget };
}

/** Models before Claude 4.6 think by a budget, later ones as they see fit. */
const isManual = (model: string): boolean =>
  /claude-(?:3|[a-z]+-4(?:-[0-5])?(?:-\d{8})?$)/.test(model);

/** In tokens. */
const budgets = { low: 2_048, medium: 8_192, high: 24_576 } as const;
