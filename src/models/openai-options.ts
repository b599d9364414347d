import type { JsonObject } from "../base/json.ts";
import type { ConnectionOptions } from "../http/connection-pool.ts";
import type { ModelCapabilities } from "../model/model.ts";
import type { StructuredOutput } from "./openai-output.ts";
import type { MaxTokensField } from "./openai-request.ts";

/** A model behind an OpenAI-compatible server. */
export interface OpenAiCompatibleOptions extends Pick<ConnectionOptions, "tls" | "proxy"> {
  /** Default `openai-compatible:` and the model. */
  readonly id?: string;
  /** The server's name of the model. */
  readonly model: string;
  /** What stands before `/chat/completions`, such as `https://api.openai.com/v1`. A query is kept. */
  readonly baseUrl: string | URL;
  /** Sent as bearer token; a function is asked for each request. Absent or empty: none is sent. */
  readonly apiKey?: string | (() => string | Promise<string>);
  /** Sent with each request; they win over ours. Their values are kept out of all messages. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether answers are streamed. Default true. */
  readonly stream?: boolean;
  /** Default: calls tools, reads pictures, and is held to schemas where `structuredOutput` says so. */
  readonly capabilities?: Partial<ModelCapabilities>;
  /** Default `max_completion_tokens` at OpenAI and Azure, `max_tokens` elsewhere. */
  readonly maxTokensField?: MaxTokensField;
  /**
   * How the tools' schemas are written: as OpenAI takes them, or in the smaller subset that Gemini
   * takes. Default `"gemini"` at Google, `"openai"` elsewhere.
   */
  readonly schemaDialect?: "openai" | "gemini";
  /** How JSON of a schema is asked for. Default `json_schema`; older servers know `json_object` only. */
  readonly structuredOutput?: StructuredOutput;
  /** Fields that are added to each request, or replace ours; `undefined` takes one of ours away. */
  readonly extraBody?: JsonObject;
  /** Allows a credential over `http:` to another machine. Default false. */
  readonly allowInsecureHttp?: boolean;
  /** From the start to a connection. Default 10 000. */
  readonly connectTimeoutMs?: number;
  /** The longest silence of the server. Default 120 000; 600 000 where answers are not streamed. */
  readonly readTimeoutMs?: number;
  /** The longest answer, in bytes. Default 64 MiB. */
  readonly maxResponseBytes?: number;
}
