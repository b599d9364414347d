import type { AgUiContentPart, AgUiUsage } from "../../src/ag-ui/ag-ui-event.ts";

/** What all items of a conversation have. */
interface Common {
  /** Unique among the items of its kind. */
  readonly id: string;
  /** The subagent whose part it is; absent for the agent that was asked. */
  readonly owner?: string;
}

/** What the user said. */
export interface UserItem extends Common {
  readonly kind: "user";
  readonly text: string;
}

/** What an agent says, while it says it and after. */
export interface TextItem extends Common {
  readonly kind: "text";
  readonly text: string;
  readonly isOpen: boolean;
}

/** What a model thought aloud. */
export interface ReasoningItem extends Common {
  readonly kind: "reasoning";
  readonly text: string;
  readonly isOpen: boolean;
  readonly startedAt?: number;
  readonly endedAt?: number;
}

/** A file that a tool gave. */
export interface FileNote {
  readonly id: string;
  readonly mediaType: string;
  readonly name?: string;
  /** In bytes. */
  readonly size?: number;
  /** Where it is, if only its server has it. */
  readonly reference?: string;
}

/**
 * Where a call stands: its arguments are being written, it is made, a person is asked, it is done, it
 * failed, it was not made.
 */
export type CallStatus = "writing" | "running" | "waiting" | "done" | "failed" | "not-made";

/** A tool call and what came of it. */
export interface ToolItem extends Common {
  readonly kind: "tool";
  readonly name: string;
  /** JSON, as far as it is written. */
  readonly argumentsText: string;
  readonly status: CallStatus;
  readonly code?: string;
  readonly progress?: {
    readonly progress: number;
    readonly total?: number;
    readonly message?: string;
  };
  readonly content: readonly AgUiContentPart[];
  readonly files: readonly FileNote[];
  readonly startedAt?: number;
  readonly endedAt?: number;
}

/** Something that happened on the way and that a developer wants to know. */
export interface NoticeItem extends Common {
  readonly kind: "notice";
  readonly code: string;
  readonly text: string;
  readonly isWarning: boolean;
}

/** A subagent that was asked; what it does are the items that it owns. */
export interface AgentItem extends Common {
  readonly kind: "agent";
  readonly name: string;
  readonly status: "running" | "done" | "failed" | "waiting";
  readonly error?: { readonly code: string; readonly message: string };
}

/** How a run ended. */
export interface EndItem extends Common {
  readonly kind: "end";
  readonly status: "completed" | "failed" | "cancelled" | "waiting";
  readonly error?: { readonly code: string; readonly message: string };
  readonly usage: readonly AgUiUsage[];
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** The server's id of the run. */
  readonly sourceRunId?: string;
}

/** One thing in a conversation, in the order in which it happened. */
export type ChatItem =
  | UserItem
  | TextItem
  | ReasoningItem
  | ToolItem
  | NoticeItem
  | AgentItem
  | EndItem;
