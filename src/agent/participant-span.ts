import type { TraceOperation, TraceOutcome } from "../base/trace-operation.ts";
import { completed } from "../base/trace-outcome.ts";
import type { ActiveSpan } from "../base/tracing.ts";
import type { LimitReason } from "./loop-guard.ts";
import type { Participant } from "./participant.ts";
import type { RunResult } from "./run-result.ts";

/** The operation of a participant: a run and the agent that was asked are one. */
export const participantOperation = (
  { name, description, pattern }: Participant,
  facts: Pick<Extract<TraceOperation, { kind: "agent" }>, "runId" | "session" | "isNested">,
): TraceOperation => ({ kind: "agent", name, description, pattern, ...facts });

/** Says what came of a participant, and ends its operation. */
export function endParticipant(span: ActiveSpan | undefined, result: RunResult): void {
  if (span === undefined) {
    return;
  }
  const { model, usage } = result;
  span.set({
    usage,
    ...(model === "" ? {} : { model }),
    ...(result.status === "completed" ? { finishReason: result.finishReason } : {}),
  });
  if (result.status === "suspended") {
    for (const { kind } of result.waitingFor) {
      span.event({ kind: "interrupt", of: kind });
    }
  }
  span.end(outcomeOf(result));
}

const limits: ReadonlySet<string> = new Set<LimitReason>([
  "max-steps",
  "max-tool-calls",
  "max-tokens",
  "repeated-calls",
]);

function outcomeOf(result: RunResult): TraceOutcome {
  switch (result.status) {
    case "completed":
      return limits.has(result.finishReason) ? { kind: "partial" } : completed;
    case "failed":
      return { kind: "failed", error: result.cause };
    case "cancelled":
    case "suspended":
      return { kind: result.status };
  }
}
