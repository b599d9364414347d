import type { JsonObject } from "../../base/json.ts";
import type { JsonSchema } from "../../base/json-schema.ts";
import type { ModelRequest } from "../../model/model.ts";
import { withOutputInWords } from "../../model/output-words.ts";
import { toAnthropicSchema } from "../anthropic/json-schema-anthropic.ts";
import { toGeminiJsonSchema } from "../gemini/json-schema-gemini.ts";
import { anthropicForm, strictForm, toClosedSchema } from "../provider/json-schema-closed.ts";
import { toOpenAiSchema } from "../provider/json-schema-dialect.ts";
import { type AiSdkMessageScope, toPrompt } from "./ai-sdk-prompt.ts";

/** How requests are written. */
export interface AiSdkScope extends AiSdkMessageScope {
  /** The provider's name, which tells its dialect of schemas. */
  readonly provider: string;
  readonly providerOptions: JsonObject | undefined;
}

/** The call options of a request, without its signal. */
export function toCallOptions(request: ModelRequest, scope: AiSdkScope): object {
  const { tools, toolChoice = "auto", temperature, maxOutputTokens, output } = request;
  const schema = output === undefined ? undefined : responseSchemaOf(output.schema, tools, scope);
  return {
    // Some providers drop a schema without a word to us: the model is told of it in any case.
    prompt: toPrompt(withOutputInWords(request), scope),
    ...(tools.length === 0
      ? {}
      : { tools: tools.map((tool) => toTool(tool, scope)), toolChoice: { type: toolChoice } }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(schema === undefined
      ? {}
      : { responseFormat: { type: "json", schema, name: output?.name ?? "output" } }),
    // Before V4 each provider has an option of its own for it.
    ...(request.reasoningEffort !== undefined && scope.generation === "v4"
      ? { reasoning: request.reasoningEffort }
      : {}),
    ...(scope.providerOptions === undefined ? {} : { providerOptions: scope.providerOptions }),
  };
}

function toTool(
  { name, description, inputSchema }: ModelRequest["tools"][number],
  { provider }: AiSdkScope,
): object {
  return { type: "function", name, description, inputSchema: toDialect(inputSchema, provider) };
}

function toDialect(schema: JsonSchema, provider: string): JsonSchema {
  if (isGoogle(provider)) {
    return toGeminiJsonSchema(schema) ?? { type: "object", properties: {} };
  }
  return isAnthropic(provider) ? toAnthropicSchema(schema) : toOpenAiSchema(schema);
}

/** Most providers hold a model to closed schemas only, and some not beside tools. */
function responseSchemaOf(
  schema: JsonSchema,
  tools: ModelRequest["tools"],
  { provider }: AiSdkScope,
): JsonSchema | undefined {
  if (tools.length > 0) {
    return undefined;
  }
  return isGoogle(provider)
    ? toGeminiJsonSchema(schema)
    : toClosedSchema(schema, isAnthropic(provider) ? anthropicForm : strictForm);
}

const isGoogle = (provider: string): boolean => /google|vertex|gemini/.test(provider);

const isAnthropic = (provider: string): boolean => /anthropic/.test(provider);
