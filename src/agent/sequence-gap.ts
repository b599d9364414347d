import type { RunRecord, RunStatus } from "./run-store.ts";

/**
 * How many sequence numbers are left out after a process has ended in the middle of a run: some may
 * have been given to readers and not have been kept.
 */
const lostSequences = 10_000;

/** The last sequence number that a run may have given, which stood so when it was taken over. */
export const lastSequenceOf = ({ sequence }: RunRecord, status: RunStatus): number =>
  sequence + (status === "running" ? lostSequences : 0);
