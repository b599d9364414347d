import type { Json, JsonObject } from "../../base/json.ts";
import type { ModelRequest, ReasoningEffort } from "../../model/model.ts";
import { withOutputInWords } from "../../model/output-words.ts";
import type { ToolRenderer } from "../provider/tool-renderer.ts";
import { type OllamaMessageScope, toOllamaMessages } from "./ollama-messages.ts";

/** How requests are written. */
export interface OllamaRequestScope extends OllamaMessageScope {
  readonly model: string;
  readonly stream: boolean;
  readonly structuredOutput: "schema" | "json";
  readonly options: JsonObject;
  readonly keepAlive: string | number | undefined;
  readonly think: boolean | string | undefined;
  /** Fields that are added, or replace ours; one that is `undefined` takes ours away. */
  readonly extraBody: JsonObject;
  readonly renderTools: ToolRenderer;
}

/** The body of a `/api/chat` request, as JSON text. */
export function renderOllamaRequest(request: ModelRequest, scope: OllamaRequestScope): string {
  const { extraBody, renderTools } = scope;
  const hasTools = request.tools.length > 0 && request.toolChoice !== "none";
  const body = JSON.stringify({ ...fieldsOf(request, scope, hasTools), ...extraBody });
  // Tools are by far the longest part that never changes: their text is kept and put in.
  return hasTools && !("tools" in extraBody)
    ? `${body.slice(0, -1)},"tools":${renderTools(request.tools)}}`
    : body;
}

function fieldsOf(
  request: ModelRequest,
  scope: OllamaRequestScope,
  hasTools: boolean,
): Record<string, Json | undefined> {
  const { output, temperature, maxOutputTokens, reasoningEffort } = request;
  // A model that is held to JSON cannot write a call.
  const format = output === undefined || hasTools ? undefined : formatOf(output.schema, scope);
  const isTold = output !== undefined && (format === undefined || format === "json");
  const options = {
    ...scope.options,
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxOutputTokens === undefined ? {} : { num_predict: maxOutputTokens }),
  };
  return {
    model: scope.model,
    messages: toOllamaMessages(isTold ? withOutputInWords(request) : request.messages, scope),
    stream: scope.stream,
    format,
    options: Object.keys(options).length === 0 ? undefined : options,
    keep_alive: scope.keepAlive,
    think: reasoningEffort === undefined ? scope.think : thinkOf(reasoningEffort, scope.model),
  };
}

function formatOf(
  { $schema: _dialect, ...schema }: NonNullable<ModelRequest["output"]>["schema"],
  { structuredOutput }: OllamaRequestScope,
): Json {
  return structuredOutput === "json" ? "json" : (schema as JsonObject); // a schema is plain JSON
}

/** Only gpt-oss has degrees; it cannot be kept from thinking. */
const thinkOf = (effort: ReasoningEffort, model: string): boolean | string =>
  effort !== "none" && /gpt-oss/.test(model) ? effort : effort !== "none";
