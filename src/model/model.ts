import type { JsonSchema } from "../base/json-schema.ts";
import type { TraceEndpoint } from "../base/trace-operation.ts";
import type { ActiveSpan } from "../base/tracing.ts";
import type { Message } from "../message/message.ts";
import type { ModelEvent } from "./model-event.ts";

/** What a model is told of a tool. */
export type ToolDefinition = {
  /** At most 64 characters of `A-Z a-z 0-9 _ -`, unique within a request. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, an object. The adapter renders its provider's dialect of it. */
  readonly inputSchema: JsonSchema;
};

/** Which tools the model may or must call. */
export type ToolChoice = "auto" | "none" | "required";

/** How long a model may think before it answers; each provider has its own scale for it. */
export type ReasoningEffort = "none" | "low" | "medium" | "high";

/** Asks for an answer whose text is JSON. */
export type OutputRequest = {
  /** JSON Schema of the value. The adapter renders its provider's dialect of it. */
  readonly schema: JsonSchema;
  /** A name of the value, for providers that want one. Default `output`. */
  readonly name?: string;
};

/** One call of a model. */
export interface ModelRequest {
  /** The conversation. Every tool call in it has its result in the message that follows. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  /** Default `"auto"`. */
  readonly toolChoice?: ToolChoice;
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  /** Default: as the provider has it. Adapters of models that do not think leave it out. */
  readonly reasoningEffort?: ReasoningEffort;
  /**
   * Asks for JSON of a schema. Where the provider cannot hold the model to it (or not beside tools),
   * the adapter asks the model in words: whoever wants the value checks it against the schema.
   */
  readonly output?: OutputRequest;
}

/** What a model can do; the loop adapts to it. */
export interface ModelCapabilities {
  /** Calls tools natively. */
  readonly tools: boolean;
  /** Reads pictures. */
  readonly images: boolean;
  /** Hears sounds. Absent: it does not. */
  readonly audio?: boolean;
  /** Reads PDF documents. Absent: it does not. */
  readonly documents?: boolean;
  /** Is held to the schema of {@link ModelRequest.output} by its provider, and not only asked in words. */
  readonly jsonSchema: boolean;
}

/**
 * A language model, behind whatever wire.
 *
 * `stream` yields typed events and ends with exactly one `finish` event. What is open when something
 * fails may stay open: the reader closes it. It must stop when the signal aborts, and reject with the
 * signal's reason. A failure of the provider is thrown as a `ModelError`; anything else that it
 * throws counts as a mistake in the adapter.
 */
export interface Model {
  /** As in `openai:gpt-5`: the provider, a colon and the provider's name of the model. */
  readonly id: string;
  readonly capabilities: ModelCapabilities;
  /** Where its provider listens, where it is reached over a network. */
  readonly endpoint?: TraceEndpoint | undefined;
  /** Whether its provider sends answers in pieces, and not whole. Default true. */
  readonly isStreamed?: boolean;
  stream(
    request: ModelRequest,
    options: {
      readonly signal: AbortSignal;
      /** The call's operation, where somebody traces: a request to the provider carries its context. */
      readonly span?: ActiveSpan | undefined;
    },
  ): AsyncIterable<ModelEvent>;
}
