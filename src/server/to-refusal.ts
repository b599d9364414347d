import { Refusal, type RefusalCode } from "../ag-ui/refusal.ts";
import { DragomanError } from "../base/dragoman-error.ts";

/** Statuses of what the stores and runs throw, by the error's code. */
const statuses: Readonly<Record<string, readonly [number, RefusalCode]>> = {
  "run-not-found": [404, "not-found"],
  "session-not-found": [404, "not-found"],
  "run-invalid": [400, "invalid-input"],
  "session-invalid": [400, "invalid-input"],
  "artifact-invalid": [400, "invalid-input"],
  "run-conflict": [409, "conflict"],
  "run-finished": [409, "conflict"],
  "run-lost": [409, "conflict"],
  "decision-refused": [409, "conflict"],
  "step-mismatch": [409, "conflict"],
  "artifact-store-failed": [503, "unavailable"],
  "engine-unavailable": [503, "unavailable"],
  "store-unavailable": [503, "unavailable"],
  "store-locked": [503, "unavailable"],
  "store-full": [503, "unavailable"],
};

/** What a caller is told of whatever was thrown; `undefined` where it is not theirs to know. */
export function toRefusal(thrown: unknown): Refusal | undefined {
  if (Refusal.is(thrown)) {
    return thrown;
  }
  const [status, code] = (DragomanError.is(thrown) && statuses[thrown.code]) || [];
  if (!DragomanError.is(thrown) || status === undefined || code === undefined) {
    return undefined;
  }
  // What a store says of itself is the operator's.
  const message = status === 503 ? "What is asked for cannot be reached now." : thrown.message;
  return new Refusal(message, { status, code, cause: thrown });
}
