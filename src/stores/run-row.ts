import type { JoinedEvent } from "../agent/joined-events.ts";
import { RunError } from "../agent/run-error.ts";
import type { RunEvent } from "../agent/run-event.ts";
import type { RunChanges, RunRecord, RunStatus, StepRecord } from "../agent/run-store.ts";
import type { Decision } from "../agent/waiting.ts";
import { isJsonObject, type Json, type JsonObject, parseJson } from "../base/json.ts";
import type { StoreKind } from "./store-kind.ts";

/** Databases that runs are kept in. */
export const runKind: StoreKind = {
  what: "runs",
  ifUnknown: "read it again",
  error: (message, options) => new RunError(message, options),
};

/** A row as a driver gives it, by its columns. */
type Row = Readonly<Record<string, unknown>>;

/** A run of which everything but its parts is in one row. @throws RunError `store-corrupt`. */
export function toRunRecord(row: Row): RunRecord {
  const read = (column: string): Json => json(row, column);
  const optional = (column: string): Json | undefined =>
    (row[column] ?? null) === null ? undefined : read(column);
  const { actor, session } = row;
  const text = optional("text");
  const output = optional("output");
  const usage = optional("usage");
  const error = optional("error");
  return {
    app: String(row["app"]),
    id: String(row["id"]),
    agent: String(row["agent"]),
    ...(typeof actor === "string" ? { actor } : {}),
    ...(typeof session === "string" ? { session } : {}),
    status: row["status"] as RunStatus, // only we write it
    ready: Boolean(row["ready"]),
    input: read("input") as unknown as RunRecord["input"], // as it was given
    waitingFor: list(read("waiting"), row) as unknown as RunRecord["waitingFor"], // as we wrote it
    decisions: object(read("decisions"), row) as Record<string, Decision>, // checked when decided
    ...(typeof text === "string" ? { text } : {}),
    ...(output === undefined ? {} : { output }),
    ...(usage === undefined ? {} : { usage: object(usage, row) as RunRecord["usage"] & {} }),
    ...(error === undefined ? {} : { error: object(error, row) as RunRecord["error"] & {} }),
    sequence: Number(row["sequence"]),
    createdAt: Number(row["created_at"]),
    updatedAt: Number(row["updated_at"]),
  };
}

/** The columns that a write changes, in the order of {@link changedColumns}; `null` keeps one. */
export function changedValues(changes: RunChanges): readonly (string | null)[] {
  const { status = null, waitingFor, text, output, usage, error } = changes;
  return [status, ...[waitingFor, text, output, usage, error].map(textOrNull)];
}

/** Columns that a write may change. */
export const changedColumns = ["status", "waiting", "text", "output", "usage", "error"] as const;

const textOrNull = (value: unknown): string | null =>
  value === undefined ? null : JSON.stringify(value);

/** The last record of each key: what a step gave replaces its beginning. */
export function latestSteps(steps: readonly StepRecord[]): readonly StepRecord[] {
  return [...new Map(steps.map((step) => [step.key, step])).values()];
}

/** The columns `key`, `tries` and `value` of a step. */
export const stepValues = (step: StepRecord): readonly [string, number | null, string | null] =>
  step.kind === "started"
    ? [step.key, step.tries, null]
    : [step.key, null, JSON.stringify(step.value)];

/** @throws RunError `store-corrupt`. */
export function toStepRecord(row: Row): StepRecord {
  const key = String(row["key"]);
  return (row["value"] ?? null) === null
    ? { kind: "started", key, tries: Number(row["tries"]) }
    : { kind: "finished", key, value: json(row, "value") };
}

/** The columns `sequence`, `event` and `pieces` of an event. */
export const eventValues = ({
  event,
  pieces,
}: JoinedEvent): readonly [number, string, string | null] => [
  event.sequence,
  JSON.stringify(event),
  textOrNull(pieces),
];

/** @throws RunError `store-corrupt`. */
export function toJoinedEvent(row: Row): JoinedEvent {
  const event = json(row, "event");
  if (!isJsonObject(event) || typeof event["kind"] !== "string") {
    throw corrupt(`Event ${row["sequence"]} of a run`);
  }
  const whole = event as unknown as RunEvent; // as we wrote it
  return (row["pieces"] ?? null) === null
    ? { event: whole }
    : { event: whole, pieces: list(json(row, "pieces"), row) as readonly number[] };
}

function json(row: Row, column: string): Json {
  const value = parseJson(String(row[column]));
  if (value === undefined) {
    throw corrupt(`"${column}" of ${nameOf(row)}`);
  }
  return value;
}

function list(value: Json, row: Row): readonly Json[] {
  if (!Array.isArray(value)) {
    throw corrupt(`A list of ${nameOf(row)}`);
  }
  return value;
}

function object(value: Json, row: Row): JsonObject {
  if (!isJsonObject(value)) {
    throw corrupt(`An object of ${nameOf(row)}`);
  }
  return value;
}

const nameOf = (row: Row): string =>
  row["id"] === undefined
    ? `a run's part ${JSON.stringify(row["key"] ?? row["sequence"])}`
    : `run ${JSON.stringify(row["id"])}`;

const corrupt = (what: string): RunError =>
  new RunError(`${what} is not what was stored.`, { code: "store-corrupt" });
