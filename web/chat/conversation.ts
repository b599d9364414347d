import type { AgUiEvent, AgUiInterrupt } from "../../src/ag-ui/ag-ui-event.ts";
import type { ChatItem, EndItem, ToolItem } from "./chat-item.ts";
import { takeCustom } from "./custom-events.ts";

/** The run of a conversation that is going on, or was last. */
export interface CurrentRun {
  /** The client's id of it. */
  readonly runId: string;
  /** The server's. */
  readonly sourceRunId?: string;
  readonly startedAt?: number;
}

type Of<Kind extends ChatItem["kind"]> = Extract<ChatItem, { readonly kind: Kind }>;

/**
 * A conversation as it is shown, made of AG-UI events. An item is replaced when it changes and stays
 * the same object otherwise. Events that come again, because a stream is read anew, change nothing
 * but what they say anew.
 */
export class Conversation {
  #items: ChatItem[] = [];
  readonly #places = new Map<string, number>();
  #run: CurrentRun | undefined;
  #isRunning = false;
  #interrupts: readonly AgUiInterrupt[] = [];

  get items(): readonly ChatItem[] {
    return this.#items;
  }

  get run(): CurrentRun | undefined {
    return this.#run;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** What a person must decide before it goes on. */
  get interrupts(): readonly AgUiInterrupt[] {
    return this.#interrupts;
  }

  /** The same items in an array of its own, for whoever compares. */
  snapshot(): readonly ChatItem[] {
    return [...this.#items];
  }

  /** Puts older items before all others. */
  prepend(items: readonly ChatItem[]): void {
    this.#items = [...items, ...this.#items];
    this.#places.clear();
    for (const [index, item] of this.#items.entries()) {
      this.#places.set(keyOf(item), index);
    }
  }

  /** Adds an item, or replaces the one of its kind and id. */
  put(item: ChatItem): void {
    const key = keyOf(item);
    const place = this.#places.get(key);
    if (place === undefined) {
      this.#places.set(key, this.#items.length);
      this.#items.push(item);
    } else {
      this.#items[place] = item;
    }
  }

  find<Kind extends ChatItem["kind"]>(kind: Kind, id: string): Of<Kind> | undefined {
    const place = this.#places.get(`${kind} ${id}`);
    return place === undefined ? undefined : (this.#items[place] as Of<Kind>); // keys begin with the kind
  }

  /** Changes an item that is there. */
  change<Kind extends ChatItem["kind"]>(
    kind: Kind,
    id: string,
    changes: Partial<Omit<Of<Kind>, "kind" | "id">>,
  ): void {
    const item = this.find(kind, id);
    if (item !== undefined) {
      this.put({ ...item, ...changes } as ChatItem); // the same kind, and fields of that kind
    }
  }

  /** Says that a run was asked for, before its first event comes. */
  begin(runId: string): void {
    this.#run = { runId };
    this.#isRunning = true;
    this.#interrupts = [];
  }

  /** Ends a run of which no more events will come, because it could not begin or was lost. */
  break(error: { readonly code: string; readonly message: string }): void {
    this.#end({ status: "failed", error, usage: [] });
  }

  take(event: AgUiEvent): void {
    switch (event.type) {
      case "RUN_STARTED":
        this.#start(event);
        return;
      case "RUN_FINISHED":
        this.#finish(event);
        return;
      case "RUN_ERROR": {
        const { code = "internal-error", message, usage = [], timestamp } = event;
        this.#end({ status: "failed", error: { code, message }, usage, ...endedAt(timestamp) });
        return;
      }
      case "CUSTOM":
        takeCustom(this, event);
        return;
      case "STATE_SNAPSHOT":
      case "STATE_DELTA":
      case "STEP_STARTED":
      case "STEP_FINISHED":
        return;
      default:
        takePart(this, event);
    }
  }

  #start({ runId, metadata, timestamp }: Extract<AgUiEvent, { readonly type: "RUN_STARTED" }>) {
    const source = (metadata?.["dragoman"] as { readonly runId?: string } | undefined)?.runId; // as our server writes it
    this.#isRunning = true;
    this.#interrupts = [];
    this.#run = {
      runId,
      ...(source === undefined ? {} : { sourceRunId: source }),
      ...(timestamp === undefined ? {} : { startedAt: timestamp }),
    };
  }

  #finish({
    outcome = { type: "success" },
    usage = [],
    timestamp,
  }: Extract<AgUiEvent, { readonly type: "RUN_FINISHED" }>): void {
    const at = endedAt(timestamp);
    switch (outcome.type) {
      case "success":
        this.#end({ status: "completed", usage, ...at });
        return;
      case "cancelled":
        this.#end({ status: "cancelled", usage, ...at });
        return;
      case "interrupt":
        this.#end({ status: "waiting", usage, ...at });
        this.wait(outcome.interrupts);
    }
  }

  /** Says what a run waits for. */
  wait(interrupts: readonly AgUiInterrupt[]): void {
    this.#interrupts = interrupts;
    for (const { toolCallId } of interrupts) {
      if (toolCallId !== undefined) {
        this.change("tool", toolCallId, { status: "waiting" });
      }
    }
  }

  #end(end: Omit<EndItem, "kind" | "id">): void {
    this.#isRunning = false;
    this.#closeAll();
    const { runId = "none", sourceRunId, startedAt } = this.#run ?? {};
    this.put({
      kind: "end",
      id: runId,
      ...end,
      ...(sourceRunId === undefined ? {} : { sourceRunId }),
      ...(startedAt === undefined ? {} : { startedAt }),
    });
  }

  /** Nothing grows any more, whatever was said of it. */
  #closeAll(): void {
    for (const item of [...this.#items]) {
      if ((item.kind === "text" || item.kind === "reasoning") && item.isOpen) {
        this.put({ ...item, isOpen: false });
      }
      if (item.kind === "tool" && (item.status === "writing" || item.status === "running")) {
        this.put({ ...item, status: "not-made" });
      }
    }
  }
}

const keyOf = ({ kind, id }: ChatItem): string => `${kind} ${id}`;

const endedAt = (timestamp: number | undefined): { readonly endedAt?: number } =>
  timestamp === undefined ? {} : { endedAt: timestamp };

type PartEvent = Exclude<
  AgUiEvent,
  { readonly type: `RUN_${string}` | `STATE_${string}` | `STEP_${string}` | "CUSTOM" }
>;

function takePart(conversation: Conversation, event: PartEvent): void {
  switch (event.type) {
    case "TEXT_MESSAGE_START":
    case "REASONING_MESSAGE_START": {
      const { messageId: id, timestamp } = event;
      const begun = { id, text: "", isOpen: true, ...ownerOf(event) };
      const at = timestamp === undefined ? {} : { startedAt: timestamp };
      conversation.put(
        event.type === "TEXT_MESSAGE_START"
          ? { kind: "text", ...begun }
          : { kind: "reasoning", ...begun, ...at },
      );
      return;
    }
    case "TEXT_MESSAGE_CONTENT":
    case "REASONING_MESSAGE_CONTENT": {
      const { messageId, delta } = event;
      const kind = event.type === "TEXT_MESSAGE_CONTENT" ? "text" : "reasoning";
      const { text = "" } = conversation.find(kind, messageId) ?? {};
      conversation.change(kind, messageId, { text: text + delta });
      return;
    }
    case "TEXT_MESSAGE_END":
      conversation.change("text", event.messageId, { isOpen: false });
      return;
    case "REASONING_MESSAGE_END": {
      const { messageId, timestamp } = event;
      conversation.change("reasoning", messageId, { isOpen: false, ...endedAt(timestamp) });
      return;
    }
    case "REASONING_START":
    case "REASONING_END":
      return;
    case "SUBAGENT_STARTED":
    case "SUBAGENT_FINISHED":
    case "SUBAGENT_ERROR":
      takeSubagent(conversation, event);
      return;
    default:
      takeCall(conversation, event);
  }
}

function takeSubagent(
  conversation: Conversation,
  event: Extract<PartEvent, { readonly type: `SUBAGENT_${string}` }>,
): void {
  const id = event.subagentRunId;
  switch (event.type) {
    case "SUBAGENT_STARTED": {
      const { name, parentSubagentRunId: owner } = event;
      conversation.put({
        kind: "agent",
        id,
        name,
        status: "running",
        ...(owner === undefined ? {} : { owner }),
      });
      return;
    }
    case "SUBAGENT_FINISHED":
      conversation.change("agent", id, {
        status: event.outcome?.type === "suspended" ? "waiting" : "done",
      });
      return;
    default: {
      const { code = "internal-error", message } = event;
      conversation.change("agent", id, { status: "failed", error: { code, message } });
    }
  }
}

type CallEvent = Extract<PartEvent, { readonly type: `TOOL_CALL_${string}` }>;

function takeCall(conversation: Conversation, event: CallEvent): void {
  const { toolCallId: id, timestamp } = event;
  switch (event.type) {
    case "TOOL_CALL_START": {
      const at = timestamp === undefined ? {} : { startedAt: timestamp };
      conversation.put({ ...newCall(id, event.toolCallName), ...at, ...ownerOf(event) });
      return;
    }
    case "TOOL_CALL_ARGS": {
      const { argumentsText = "" } = conversation.find("tool", id) ?? {};
      conversation.change("tool", id, { argumentsText: argumentsText + event.delta });
      return;
    }
    case "TOOL_CALL_END":
      conversation.change("tool", id, { status: "running" });
      return;
    default: {
      const { content, metadata } = event;
      const said = (metadata?.["dragoman"] ?? {}) as { status?: string; code?: string }; // as our server writes it
      const known = conversation.find("tool", id) ?? { ...newCall(id, "tool"), ...ownerOf(event) };
      conversation.put({
        ...known,
        status: statuses[said.status ?? ""] ?? "done",
        ...(said.code === undefined ? {} : { code: said.code }),
        content: typeof content === "string" ? [{ type: "text", text: content }] : content,
        ...endedAt(timestamp),
      });
    }
  }
}

const statuses: Readonly<Record<string, ToolItem["status"]>> = {
  error: "failed",
  "not-made": "not-made",
};

const newCall = (id: string, name: string): ToolItem => ({
  kind: "tool",
  id,
  name,
  argumentsText: "",
  status: "writing",
  content: [],
  files: [],
});

const ownerOf = ({
  subagentRunId,
}: {
  readonly subagentRunId?: string;
}): { readonly owner?: string } => (subagentRunId === undefined ? {} : { owner: subagentRunId });
