import type { RunEvent } from "../../src/agent/run-event.ts";
import type { Json, JsonObject } from "../../src/base/json.ts";
import type { Usage } from "../../src/model/usage.ts";
import type { ToolProgress } from "../../src/tool/tool.ts";

/** What a row is about. */
export type RowKind = "agent" | "model" | "tool" | "wait" | "server" | "note";

/** How a row stands. */
export type RowStatus = "running" | "waiting" | "ok" | "failed" | "cancelled";

/** One thing that took time in a run, or happened at one moment. */
export interface TimelineRow {
  readonly id: string;
  readonly kind: RowKind;
  readonly label: string;
  /** The server of a tool, the code of a notice. */
  readonly detail?: string;
  /** How deep its agent is in the run; 0 for the one that was asked. */
  readonly depth: number;
  /** Milliseconds since the Unix epoch. */
  readonly start: number;
  /** Absent while it goes on. The same as `start` where it took no time. */
  readonly end?: number;
  readonly status: RowStatus;
  /** What a model said or a tool gave, or a notice says. */
  readonly text?: string;
  readonly reasoning?: string;
  readonly arguments?: JsonObject;
  readonly data?: Json;
  /** How far a tool has come that is not done. */
  readonly progress?: ToolProgress;
  readonly usage?: Usage;
  readonly error?: { readonly code: string; readonly message: string };
}

/** A time in which the run did nothing but wait. */
export interface Pause {
  readonly start: number;
  /** Absent while it lasts. */
  readonly end?: number;
}

/** The timeline of one run, made of its events in their order. A row is replaced when it changes. */
export class RunTimeline {
  readonly #rows: TimelineRow[] = [];
  readonly #places = new Map<string, number>();
  readonly #pauses: Pause[] = [];
  /** The model call of each participant that is going on, by its part. */
  readonly #models = new Map<string, string>();
  #start: number | undefined;
  #end: number | undefined;
  #last = 0;

  get rows(): readonly TimelineRow[] {
    return this.#rows;
  }

  get pauses(): readonly Pause[] {
    return this.#pauses;
  }

  /** Of its first event. */
  get start(): number | undefined {
    return this.#start;
  }

  /** Of its end, once there is one. */
  get end(): number | undefined {
    return this.#end;
  }

  /** Of the newest event. */
  get last(): number {
    return this.#last;
  }

  take(event: RunEvent): void {
    this.#start ??= event.time;
    this.#last = Math.max(this.#last, event.time);
    switch (event.kind) {
      case "run-suspend":
        this.#pause(event);
        return;
      case "run-resume":
        this.#goOn(event.time);
        return;
      case "run-end":
        this.#finish(event);
        return;
      case "agent-start":
      case "agent-end":
        this.#takeAgent(event);
        return;
      case "model-start":
      case "model-end":
      case "model-retry":
      case "text-delta":
      case "reasoning-delta":
        this.#takeModel(event);
        return;
      case "tool-start":
      case "tool-progress":
      case "tool-end":
        this.#takeTool(event);
        return;
      default:
        this.#takeMoment(event);
    }
  }

  #takeAgent(event: Extract<RunEvent, { readonly kind: "agent-start" | "agent-end" }>): void {
    const { agent, part = "", time } = event;
    const id = `agent ${part} ${agent}`;
    const depth = Math.max(0, depthOf(event) - 1);
    if (event.kind === "agent-start") {
      this.#put({ id, kind: "agent", label: agent, depth, start: time, status: "running" });
      return;
    }
    const { status, text, usage, error } = event;
    this.#change(id, {
      end: time,
      status: agentStatuses[status],
      text,
      usage,
      ...(error === undefined ? {} : { error }),
    });
  }

  #takeModel(
    event: Extract<
      RunEvent,
      { readonly kind: `model-${string}` | "text-delta" | "reasoning-delta" }
    >,
  ): void {
    const { part = "", time } = event;
    const current = this.#models.get(part) ?? "";
    switch (event.kind) {
      case "model-start": {
        const id = `model ${part} ${event.sequence}`;
        this.#models.set(part, id);
        const { model: label, step } = event;
        const detail = `step ${step}`;
        const depth = depthOf(event);
        this.#put({ id, kind: "model", label, detail, depth, start: time, status: "running" });
        return;
      }
      case "text-delta":
        this.#change(current, { text: (this.#find(current)?.text ?? "") + event.text });
        return;
      case "reasoning-delta":
        this.#change(current, { reasoning: (this.#find(current)?.reasoning ?? "") + event.text });
        return;
      case "model-retry":
        this.#change(current, { status: "failed", error: event.error });
        return;
      default: {
        const { reason, usage } = event;
        const status = reason === "error" ? "failed" : reason === "cancelled" ? reason : "ok";
        this.#change(current, { end: time, status, usage });
      }
    }
  }

  #takeTool(
    event: Extract<RunEvent, { readonly kind: `tool-${"start" | "progress" | "end"}` }>,
  ): void {
    const { part = "", time } = event;
    const id = `tool ${part} ${event.id}`;
    switch (event.kind) {
      case "tool-start": {
        const { name: label, arguments: given, source } = event;
        const depth = depthOf(event);
        const from = source === undefined ? {} : { detail: source.server };
        // A call that is made after a wait is the same call.
        const known = this.#find(id);
        const row = { id, kind: "tool", label, depth, arguments: given, ...from } as const;
        this.#put({ ...row, start: known?.start ?? time, status: "running" });
        return;
      }
      case "tool-progress":
        this.#change(id, { progress: event.progress });
        return;
      default: {
        const { result } = event;
        const text = result.content
          .map((part) => (part.kind === "text" ? part.text : `[${part.mediaType}]`))
          .join("\n");
        const failed = result.kind === "error" ? { error: result.error } : {};
        const status = result.kind === "error" ? "failed" : "ok";
        const { progress: _, ...row } = this.#find(id) ?? newCall(event, id);
        this.#put({ ...row, end: time, status, text, ...failed });
      }
    }
  }

  #takeMoment(event: RunEvent): void {
    const moment = momentOf(event);
    if (moment !== undefined) {
      const { time, sequence } = event;
      const id = `moment ${sequence}`;
      this.#put({ id, depth: depthOf(event), start: time, end: time, status: "ok", ...moment });
    }
  }

  #pause({ time, waitingFor }: Extract<RunEvent, { readonly kind: "run-suspend" }>): void {
    this.#pauses.push({ start: time });
    const id = `wait ${this.#pauses.length}`;
    const what = waitingFor.map((one) => (one.kind === "elicitation" ? one.server : one.call.name));
    const label = `Waiting: ${[...new Set(what)].join(", ")}`;
    this.#put({ id, kind: "wait", label, depth: 0, start: time, status: "waiting" });
    this.#settleRows(time, "waiting");
  }

  #goOn(time: number): void {
    const pause = this.#pauses.at(-1);
    if (pause !== undefined && pause.end === undefined) {
      this.#pauses[this.#pauses.length - 1] = { ...pause, end: time };
      this.#change(`wait ${this.#pauses.length}`, { end: time, status: "ok" });
    }
    this.#end = undefined;
  }

  #finish({ time, status }: Extract<RunEvent, { readonly kind: "run-end" }>): void {
    this.#goOn(time);
    this.#end = time;
    this.#settleRows(time, status === "failed" ? "failed" : "cancelled");
  }

  /** What was going on is so no more. */
  #settleRows(time: number, status: RowStatus): void {
    for (const row of [...this.#rows]) {
      if (row.kind !== "wait" && (row.status === "running" || row.status === "waiting")) {
        this.#change(row.id, status === "waiting" ? { status } : { status, end: row.end ?? time });
      }
    }
  }

  #find(id: string): TimelineRow | undefined {
    const place = this.#places.get(id);
    return place === undefined ? undefined : this.#rows[place];
  }

  #put(row: TimelineRow): void {
    const place = this.#places.get(row.id);
    if (place === undefined) {
      this.#places.set(row.id, this.#rows.length);
      this.#rows.push(row);
    } else {
      this.#rows[place] = row;
    }
  }

  #change(id: string, changes: Partial<TimelineRow>): void {
    const row = this.#find(id);
    if (row !== undefined) {
      this.#put({ ...row, ...changes });
    }
  }
}

/** A call of whose beginning nothing was told. */
const newCall = (
  event: Extract<RunEvent, { readonly kind: "tool-end" }>,
  id: string,
): TimelineRow => {
  const { name: label, time: start } = event;
  return { id, kind: "tool", label, depth: depthOf(event), start, status: "running" };
};

const depthOf = ({ agentPath }: RunEvent): number => Math.max(0, agentPath.length - 1);

const agentStatuses = {
  completed: "ok",
  failed: "failed",
  cancelled: "cancelled",
  suspended: "waiting",
} as const;

type Moment = Pick<TimelineRow, "kind" | "label"> & Partial<TimelineRow>;

/** What takes no time; `undefined` for what other rows tell. */
function momentOf(event: RunEvent): Moment | undefined {
  switch (event.kind) {
    case "server-connect": {
      const { server, tools } = event;
      return { kind: "server", label: `Connected ${server}`, data: { tools } };
    }
    case "server-fail": {
      const { server, error } = event;
      return { kind: "server", label: `Failed ${server}`, status: "failed", error };
    }
    case "server-log": {
      const { server, level, data } = event;
      return { kind: "server", label: `${server} says`, detail: level, data };
    }
    case "discovery-end": {
      const { of, reason } = event;
      const data = JSON.parse(
        JSON.stringify(event.of === "servers" ? event.servers : event.tools),
      ) as Json; // plain JSON
      return { kind: "note", label: `Discovery of ${of}`, detail: reason, data };
    }
    case "approval-request":
      return {
        kind: "note",
        label: "Approval asked for",
        data: JSON.parse(JSON.stringify(event.waiting)) as Json, // plain JSON
      };
    case "approval-end":
      return {
        kind: "note",
        label: "Decided",
        detail: event.decision.kind,
        data: { ...event.decision },
      };
    case "artifact-create": {
      const { name, mediaType, size = null } = event;
      return { kind: "note", label: `File ${name ?? mediaType}`, data: { mediaType, size } };
    }
    case "memory-set":
      return { kind: "note", label: `Memory: ${event.key}`, data: event.value };
    case "session-save":
      return { kind: "note", label: "Conversation saved", detail: `${event.messages} messages` };
    case "notice":
      return { kind: "note", label: event.message, detail: event.code };
    default:
      return undefined;
  }
}
