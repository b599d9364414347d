import { callIdOnWire, partOfWaiting } from "./run-part.ts";
import { callIdsIn } from "./stored-run.ts";
import type { WaitingRun } from "./waiting-run.ts";

/** Ids on the wire of the calls that a client saw before the run waited. */
export async function shownCallIds({ record, store }: WaitingRun): Promise<readonly string[]> {
  const { app, id, waitingFor } = record;
  const waiting = waitingFor.flatMap((one) =>
    "call" in one ? [callIdOnWire(partOfWaiting(one), one.call.id)] : [],
  );
  return [...new Set([...waiting, ...callIdsIn(await store.events({ app, id }))])];
}
