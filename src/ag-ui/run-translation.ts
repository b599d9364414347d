import type { RunEvent } from "../agent/run-event.ts";
import type { RunFailure } from "../agent/run-failure.ts";
import type { RunResult } from "../agent/run-result.ts";
import { type JsonObject, toJson } from "../base/json.ts";
import { type AgUiEvent, type AgUiOutcome, agUiVersion } from "./ag-ui-event.ts";
import { customEvent } from "./custom-event.ts";
import { mostCharacters } from "./in-pieces.ts";
import type { LaneEvent, Outgoing } from "./lane.ts";
import { LaneTree } from "./lane-tree.ts";
import { partOf } from "./run-part.ts";
import { isDecidable, toInterrupt } from "./to-interrupt.ts";
import { UsageByModel } from "./usage-by-model.ts";

/** What a translation is told besides the events. */
export interface TranslationOptions {
  /** The client's conversation. */
  readonly threadId: string;
  /** The client's id of this run, which need not be ours: a resumed run of ours is a new one there. */
  readonly runId: string;
  /** The run that this one branches off, as the client said. */
  readonly parentRunId?: string;
  /**
   * The trace that the run belongs to, sent as the custom event `dragoman.trace_context`. Default: the
   * one that the run tells of.
   */
  readonly traceContext?: { readonly traceparent: string; readonly tracestate?: string };
  /** Calls, by their ids on the wire, that the client saw in an earlier run: they get a result and no more. */
  readonly shownCallIds?: readonly string[];
}

/**
 * Turns the events of one run into events of AG-UI, one by one. The first is `RUN_STARTED`; after one
 * terminal event there is nothing more, and before it everything that was opened is closed.
 */
export class RunTranslation {
  readonly #options: TranslationOptions;
  readonly #usage = new UsageByModel();
  #lanes: LaneTree | undefined;
  #ended = false;

  constructor(options: TranslationOptions) {
    this.#options = options;
  }

  /** Whether the terminal event was given. */
  get ended(): boolean {
    return this.#ended;
  }

  /** @param result how the run ended, if that is known; its output is in no event. */
  take(event: RunEvent, result?: RunResult): readonly AgUiEvent[] {
    if (this.#ended) {
      return [];
    }
    const started = this.#start(event);
    const timestamp = event.time;
    return [...started, ...this.#translate(event, result)].map((one) => ({ ...one, timestamp }));
  }

  /** Ends a stream whose source broke, or ended without an end. */
  fail(error: RunFailure): readonly AgUiEvent[] {
    if (this.#ended) {
      return [];
    }
    return [...(this.#lanes === undefined ? this.#opening("") : []), ...this.#failed(error)];
  }

  #start(event: RunEvent): readonly Outgoing[] {
    if (this.#lanes !== undefined) {
      return [];
    }
    this.#lanes = new LaneTree({
      runId: event.runId,
      shownCallIds: this.#options.shownCallIds ?? [],
    });
    const isBeginning = event.kind === "run-start" || event.kind === "run-resume";
    return this.#opening(event.runId, isBeginning ? event.trace : undefined);
  }

  #opening(ownRunId: string, trace?: TranslationOptions["traceContext"]): readonly Outgoing[] {
    const { threadId, runId, parentRunId, traceContext = trace } = this.#options;
    const parent = parentRunId === undefined ? {} : { parentRunId };
    return [
      {
        type: "RUN_STARTED",
        threadId,
        runId,
        protocolVersion: agUiVersion,
        ...parent,
        ...(ownRunId === "" ? {} : { metadata: { dragoman: { runId: ownRunId } } }),
      },
      ...(traceContext === undefined
        ? []
        : [{ type: "CUSTOM", name: "dragoman.trace_context", value: traceContext } as const]),
    ];
  }

  #translate(event: RunEvent, result: RunResult | undefined): readonly Outgoing[] {
    const lanes = this.#lanes as LaneTree; // #start made it
    switch (event.kind) {
      case "run-start":
      case "run-resume":
      case "session-save":
      case "memory-set":
      case "server-log": // an operator's business, not a front end's
      case "approval-request":
      case "approval-end":
        return [];
      case "run-suspend":
        return this.#suspended(event);
      case "run-end":
        return this.#finished(event, result);
      case "agent-start":
        return lanes.open(partOf(event));
      case "agent-end":
        return lanes.end(event);
      case "model-end":
        this.#usage.add(event.model, event.usage);
        return this.#inLane(event, event);
      case "model-retry":
      case "tool-progress":
      case "artifact-create":
      case "server-connect":
      case "server-fail":
      case "discovery-end":
      case "notice": {
        const { opened, lane } = lanes.at(partOf(event));
        return [...opened, ...customEvent(event, lane)];
      }
      default:
        return this.#inLane(event, event);
    }
  }

  #inLane(event: RunEvent, body: LaneEvent): readonly Outgoing[] {
    const { opened, lane } = (this.#lanes as LaneTree).at(partOf(event));
    return [...opened, ...lane.take(body)];
  }

  #finished(
    end: Extract<RunEvent, { readonly kind: "run-end" }>,
    result: RunResult | undefined,
  ): readonly Outgoing[] {
    const lanes = this.#lanes as LaneTree; // #start made it
    // An answer that could not be kept counts as a failure although its events said otherwise.
    const error = result?.status === "failed" ? result.error : end.error;
    if (end.status === "failed" || error !== undefined) {
      return this.#failed(error ?? { code: "internal-error", message: "" });
    }
    if (end.status === "cancelled") {
      const closed = lanes.closeAll("cancelled");
      return [...closed, this.#finish({ type: "cancelled" })];
    }
    // A hook may have answered without a model, and then nothing was streamed.
    const unsaid = lanes.root.hasText || end.text === "" ? [] : lanes.root.say(end.text);
    const output = result?.status === "completed" ? result.output : undefined;
    const finishReason =
      result?.status === "completed" ? { finishReason: result.finishReason } : {};
    // What was streamed is not sent again where it is large.
    const value = {
      ...(end.text.length > mostCharacters ? {} : { text: end.text }),
      ...outputOf(output),
      ...finishReason,
    };
    return [...unsaid, ...lanes.closeAll("completed"), this.#finish({ type: "success" }, value)];
  }

  #suspended({
    waitingFor,
    runId,
  }: Extract<RunEvent, { readonly kind: "run-suspend" }>): readonly Outgoing[] {
    const lanes = this.#lanes as LaneTree; // #start made it
    const names = new Map(waitingFor.map((waiting) => [waiting, lanes.namesOf(waiting)]));
    const interrupts = waitingFor
      .filter(isDecidable)
      .map((waiting) => toInterrupt(waiting, { runId, ...names.get(waiting) }));
    const closed = lanes.closeAll("suspended", interrupts);
    if (interrupts.length > 0) {
      // Calls of the client's tools wait until a person has decided on the rest.
      return [...closed, this.#finish({ type: "interrupt", interrupts })];
    }
    const pendingToolCallIds = [...names.values()].flatMap(({ toolCallId = [] }) => toolCallId);
    return [...closed, this.#finish({ type: "success", pendingToolCallIds })];
  }

  #finish(outcome: AgUiOutcome, result?: JsonObject): Outgoing {
    this.#ended = true;
    const { threadId, runId } = this.#options;
    const usage = this.#usage.entries();
    return {
      type: "RUN_FINISHED",
      threadId,
      runId,
      ...(result === undefined ? {} : { result }),
      outcome,
      ...(usage.length === 0 ? {} : { usage }),
    };
  }

  #failed({ code, message }: RunFailure): readonly Outgoing[] {
    const closed = this.#lanes?.closeAll("failed") ?? [];
    this.#ended = true;
    const usage = this.#usage.entries();
    return [
      ...closed,
      {
        type: "RUN_ERROR",
        // What an unexpected error says may be about the inside of the server.
        message: code === "internal-error" ? "The run failed by an internal error." : message,
        code,
        ...(usage.length === 0 ? {} : { usage }),
      },
    ];
  }
}

/** A typed answer, where it can be sent. */
function outputOf(output: unknown): JsonObject {
  const json = output === undefined ? undefined : toJson(output);
  const isSent = json !== undefined && JSON.stringify(json).length <= mostCharacters;
  return isSent ? { output: json } : {};
}
