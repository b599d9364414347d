import type { Merging } from "../base/event-log.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { TraceContext } from "../base/trace-context.ts";
import type { FinishReason } from "../model/model-event.ts";
import type { Usage } from "../model/usage.ts";
import type { ServerDecision } from "../tool/choose-servers.ts";
import type { ToolDecision } from "../tool/choose-tools.ts";
import type { ToolProgress, ToolSource } from "../tool/tool.ts";
import type { ToolResult } from "../tool/tool-result.ts";
import type { RunFailure } from "./run-failure.ts";
import type { Decision, Waiting } from "./waiting.ts";

/** Why a notice was given; a program may switch on it, new ones may be added. */
export type NoticeCode =
  /** Nobody chose a model, and this one was taken; the message says why. */
  | "default-model"
  /** No language model was used. */
  | "offline-model"
  /** A tool got another name, because its own was taken. */
  | "tool-renamed"
  /** A server's tool was left out, because its name can be mistaken for another's. */
  | "tool-look-alike"
  /** An approval rule names a tool or server that the run has not. */
  | "approval-unmatched"
  /** A tool that was asked for by name is not there. */
  | "tool-missing"
  /** The run did not complete, and its messages could not be appended to its session either. */
  | "session-not-saved"
  /** The step limit was reached and the model was asked for a last answer without tools. */
  | "max-steps"
  /** A limit of the run was reached: calls, tokens, or the same call again and again. */
  | "limit-reached"
  /** A model failed and another took over. */
  | "model-fallback"
  /** An idempotent tool is tried again. */
  | "tool-retry"
  /** Old tool results were cut, so that the conversation fits the model. */
  | "context-cut"
  /** A file of a result is over a limit of artifacts. */
  | "artifact-not-kept"
  /** The store of artifacts failed; the run keeps the file itself. */
  | "artifact-not-stored"
  | (string & {});

/**
 * What happened, without when and where. Whatever can be seen of a run from outside is one of these.
 * `id` of a text or reasoning is unique within the run; `id` of a tool call is the one in the history.
 */
export type RunEventBody =
  | {
      readonly kind: "run-start";
      readonly agent: string;
      /** The run's own span, where somebody traces. */
      readonly trace?: TraceContext;
    }
  | {
      readonly kind: "run-end";
      readonly status: "completed" | "failed" | "cancelled";
      readonly text: string;
      readonly usage: Usage;
      readonly error?: RunFailure;
    }
  /** The run waits for somebody and holds nothing open meanwhile; no event follows until it is resumed. */
  | { readonly kind: "run-suspend"; readonly waitingFor: readonly Waiting[] }
  /** A run that was suspended, or whose process ended, goes on. */
  | { readonly kind: "run-resume"; readonly trace?: TraceContext }
  /** An agent or assembly within the run begins; `agentPath` ends with it. */
  | { readonly kind: "agent-start"; readonly agent: string }
  | {
      readonly kind: "agent-end";
      readonly agent: string;
      readonly status: "completed" | "failed" | "cancelled" | "suspended";
      readonly text: string;
      readonly usage: Usage;
      readonly error?: RunFailure;
    }
  /** A participant has set a key of the memory that the run shares. */
  | { readonly kind: "memory-set"; readonly key: string; readonly value: Json }
  /** A call is not made until somebody decides. */
  | { readonly kind: "approval-request"; readonly waiting: Waiting }
  | {
      readonly kind: "approval-end";
      /** The id of what was waited for. */
      readonly id: string;
      readonly decision: Decision | { readonly kind: "expired" };
    }
  | { readonly kind: "step-start"; readonly step: number }
  | { readonly kind: "step-end"; readonly step: number }
  | { readonly kind: "model-start"; readonly step: number; readonly model: string }
  | {
      readonly kind: "model-end";
      readonly step: number;
      readonly model: string;
      /** Why the model stopped; `"error"` or `"cancelled"` where it did not come to its end. */
      readonly reason: FinishReason | "error" | "cancelled";
      readonly usage: Usage;
    }
  /** A model call failed and is tried again; what it said so far does not count. */
  | {
      readonly kind: "model-retry";
      readonly step: number;
      readonly model: string;
      /** The number of the try that failed, from 1. */
      readonly attempt: number;
      readonly delayMs: number;
      readonly error: RunFailure;
    }
  | { readonly kind: "text-start" | "reasoning-start"; readonly id: string }
  | { readonly kind: "text-delta" | "reasoning-delta"; readonly id: string; readonly text: string }
  | { readonly kind: "text-end" | "reasoning-end"; readonly id: string }
  /** The model begins to ask for a tool. */
  | { readonly kind: "tool-call-start"; readonly id: string; readonly name: string }
  | { readonly kind: "tool-call-delta"; readonly id: string; readonly text: string }
  | { readonly kind: "tool-call-end"; readonly id: string }
  /** The tool begins to work, or is refused: a `tool-end` follows in any case. */
  | {
      readonly kind: "tool-start";
      readonly id: string;
      readonly name: string;
      readonly arguments: JsonObject;
      readonly source?: ToolSource;
    }
  | { readonly kind: "tool-progress"; readonly id: string; readonly progress: ToolProgress }
  | {
      readonly kind: "tool-end";
      readonly id: string;
      readonly name: string;
      readonly result: ToolResult;
    }
  | {
      readonly kind: "server-connect";
      readonly server: string;
      readonly tools: readonly string[];
      /** The server as it names itself. */
      readonly serverInfo?: { readonly name: string; readonly version: string };
    }
  | { readonly kind: "server-fail"; readonly server: string; readonly error: RunFailure }
  /** A result brought a file, which the run keeps or knows where to find; once for equal bytes. */
  | {
      readonly kind: "artifact-create";
      readonly id: string;
      readonly mediaType: string;
      readonly name?: string;
      /** In bytes, where it is known. */
      readonly size?: number;
      /** Where the bytes of a deferred artifact are. */
      readonly reference?: string;
      readonly toolCallId: string;
    }
  /** It was decided which servers are for the message. */
  | ({ readonly kind: "discovery-end"; readonly of: "servers" } & ServerDecision)
  /** It was decided which tools the model is shown. */
  | ({ readonly kind: "discovery-end"; readonly of: "tools" } & ToolDecision)
  /** A server logged something; the words are its own. */
  | {
      readonly kind: "server-log";
      readonly server: string;
      /** In the words of syslog: `debug`, `info`, `notice`, `warning`, `error` and worse. */
      readonly level: string;
      readonly logger?: string;
      readonly data: Json;
    }
  /** The run's messages were appended to its session, which is so long now. */
  | {
      readonly kind: "session-save";
      readonly session: string;
      readonly messages: number;
      readonly length: number;
    }
  | { readonly kind: "notice"; readonly code: NoticeCode; readonly message: string };

/** Where and when an event happened. */
export interface RunEventPlace {
  readonly runId: string;
  /** Rises with each event of a run; where text was joined for a slow reader, some are left out. */
  readonly sequence: number;
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  /** Names from the outermost assembly to the agent that it happened in. */
  readonly agentPath: readonly string[];
  /**
   * Which participant of the run it happened in, where that is not the one that was asked: tells apart
   * two of the same path. The same each time the run is resumed; opaque.
   */
  readonly part?: string;
}

/** One event of a run; `switch` on `kind`. May hold private content: prompts, arguments, results. */
export type RunEvent = RunEventBody & RunEventPlace;

/** An event that is a piece of a growing text. */
type Delta = Extract<RunEvent, { readonly text: string; readonly id: string }>;

/** Whether it is a piece of a growing text. */
export const isDelta = (event: RunEvent): event is Delta =>
  event.kind === "text-delta" ||
  event.kind === "reasoning-delta" ||
  event.kind === "tool-call-delta";

/** How a slow reader's deltas are joined: pieces of one text, up to the newest. */
export const eventMerging: Merging<RunEvent> = {
  // Ids are unique within a participant only.
  keyOf: (event) => (isDelta(event) ? `${event.part ?? ""} ${event.kind} ${event.id}` : undefined),
  join(events) {
    const last = events.at(-1) ?? events[0];
    const text = events.map((event) => (isDelta(event) ? event.text : "")).join("");
    return isDelta(last) ? { ...last, text } : last;
  },
};
