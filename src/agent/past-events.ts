import { canonicalJson } from "../base/canonical-json.ts";
import type { Json } from "../base/json.ts";
import type { TraceContext } from "../base/trace-context.ts";
import type { RunEvent, RunEventBody } from "./run-event.ts";

/** An event and whose it is. */
export interface PlacedEvent {
  readonly body: RunEventBody;
  readonly agentPath: readonly string[];
}

/**
 * Kinds that happen inside a step, and so do not happen again where the step is only looked up. All
 * others are published by the loop itself, anew with each execution.
 */
const insideSteps: ReadonlySet<RunEventBody["kind"]> = new Set<RunEventBody["kind"]>([
  "model-start",
  "model-retry",
  "text-start",
  "text-delta",
  "text-end",
  "reasoning-start",
  "reasoning-delta",
  "reasoning-end",
  "tool-call-start",
  "tool-call-delta",
  "tool-call-end",
  "tool-progress",
  "memory-set",
]);

/** Whether the loop publishes such an event again when it goes over its recorded steps. */
export const isRepeated = ({ kind }: RunEventBody): boolean => !insideSteps.has(kind);

/** Each execution has its own beginning, and its own end where it waits. */
const isMet = (body: RunEventBody): boolean =>
  isRepeated(body) && body.kind !== "run-resume" && body.kind !== "run-suspend";

/** Events of earlier executions of a run, so that none is published twice. */
export class PastEvents {
  readonly #counts = new Map<string, number>();

  constructor(events: readonly PlacedEvent[]) {
    for (const event of events.filter(({ body }) => isMet(body))) {
      const key = keyOf(event);
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    }
  }

  /** Whether the event was published before; counts as met then. */
  meet(event: PlacedEvent): boolean {
    if (this.#counts.size === 0 || !isMet(event.body)) {
      return false;
    }
    const key = keyOf(event);
    const count = this.#counts.get(key);
    if (count === undefined) {
      return false;
    }
    if (count === 1) {
      this.#counts.delete(key);
    } else {
      this.#counts.set(key, count - 1);
    }
    return true;
  }
}

/** An event of a store without what only that occurrence had. */
export function placedEvent({ runId, sequence, time, agentPath, ...body }: RunEvent): PlacedEvent {
  return { body, agentPath };
}

const keyOf = ({ body, agentPath }: PlacedEvent): string =>
  canonicalJson([[...agentPath], withoutTrace(body) as unknown as Json]); // events are plain JSON

/** Each execution has a span of its own, and all the same the run has begun once. */
function withoutTrace(body: RunEventBody): RunEventBody {
  if (body.kind !== "run-start") {
    return body;
  }
  const { trace: _, ...rest } = body;
  return rest;
}

/** Where the last execution was traced, if it was. */
export function lastTrace(events: readonly PlacedEvent[]): TraceContext | undefined {
  return events.reduce<TraceContext | undefined>(
    (last, { body }) =>
      body.kind === "run-start" || body.kind === "run-resume" ? (body.trace ?? last) : last,
    undefined,
  );
}

/**
 * What closes the texts, calls and model calls that an execution left open when its process ended.
 *
 * @param events in their order.
 */
export function closingEvents(events: readonly PlacedEvent[]): readonly PlacedEvent[] {
  const open = new Map<string, PlacedEvent>();
  for (const { body, agentPath } of events) {
    const place = JSON.stringify(agentPath);
    switch (body.kind) {
      case "text-start":
      case "reasoning-start":
      case "tool-call-start": {
        const kind = endKinds[body.kind];
        open.set(`${place} ${kind} ${body.id}`, { body: { kind, id: body.id }, agentPath });
        break;
      }
      case "text-end":
      case "reasoning-end":
      case "tool-call-end":
        open.delete(`${place} ${body.kind} ${body.id}`);
        break;
      case "model-start": {
        const usage = { inputTokens: 0, outputTokens: 0 };
        const { step, model } = body;
        const end = { kind: "model-end", step, model, reason: "error", usage } as const;
        open.set(`${place} model`, { body: end, agentPath });
        break;
      }
      case "model-end":
        open.delete(`${place} model`);
        break;
      default:
    }
  }
  return [...open.values()];
}

const endKinds = {
  "text-start": "text-end",
  "reasoning-start": "reasoning-end",
  "tool-call-start": "tool-call-end",
} as const;
