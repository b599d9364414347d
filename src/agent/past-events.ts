import type { TraceContext } from "../base/trace-context.ts";
import type { RunEvent, RunEventBody } from "./run-event.ts";

/** An event and whose it is. */
export interface PlacedEvent {
  readonly body: RunEventBody;
  readonly agentPath: readonly string[];
  /** As in `RunEventPlace`; empty for the participant that was asked. */
  readonly part: string;
}

/**
 * What makes an event that the loop publishes again, when it goes over its recorded steps, the same as
 * before: not all of what it says, since a server may be there again in another version. `undefined` for
 * what happens inside a step, or each time anew.
 */
function identityOf(body: RunEventBody): readonly (string | number)[] | undefined {
  switch (body.kind) {
    case "run-start":
      return [];
    case "agent-start":
      return [body.agent];
    case "agent-end":
      return body.status === "suspended" ? undefined : [body.agent, body.status];
    case "step-start":
    case "step-end":
      return [body.step];
    case "tool-start":
    case "tool-end":
    case "approval-end":
    case "artifact-create":
      return [body.id];
    case "approval-request":
      return [body.waiting.id];
    case "server-connect":
    case "server-fail":
      return [body.server];
    case "session-save":
      return [body.session];
    case "discovery-end":
      return [body.of];
    case "notice":
      return [body.code, body.message];
    default:
      return undefined;
  }
}

/** Kinds that happen inside a step, and so do not happen again where the step is only looked up. */
const insideSteps: ReadonlySet<RunEventBody["kind"]> = new Set<RunEventBody["kind"]>([
  "model-start",
  "model-end",
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

/** Whether a later execution must know of the event. */
export const isOutsideSteps = ({ kind }: RunEventBody): boolean => !insideSteps.has(kind);

/** Events of earlier executions of a run, so that none is published twice. */
export class PastEvents {
  readonly #counts = new Map<string, number>();

  constructor(events: readonly PlacedEvent[]) {
    for (const event of events) {
      const key = keyOf(event);
      if (key !== undefined) {
        this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
      }
    }
  }

  /** Whether the event was published before; counts as met then. */
  meet(event: PlacedEvent): boolean {
    const key = this.#counts.size === 0 ? undefined : keyOf(event);
    const count = key === undefined ? 0 : (this.#counts.get(key) ?? 0);
    if (key === undefined || count === 0) {
      return false;
    }
    this.#counts.set(key, count - 1);
    return true;
  }
}

/** An event of a store without what only that occurrence had. */
export function placedEvent({
  runId,
  sequence,
  time,
  agentPath,
  part = "",
  ...body
}: RunEvent): PlacedEvent {
  return { body, agentPath, part };
}

function keyOf({ body, agentPath, part }: PlacedEvent): string | undefined {
  const identity = identityOf(body);
  return identity && JSON.stringify([agentPath, part, body.kind, identity]);
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
  for (const { body, agentPath, part } of events) {
    const place = JSON.stringify([agentPath, part]);
    switch (body.kind) {
      case "text-start":
      case "reasoning-start":
      case "tool-call-start": {
        const kind = endKinds[body.kind];
        open.set(`${place} ${kind} ${body.id}`, { body: { kind, id: body.id }, agentPath, part });
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
        open.set(`${place} model`, { body: end, agentPath, part });
        break;
      }
      case "model-end":
        open.delete(`${place} model`);
        break;
      default:
    }
  }
  return [...open.values()].reverse(); // the innermost first
}

const endKinds = {
  "text-start": "text-end",
  "reasoning-start": "reasoning-end",
  "tool-call-start": "tool-call-end",
} as const;
