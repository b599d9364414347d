import type { Json, JsonObject } from "../base/json.ts";

/** The revision of the AG-UI protocol that these types are of. */
export const agUiVersion = "1.0";

/** Anything attached under a key; ours is `dragoman`. */
export type AgUiMetadata = { readonly [key: string]: Json };

/** Tokens of one model. Totals are inclusive: cached is part of input, reasoning part of output. */
export type AgUiUsage = {
  readonly provider?: string;
  readonly model?: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  readonly reasoningTokens?: number;
  readonly cachedInputTokens?: number;
};

/** Where the bytes of a medium are. */
export type AgUiSource =
  | { readonly type: "data"; readonly value: string; readonly mimeType: string }
  | { readonly type: "url"; readonly value: string; readonly mimeType?: string }
  | {
      readonly type: "file";
      readonly value: string;
      readonly provider?: string;
      readonly mimeType?: string;
    };

/** A part of what a user says, or of what a tool gave. */
export type AgUiContentPart =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image" | "audio" | "video" | "document";
      readonly source: AgUiSource;
    };

/** Something that a person must decide before the run goes on. */
export type AgUiInterrupt = {
  /** What the client's `resume` names. */
  readonly id: string;
  readonly reason: string;
  readonly message?: string;
  readonly toolCallId?: string;
  /** JSON Schema of the `payload` that is expected. */
  readonly responseSchema?: JsonObject;
  /** ISO 8601. */
  readonly expiresAt?: string;
  readonly metadata?: AgUiMetadata;
  readonly subagentRunId?: string;
};

/** How a run ended; absent means success. */
export type AgUiOutcome =
  | { readonly type: "success"; readonly pendingToolCallIds?: readonly string[] }
  | { readonly type: "interrupt"; readonly interrupts: readonly AgUiInterrupt[] }
  | { readonly type: "cancelled" };

/** One operation of a JSON Patch (RFC 6902). */
export type AgUiPatch =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: Json }
  | { readonly op: "remove"; readonly path: string };

/** What belongs to the run, or to a subagent. */
interface Owned {
  readonly subagentRunId?: string;
}

interface OfMessage extends Owned {
  readonly messageId: string;
}

interface OfToolCall extends Owned {
  readonly toolCallId: string;
}

type Body<Type extends string, Fields> = { readonly type: Type } & Fields;

/** An event without what every event may carry. */
export type AgUiEventBody =
  | Body<
      "RUN_STARTED",
      {
        readonly threadId: string;
        readonly runId: string;
        readonly protocolVersion?: string;
        readonly parentRunId?: string;
      }
    >
  | Body<
      "RUN_FINISHED",
      {
        readonly threadId: string;
        readonly runId: string;
        readonly result?: Json;
        readonly outcome?: AgUiOutcome;
        readonly usage?: readonly AgUiUsage[];
      }
    >
  | Body<
      "RUN_ERROR",
      { readonly message: string; readonly code?: string; readonly usage?: readonly AgUiUsage[] }
    >
  | Body<"STEP_STARTED" | "STEP_FINISHED", Owned & { readonly stepName: string }>
  | Body<"TEXT_MESSAGE_START", OfMessage & { readonly role: "assistant" }>
  | Body<
      "TEXT_MESSAGE_CONTENT" | "REASONING_MESSAGE_CONTENT",
      OfMessage & { readonly delta: string }
    >
  | Body<
      "TEXT_MESSAGE_END" | "REASONING_START" | "REASONING_MESSAGE_END" | "REASONING_END",
      OfMessage
    >
  | Body<"REASONING_MESSAGE_START", OfMessage & { readonly role: "reasoning" }>
  | Body<
      "TOOL_CALL_START",
      OfToolCall & { readonly toolCallName: string; readonly parentMessageId: string }
    >
  | Body<"TOOL_CALL_ARGS", OfToolCall & { readonly delta: string }>
  | Body<"TOOL_CALL_END", OfToolCall>
  | Body<
      "TOOL_CALL_RESULT",
      OfToolCall & {
        readonly messageId: string;
        readonly content: string | readonly AgUiContentPart[];
        readonly role: "tool";
      }
    >
  | Body<"STATE_SNAPSHOT", { readonly snapshot: Json }>
  | Body<"STATE_DELTA", { readonly delta: readonly AgUiPatch[] }>
  | Body<"CUSTOM", Owned & { readonly name: string; readonly value: Json }>
  | Body<
      "SUBAGENT_STARTED",
      {
        readonly subagentRunId: string;
        readonly name: string;
        readonly parentSubagentRunId?: string;
        readonly parentToolCallId?: string;
      }
    >
  | Body<
      "SUBAGENT_FINISHED",
      {
        readonly subagentRunId: string;
        readonly result?: Json;
        readonly outcome?:
          | { readonly type: "success" }
          | { readonly type: "suspended"; readonly interruptIds?: readonly string[] };
      }
    >
  | Body<
      "SUBAGENT_ERROR",
      { readonly subagentRunId: string; readonly message: string; readonly code?: string }
    >;

/** An AG-UI event as `dragoman/ag-ui` sends it; `switch` on `type`. Plain JSON. */
export type AgUiEvent = AgUiEventBody & {
  /** Milliseconds since the Unix epoch. */
  readonly timestamp?: number;
  readonly metadata?: AgUiMetadata;
};
