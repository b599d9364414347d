import type { ProviderOptions } from "../provider/provider-options.ts";
import type { StructuredOutput } from "./openai-output.ts";
import type { MaxTokensField } from "./openai-request.ts";

/**
 * A model behind an OpenAI-compatible server. Its id is by default `openai-compatible:` and the model;
 * its key is sent as bearer token, if there is one.
 */
export interface OpenAiCompatibleOptions extends ProviderOptions {
  /** What stands before `/chat/completions`, such as `https://api.openai.com/v1`. A query is kept. */
  readonly baseUrl: string | URL;
  /** Default `max_completion_tokens` at OpenAI and Azure, `max_tokens` elsewhere. */
  readonly maxTokensField?: MaxTokensField;
  /**
   * How the tools' schemas are written: as OpenAI takes them, or in the smaller subset that Gemini
   * takes. Default `"gemini"` at Google, `"openai"` elsewhere.
   */
  readonly schemaDialect?: "openai" | "gemini";
  /**
   * Whether OpenAI holds the model to the tools' schemas, for each tool whose schema strict mode can
   * say. Default false. A model then writes null for what it leaves out, which is taken out again
   * before the tool gets its arguments.
   */
  readonly strictTools?: boolean;
  /** How JSON of a schema is asked for. Default `json_schema`; older servers know `json_object` only. */
  readonly structuredOutput?: StructuredOutput;
}
