import { isJsonObject } from "../base/json.ts";
import { RunError } from "./run-error.ts";
import type { RunRecord } from "./run-store.ts";
import type { Decision, Waiting } from "./waiting.ts";

/**
 * Why these decisions cannot be taken for a run: it does not wait for one of them, one was decided
 * before, or is not of a kind that answers what is waited for.
 *
 * @returns `undefined` where they can; else RunError `decision-refused`.
 */
export function decisionProblem(
  { id: runId, waitingFor, decisions: decided }: RunRecord,
  decisions: Readonly<Record<string, Decision>>,
): RunError | undefined {
  for (const [id, decision] of Object.entries(decisions)) {
    const waiting = waitingFor.find((one) => one.id === id);
    if (Object.hasOwn(decided, id)) {
      return refused(
        `${JSON.stringify(id)} of run ${runId} was decided before, as "${decided[id]?.kind}".`,
      );
    }
    if (waiting === undefined) {
      const known = waitingFor.map((one) => JSON.stringify(one.id)).join(", ") || "nothing";
      return refused(
        `Run ${runId} does not wait for ${JSON.stringify(id)}; it waits for ${known}.`,
      );
    }
    if (!isJsonObject(decision) || !answersOf(waiting).includes(decision.kind)) {
      const allowed = answersOf(waiting)
        .map((kind) => `{ kind: "${kind}" }`)
        .join(" or ");
      return refused(`The decision for ${JSON.stringify(id)} of run ${runId} must be ${allowed}.`);
    }
  }
  return undefined;
}

/**
 * Refuses a decision whose time is over, unless it denies: without it, what is waited for counts as
 * denied. Whoever takes decisions asks by their own clock, before they are recorded: one that came in
 * time stands.
 *
 * @throws RunError `decision-refused`.
 */
export function refuseLateDecisions(
  { id: runId, waitingFor }: Pick<RunRecord, "id" | "waitingFor">,
  decisions: Readonly<Record<string, Decision>>,
  now: number,
): void {
  const late = waitingFor.find(
    ({ id, expiresAt }) =>
      Object.hasOwn(decisions, id) &&
      decisions[id]?.kind !== "deny" &&
      expiresAt !== undefined &&
      expiresAt <= now,
  );
  if (late !== undefined) {
    const until = new Date(late.expiresAt ?? now).toISOString();
    throw refused(
      `It is too late to decide on ${JSON.stringify(late.id)} of run ${runId}, which was possible until ${until}. Resume the run without that decision: it counts as denied.`,
    );
  }
}

const answersOf = ({ kind }: Waiting): readonly Decision["kind"][] =>
  kind === "elicitation" || kind === "client-tool" ? ["answer", "deny"] : ["approve", "deny"];

const refused = (message: string): RunError => new RunError(message, { code: "decision-refused" });
