import type { AgUiEvent, AgUiPatch } from "../src/ag-ui/ag-ui-event.ts";

/** What a stream must answer to. */
export interface StreamExpectations {
  readonly threadId: string;
  readonly runId: string;
  /** Calls that an earlier run of the thread has shown. */
  readonly shownCallIds?: readonly string[];
}

/** Types that begin, end and grow something, and the field that says what. */
const spans: readonly {
  readonly types: readonly string[];
  readonly grows?: string;
  readonly id: string;
}[] = [
  { types: ["STEP_STARTED", "STEP_FINISHED"], id: "stepName" },
  ...["TEXT_MESSAGE", "REASONING_MESSAGE"].map((name) => ({
    types: [`${name}_START`, `${name}_CONTENT`, `${name}_END`],
    grows: `${name}_CONTENT`,
    id: "messageId",
  })),
  { types: ["REASONING_START", "REASONING_END"], id: "messageId" },
  {
    types: ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END"],
    grows: "TOOL_CALL_ARGS",
    id: "toolCallId",
  },
  { types: ["SUBAGENT_STARTED", "SUBAGENT_FINISHED", "SUBAGENT_ERROR"], id: "subagentRunId" },
];

/**
 * The rules of AG-UI 1.0 that this stream breaks, in words; among them those that the official client's
 * verifier does not check: one terminal event, the ids of the input, results of calls, pending calls,
 * sums of tokens, patches that apply.
 */
export function brokenRules(
  events: readonly AgUiEvent[],
  expected: StreamExpectations,
): readonly string[] {
  const rules = new Rules(expected);
  events.forEach((event, index) => {
    rules.check(event, index === 0, index === events.length - 1);
  });
  return rules.broken;
}

class Rules {
  readonly broken: string[] = [];
  readonly #expected: StreamExpectations;
  /** What is open, and whose it is. */
  readonly #open = new Map<string, string>();
  readonly #calls = new Map<string, "open" | "ended" | "answered">();
  readonly #messages = new Set<string>();
  readonly #subagents = new Set<string>();
  #state: Record<string, unknown> | undefined;

  constructor(expected: StreamExpectations) {
    this.#expected = expected;
    for (const id of expected.shownCallIds ?? []) {
      this.#calls.set(id, "ended");
    }
  }

  check(event: AgUiEvent, isFirst: boolean, isLast: boolean): void {
    this.#that(isFirst === (event.type === "RUN_STARTED"), `RUN_STARTED, and only that, is first`);
    const isTerminal = event.type === "RUN_FINISHED" || event.type === "RUN_ERROR";
    this.#that(isLast === isTerminal, `one terminal event, the last (${event.type})`);
    const parsed: unknown = JSON.parse(JSON.stringify(event));
    this.#that(!hasNull(parsed), `no null in ${JSON.stringify(event)}`);
    // A result says by itself whose it is; the subagent may have begun in an earlier run.
    const ownsItself = event.type === "SUBAGENT_STARTED" || event.type === "TOOL_CALL_RESULT";
    if ("subagentRunId" in event && !ownsItself) {
      this.#that(
        this.#subagents.has(event.subagentRunId ?? ""),
        `${event.type} of a subagent that never began: ${event.subagentRunId}`,
      );
    }
    this.#checkBody(event);
  }

  #checkBody(event: AgUiEvent): void {
    this.#checkSpan(event);
    switch (event.type) {
      case "RUN_STARTED":
        this.#checkIds(event);
        break;
      case "TEXT_MESSAGE_START":
        this.#isNewMessage(event.messageId);
        break;
      case "TOOL_CALL_START":
        this.#that(!this.#calls.has(event.toolCallId), `${event.toolCallId} is a new call`);
        this.#calls.set(event.toolCallId, "open");
        break;
      case "TOOL_CALL_END":
        this.#calls.set(event.toolCallId, "ended");
        break;
      case "TOOL_CALL_RESULT":
        this.#checkResult(event);
        break;
      case "SUBAGENT_STARTED":
        this.#checkSubagent(event);
        break;
      case "STATE_SNAPSHOT":
        this.#state = structuredClone(event.snapshot) as Record<string, unknown>; // tests use objects
        break;
      case "STATE_DELTA":
        this.#patch(event.delta);
        break;
      case "CUSTOM":
        this.#that(event.name.startsWith("dragoman."), `a custom event is ours: ${event.name}`);
        break;
      case "RUN_FINISHED":
        this.#checkIds(event);
        this.#checkFinish(event);
        break;
      case "RUN_ERROR":
        this.#that(this.#open.size === 0, `all is closed: ${[...this.#open.keys()]}`);
        this.#checkUsage(event.usage);
        break;
      default:
    }
  }

  /** What is opened, grows and is closed by its owner. */
  #checkSpan(event: AgUiEvent): void {
    const span = spans.find(({ types }) => types.includes(event.type));
    if (span === undefined) {
      return;
    }
    const isSubagent = span.id === "subagentRunId";
    const fields = event as unknown as Record<string, string | undefined>; // the table names its fields
    const owner = isSubagent ? "" : (fields["subagentRunId"] ?? "");
    const own = fields[span.id] ?? "";
    const id = span.id === "stepName" ? `${owner} ${own}` : own;
    const key = `${span.types[0]} ${id}`;
    if (event.type === span.types[0]) {
      this.#that(!this.#open.has(key), `${key} is not open already`);
      this.#open.set(key, owner);
      return;
    }
    this.#that(this.#open.get(key) === owner, `${key} is open, and of "${owner}"`);
    if (event.type !== span.grows) {
      this.#open.delete(key);
    }
  }

  #checkResult({
    toolCallId,
    messageId,
  }: Extract<AgUiEvent, { readonly type: "TOOL_CALL_RESULT" }>): void {
    const state = this.#calls.get(toolCallId);
    this.#that(state === "ended", `a result for ${toolCallId}, which is ${state}`);
    this.#calls.set(toolCallId, "answered");
    this.#isNewMessage(messageId);
  }

  #checkSubagent({
    subagentRunId,
    parentSubagentRunId: parent,
  }: Extract<AgUiEvent, { readonly type: "SUBAGENT_STARTED" }>): void {
    this.#that(!this.#subagents.has(subagentRunId), "a subagent's id is used once");
    this.#that(parent === undefined || this.#subagents.has(parent), "its parent began before");
    this.#subagents.add(subagentRunId);
  }

  #isNewMessage(messageId: string): void {
    this.#that(!this.#messages.has(messageId), `${messageId} is a new message`);
    this.#messages.add(messageId);
  }

  #checkFinish({ outcome, usage }: Extract<AgUiEvent, { readonly type: "RUN_FINISHED" }>): void {
    this.#that(this.#open.size === 0, `all is closed: ${[...this.#open.keys()]}`);
    const unanswered = [...this.#calls].filter(([, state]) => state !== "answered");
    if (outcome === undefined || outcome.type === "success") {
      const pending = outcome?.pendingToolCallIds ?? [];
      this.#that(
        JSON.stringify(unanswered.map(([id]) => id)) === JSON.stringify(pending),
        `calls without a result are the pending ones: ${unanswered} and ${pending}`,
      );
    }
    if (outcome?.type === "interrupt") {
      this.#that(outcome.interrupts.length > 0, "an interrupted run says by what");
      for (const { toolCallId } of outcome.interrupts) {
        this.#that(
          toolCallId === undefined || this.#calls.get(toolCallId) === "ended",
          `the interrupt's call was shown and has no result: ${toolCallId}`,
        );
      }
    }
    this.#checkUsage(usage);
  }

  #checkUsage(usage: Extract<AgUiEvent, { readonly type: "RUN_ERROR" }>["usage"]): void {
    const models = (usage ?? []).map(({ provider, model }) => `${provider}:${model}`);
    this.#that(new Set(models).size === models.length, "one entry for each model");
    for (const entry of usage ?? []) {
      this.#that(entry.totalTokens === entry.inputTokens + entry.outputTokens, "total = in + out");
      this.#that((entry.cachedInputTokens ?? 0) <= entry.inputTokens, "cached is part of input");
      this.#that((entry.reasoningTokens ?? 0) <= entry.outputTokens, "reasoning is part of output");
    }
  }

  #checkIds({ threadId, runId }: { readonly threadId: string; readonly runId: string }): void {
    this.#that(threadId === this.#expected.threadId, `the thread's id is the input's: ${threadId}`);
    this.#that(runId === this.#expected.runId, `the run's id is the input's: ${runId}`);
  }

  #patch(delta: readonly AgUiPatch[]): void {
    for (const operation of delta) {
      const key = operation.path.slice(1).replaceAll("~1", "/").replaceAll("~0", "~");
      const has = this.#state !== undefined && Object.hasOwn(this.#state, key);
      this.#that(operation.op === "add" ? !has : has, `${operation.op} ${operation.path} applies`);
      if (operation.op === "remove") {
        delete this.#state?.[key];
      } else if (this.#state !== undefined) {
        this.#state[key] = operation.value;
      }
    }
  }

  #that(holds: boolean, rule: string): void {
    if (!holds) {
      this.broken.push(rule);
    }
  }
}

/** A `null` where an optional field is meant; what is free JSON is not looked at. */
function hasNull(value: unknown): boolean {
  return Object.entries(value as object).some(
    ([key, inner]) =>
      !["value", "snapshot", "result", "metadata", "responseSchema"].includes(key) &&
      (inner === null || (typeof inner === "object" && hasNull(inner))),
  );
}
