import type { RunFailure } from "../agent/run-failure.ts";
import type { RunRecord, RunStore } from "../agent/run-store.ts";
import type { Decision, Waiting } from "../agent/waiting.ts";
import { isJsonObject, type Json } from "../base/json.ts";
import { checkJsonSchema } from "../base/json-schema.ts";
import { fromContent } from "./from-ag-ui-messages.ts";
import type { InputMessage, ResumeEntry } from "./run-agent-input.ts";
import { callIdOnWire, partOfWaiting } from "./run-part.ts";
import { type Decidable, interruptIdOf, isDecidable } from "./to-interrupt.ts";

/** A run of a thread that waits for its client. */
export interface WaitingRun {
  readonly record: RunRecord;
  readonly store: RunStore;
}

/** Where runs may wait, and whose is looked for. */
export interface WaitingRunQuery {
  readonly stores: readonly (RunStore | undefined)[];
  readonly app: string;
  readonly agent: string;
  readonly session: string;
  readonly actor: string | undefined;
}

/** The newest run of the thread that waits; only the caller's own is seen. */
export async function findWaitingRun({
  stores,
  app,
  agent,
  session,
  actor,
}: WaitingRunQuery): Promise<WaitingRun | undefined> {
  const whose = actor === undefined ? {} : { actor };
  for (const store of stores) {
    const page = await store?.list({ app, session, status: "suspended", ...whose });
    const record = page?.runs.find((run) => run.agent === agent && run.actor === actor);
    if (store !== undefined && record !== undefined) {
      return { record, store };
    }
  }
  return undefined;
}

/** What the client's input means for a run that waits. */
export type Answers =
  | { readonly kind: "decisions"; readonly decisions: Readonly<Record<string, Decision>> }
  | { readonly kind: "refused"; readonly failure: RunFailure };

/**
 * What the client has decided. All that a person decides on must be decided at once, as the protocol
 * wants it; of the client's tools those that have a result are answered.
 *
 * @param now milliseconds since the Unix epoch.
 */
export async function answersTo(
  { record }: WaitingRun,
  resume: readonly ResumeEntry[],
  messages: readonly InputMessage[],
  now: number,
): Promise<Answers> {
  const open = record.waitingFor.filter(isDecidable);
  const ids = new Map(open.map((waiting) => [interruptIdOf(record.id, waiting.id), waiting]));
  const unknown = resume.find(({ interruptId }) => !ids.has(interruptId));
  if (unknown !== undefined) {
    const id = JSON.stringify(unknown.interruptId);
    return refused("interrupt-unknown", `This thread waits for nothing of the id ${id}.`);
  }
  const decisions: Record<string, Decision> = clientAnswers(record.waitingFor, messages);
  for (const [id, waiting] of ids) {
    const entry = resume.find(({ interruptId }) => interruptId === id);
    if (entry === undefined) {
      const names = [...ids.keys()].map((one) => JSON.stringify(one)).join(", ");
      const message = `This thread waits for an answer to ${names}: send resume with all of them.`;
      return refused("interrupts-open", message);
    }
    const decision = await decisionOf(waiting, entry, now);
    if ("code" in decision) {
      return { kind: "refused", failure: decision };
    }
    decisions[waiting.id] = decision;
  }
  return { kind: "decisions", decisions };
}

/** Results of the client's tools, by the id of what is waited for. */
function clientAnswers(
  waitingFor: readonly Waiting[],
  messages: readonly InputMessage[],
): Record<string, Decision> {
  const answers = waitingFor.flatMap((waiting): readonly (readonly [string, Decision])[] => {
    const message = messages.find(
      (one) =>
        one.role === "tool" &&
        waiting.kind === "client-tool" &&
        one.toolCallId === callIdOnWire(partOfWaiting(waiting), waiting.call.id),
    );
    if (message?.role !== "tool") {
      return [];
    }
    const content = fromContent(message.content);
    return [
      [
        waiting.id,
        message.error === undefined
          ? { kind: "answer", value: { content } as unknown as Json } // parts are plain JSON
          : { kind: "deny", reason: message.error },
      ],
    ];
  });
  return Object.fromEntries(answers);
}

async function decisionOf(
  waiting: Decidable,
  { interruptId, status, payload }: ResumeEntry,
  now: number,
): Promise<Decision | RunFailure> {
  if (status === "cancelled") {
    return { kind: "deny", reason: "The user gave no answer." };
  }
  if (waiting.expiresAt !== undefined && now >= waiting.expiresAt) {
    const message = `The time to answer ${JSON.stringify(interruptId)} is over; it can be cancelled.`;
    return { code: "interrupt-expired", message };
  }
  return waiting.kind === "elicitation"
    ? elicited(waiting, payload ?? null)
    : approval(interruptId, payload);
}

function approval(interruptId: string, payload: Json | undefined): Decision | RunFailure {
  const { approved, reason, ...rest } = isJsonObject(payload) ? payload : { approved: undefined };
  // Changed arguments are not taken, and so what was approved is not what would be called.
  if (typeof approved !== "boolean" || Object.keys(rest).length > 0) {
    const message = `The payload for ${JSON.stringify(interruptId)} must be { "approved": boolean, "reason"?: string }.`;
    return { code: "resume-invalid", message };
  }
  const why = typeof reason === "string" ? { reason } : {};
  return approved ? { kind: "approve" } : { kind: "deny", ...why };
}

async function elicited(
  { schema, id }: Extract<Decidable, { readonly kind: "elicitation" }>,
  value: Json,
): Promise<Decision | RunFailure> {
  const check = schema === undefined ? undefined : await checkJsonSchema(schema, value);
  if (check?.kind === "invalid") {
    const said = check.issues.map(({ path, message }) => `${path || "the value"} ${message}`);
    return { code: "resume-invalid", message: `The payload for ${id}: ${said.join("; ")}.` };
  }
  return { kind: "answer", value };
}

const refused = (code: string, message: string): Answers => ({
  kind: "refused",
  failure: { code, message },
});
