import type { RunEventBody } from "../agent/run-event.ts";
import type { AgUiEventBody, AgUiMetadata } from "./ag-ui-event.ts";
import { inPieces } from "./in-pieces.ts";
import { resultContent } from "./result-content.ts";

/** An event of the protocol on its way, perhaps with something attached. */
export type Outgoing = AgUiEventBody & { readonly metadata?: AgUiMetadata };

/** The run events that concern one agent's own work. */
export type LaneEvent = Extract<
  RunEventBody,
  {
    readonly kind:
      | `step-${"start" | "end"}`
      | `${"text" | "reasoning" | "tool-call"}-${"start" | "delta" | "end"}`
      | `tool-${"start" | "end"}`
      | "model-start"
      | "model-end";
  }
>;

/** What a lane is made with. */
export interface LaneOptions {
  /** Makes the ids of messages unique within the thread. */
  readonly prefix: string;
  /** Whose work it is; absent for the run's own agent. */
  readonly subagentRunId?: string;
  /** The id of a call on the wire, unique within the run. */
  readonly wireIdOf: (callId: string) => string;
  /** Whether the client was shown the call in an earlier run of the thread. */
  readonly wasShown: (callId: string) => boolean;
}

/** A tool call as the client knows it. */
interface ShownCall {
  readonly wireId: string;
  readonly name: string;
  /** Whether its arguments are still being written. */
  open: boolean;
  hasArguments: boolean;
  answered: boolean;
  /** The turn that it was asked for in. */
  readonly turn: string;
}

/**
 * What one agent of a run has open on the wire: the run's own agent or a subagent. Takes run events and
 * gives events of the protocol, in an order that its rules allow; whatever is opened can be closed.
 */
export class Lane {
  readonly #options: LaneOptions;
  readonly #texts = new Map<string, string>();
  readonly #reasonings = new Set<string>();
  readonly #calls = new Map<string, ShownCall>();
  readonly #steps: string[] = [];
  readonly #messageIds = new Set<string>();
  readonly #turns = new Set<string>();
  #turn: string;

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#turn = `${options.prefix}0`;
  }

  get subagentRunId(): string | undefined {
    return this.#options.subagentRunId;
  }

  /** The message that the newest turn's calls hang on. */
  get turn(): string {
    return this.#turn;
  }

  /** Whether the client was sent any text of this agent. */
  get hasText(): boolean {
    return this.#messageIds.size > 0;
  }

  take(event: LaneEvent): readonly Outgoing[] {
    switch (event.kind) {
      case "step-start":
        return this.#startStep(`step ${event.step}`);
      case "step-end":
        return this.#endStep(`step ${event.step}`);
      case "model-start":
        this.#turn = this.#freshTurn(`${this.#options.prefix}${event.step}`);
        return [];
      case "model-end":
        return event.reason === "error" ? this.#abandonTurn() : [];
      case "text-start":
        return this.#startText(event.id);
      case "text-delta":
        return this.#growText(event.id, event.text);
      case "text-end":
        return this.#endText(event.id);
      case "reasoning-start":
        return this.#startReasoning(event.id);
      case "reasoning-delta":
        return this.#growReasoning(event.id, event.text);
      case "reasoning-end":
        return this.#endReasoning(event.id);
      case "tool-call-start":
        return this.#startCall(event.id, event.name);
      case "tool-call-delta":
        return this.#growCall(event.id, event.text);
      case "tool-call-end":
        return this.#endCall(this.#calls.get(event.id));
      case "tool-start":
        return this.#showCall(event.id, event.name, JSON.stringify(event.arguments));
      case "tool-end":
        return this.#answerCall(event);
      default:
        // Stored by a newer version.
        return [];
    }
  }

  /** The ids on the wire of the calls that were asked for in full and have no result. */
  unanswered(): readonly string[] {
    return [...this.#calls.values()]
      .filter(({ open, answered }) => !open && !answered)
      .map(({ wireId }) => wireId);
  }

  /** The id on the wire of a call that has no result, by the tool's name; the newest. */
  openCallOf(toolName: string): string | undefined {
    const found = [...this.#calls.values()].findLast(
      ({ name, answered }) => name === toolName && !answered,
    );
    return found?.wireId;
  }

  /** The id on the wire of a call. */
  wireIdOf(callId: string): string {
    return this.#options.wireIdOf(callId);
  }

  /** Ends whatever is open, the innermost first. */
  close(): readonly Outgoing[] {
    return [
      ...[...this.#texts.keys()].flatMap((id) => this.#endText(id)),
      ...[...this.#reasonings].flatMap((id) => this.#endReasoning(id)),
      ...[...this.#calls.values()].flatMap((call) => this.#endCall(call)),
      ...this.#steps.toReversed().flatMap((name) => this.#endStep(name)),
    ];
  }

  /** Answers the calls that will have no result, so that the client's history stays sound. */
  answerRest(why: string): readonly Outgoing[] {
    return [...this.#calls.values()].flatMap((call) =>
      call.answered ? [] : [...this.#endCall(call), this.#unmade(call, why)],
    );
  }

  /** A whole text at once. */
  say(text: string): readonly Outgoing[] {
    const id = "answer";
    return [...this.#startText(id), ...this.#growText(id, text), ...this.#endText(id)];
  }

  #freshTurn(wanted: string): string {
    let turn = wanted;
    for (let count = 2; this.#turns.has(turn); count += 1) {
      turn = `${wanted}.${count}`;
    }
    this.#turns.add(turn);
    return turn;
  }

  /** What a model that failed had asked for is not done; its next try asks anew. */
  #abandonTurn(): readonly Outgoing[] {
    const why = "Not called: the model's answer broke off, and it was asked again.";
    return [...this.#calls.values()].flatMap((call) =>
      call.answered || call.turn !== this.#turn
        ? []
        : [...this.#endCall(call), this.#unmade(call, why)],
    );
  }

  #startStep(stepName: string): readonly Outgoing[] {
    if (this.#steps.includes(stepName)) {
      return [];
    }
    this.#steps.push(stepName);
    return [this.#own({ type: "STEP_STARTED", stepName })];
  }

  #endStep(stepName: string): readonly Outgoing[] {
    const index = this.#steps.indexOf(stepName);
    if (index < 0) {
      return [];
    }
    this.#steps.splice(index, 1);
    return [this.#own({ type: "STEP_FINISHED", stepName })];
  }

  #startText(id: string): readonly Outgoing[] {
    if (this.#texts.has(id)) {
      return [];
    }
    // A turn's first text and its calls are one message; what it says after that are more.
    let messageId = this.#turn;
    for (let count = 2; this.#messageIds.has(messageId); count += 1) {
      messageId = `${this.#turn}-${count}`;
    }
    this.#messageIds.add(messageId);
    this.#texts.set(id, messageId);
    return [this.#own({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" })];
  }

  #growText(id: string, delta: string): readonly Outgoing[] {
    const started = this.#startText(id);
    const messageId = this.#texts.get(id) ?? id; // it was started just now
    const pieces = inPieces(delta).map((piece) =>
      this.#own({ type: "TEXT_MESSAGE_CONTENT", messageId, delta: piece }),
    );
    return [...started, ...pieces];
  }

  #endText(id: string): readonly Outgoing[] {
    const messageId = this.#texts.get(id);
    this.#texts.delete(id);
    return messageId === undefined ? [] : [this.#own({ type: "TEXT_MESSAGE_END", messageId })];
  }

  #startReasoning(id: string): readonly Outgoing[] {
    if (this.#reasonings.has(id)) {
      return [];
    }
    this.#reasonings.add(id);
    const messageId = this.#reasoningIdOf(id);
    return [
      this.#own({ type: "REASONING_START", messageId }),
      this.#own({ type: "REASONING_MESSAGE_START", messageId, role: "reasoning" }),
    ];
  }

  #growReasoning(id: string, delta: string): readonly Outgoing[] {
    const messageId = this.#reasoningIdOf(id);
    const pieces = inPieces(delta).map((piece) =>
      this.#own({ type: "REASONING_MESSAGE_CONTENT", messageId, delta: piece }),
    );
    return [...this.#startReasoning(id), ...pieces];
  }

  #endReasoning(id: string): readonly Outgoing[] {
    const messageId = this.#reasoningIdOf(id);
    return this.#reasonings.delete(id)
      ? [
          this.#own({ type: "REASONING_MESSAGE_END", messageId }),
          this.#own({ type: "REASONING_END", messageId }),
        ]
      : [];
  }

  #reasoningIdOf(id: string): string {
    return `${this.#options.prefix}reasoning-${id}`;
  }

  #startCall(id: string, toolCallName: string): readonly Outgoing[] {
    const toolCallId = this.#options.wireIdOf(id);
    this.#calls.set(id, {
      wireId: toolCallId,
      name: toolCallName,
      open: true,
      hasArguments: false,
      answered: false,
      turn: this.#turn,
    });
    const parentMessageId = this.#turn;
    return [this.#own({ type: "TOOL_CALL_START", toolCallId, toolCallName, parentMessageId })];
  }

  #growCall(id: string, delta: string): readonly Outgoing[] {
    const call = this.#calls.get(id);
    if (call?.open !== true) {
      return [];
    }
    call.hasArguments = true;
    return inPieces(delta).map((piece) =>
      this.#own({ type: "TOOL_CALL_ARGS", toolCallId: call.wireId, delta: piece }),
    );
  }

  #endCall(call: ShownCall | undefined): readonly Outgoing[] {
    if (call?.open !== true) {
      return [];
    }
    call.open = false;
    const { wireId: toolCallId } = call;
    // Clients parse the arguments, also of a call that has none.
    const empty: readonly Outgoing[] = call.hasArguments
      ? []
      : [this.#own({ type: "TOOL_CALL_ARGS", toolCallId, delta: "{}" })];
    return [...empty, this.#own({ type: "TOOL_CALL_END", toolCallId })];
  }

  /** The call of a tool that no model asked for in this stream: a plan's, or a hook's. */
  #showCall(id: string, name: string, text: string): readonly Outgoing[] {
    const call = this.#calls.get(id);
    if (call !== undefined) {
      return this.#endCall(call);
    }
    if (this.#options.wasShown(id)) {
      const wireId = this.#options.wireIdOf(id);
      const shown = { open: false, hasArguments: true, answered: false, turn: this.#turn };
      this.#calls.set(id, { wireId, name, ...shown });
      return [];
    }
    const started = this.#startCall(id, name);
    const grown = this.#growCall(id, text);
    return [...started, ...grown, ...this.#endCall(this.#calls.get(id))];
  }

  #answerCall({
    id,
    name,
    result,
  }: Extract<LaneEvent, { readonly kind: "tool-end" }>): readonly Outgoing[] {
    const shown = this.#showCall(id, name, "{}");
    const call = this.#calls.get(id);
    if (call === undefined || call.answered) {
      return shown;
    }
    call.answered = true;
    const status: AgUiMetadata =
      result.kind === "error"
        ? { dragoman: { status: "error", code: result.error.code } }
        : { dragoman: { status: result.kind } };
    return [...shown, this.#result(call, resultContent(result.content), status)];
  }

  #unmade(call: ShownCall, why: string): Outgoing {
    call.answered = true;
    return this.#result(call, why, { dragoman: { status: "not-made" } });
  }

  #result(
    { wireId: toolCallId }: ShownCall,
    content: ReturnType<typeof resultContent>,
    metadata: AgUiMetadata,
  ): Outgoing {
    const messageId = `${toolCallId}-result`;
    return {
      ...this.#own({ type: "TOOL_CALL_RESULT", messageId, toolCallId, content, role: "tool" }),
      metadata,
    };
  }

  #own<Body extends AgUiEventBody>(body: Body): Body {
    const { subagentRunId } = this.#options;
    return subagentRunId === undefined ? body : { ...body, subagentRunId };
  }
}
