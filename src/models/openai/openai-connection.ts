import type { ModelCapabilities } from "../../model/model.ts";
import { toGeminiSchema } from "../gemini/json-schema-gemini.ts";
import { toOpenAiSchema } from "../provider/json-schema-dialect.ts";
import { type ProviderConnection, toProviderConnection } from "../provider/provider-connection.ts";
import { providerKey } from "../provider/provider-data.ts";
import { createToolRenderer } from "../provider/tool-renderer.ts";
import type { OpenAiCompatibleOptions } from "./openai-options.ts";
import { type RequestScope, toStrictTool, toWireTool } from "./openai-request.ts";

/** Checked options, and all that does not change from request to request. */
export interface Connection {
  readonly connection: ProviderConnection;
  readonly capabilities: ModelCapabilities;
  readonly request: RequestScope;
}

/** @throws ConfigurationError where the options cannot be used. */
export function toConnection(options: OpenAiCompatibleOptions): Connection {
  const connection = toProviderConnection(options, {
    maker: "openAiCompatible",
    prefix: "openai-compatible",
    urlOption: "baseUrl",
    options: ["baseUrl", "maxTokensField", "schemaDialect", "strictTools", "structuredOutput"],
    exampleUrl: "https://api.openai.com/v1",
  });
  const { base, model, stream } = connection;
  const { structuredOutput = "json_schema", schemaDialect, extraBody = {} } = options;
  const jsonSchema = structuredOutput === "json_schema";
  const capabilities = {
    tools: true,
    images: true,
    audio: true,
    documents: true,
    jsonSchema,
    ...options.capabilities,
  };
  const isGemini = schemaDialect === "gemini" || (schemaDialect === undefined && isGoogle(base));
  const toDialect = isGemini ? toGeminiSchema : toOpenAiSchema;
  const toTool = options.strictTools === true ? toStrictTool : toWireTool;
  return {
    connection,
    capabilities,
    request: {
      model,
      stream,
      provider: providerKey("openai-compatible", base),
      images: capabilities.images,
      maxTokensField: options.maxTokensField ?? maxTokensFieldOf(base),
      extraBody,
      renderTools: createToolRenderer((tool) => toTool(tool, toDialect)),
      structuredOutput,
      strict: !isGemini,
      toDialect,
    },
  };
}

const maxTokensFieldOf = ({ hostname }: URL): RequestScope["maxTokensField"] =>
  /(?:^|\.)openai\.com$|\.azure\.com$/.test(hostname) ? "max_completion_tokens" : "max_tokens";

const isGoogle = ({ hostname }: URL): boolean => /(?:^|\.)googleapis\.com$/.test(hostname);
