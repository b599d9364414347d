import type { AgUiInterrupt } from "../../src/ag-ui/ag-ui-event.ts";
import type { ResumeEntry } from "../../src/ag-ui/run-agent-input.ts";
import type { Decision, Waiting } from "../../src/agent/waiting.ts";
import type { JsonObject } from "../../src/base/json.ts";

/** Something that a person is asked, wherever it comes from. */
export interface Question {
  readonly id: string;
  readonly kind: Waiting["kind"];
  readonly message: string;
  readonly tool?: string;
  readonly server?: string;
  readonly arguments?: JsonObject;
  /** The form to fill. */
  readonly schema?: JsonObject;
  /** A page to open instead of a form. */
  readonly url?: string;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt?: number;
  readonly toolCallId?: string;
}

/** The question of an interrupt. */
export function fromInterrupt(interrupt: AgUiInterrupt): Question {
  const { id, message = "", toolCallId, responseSchema, expiresAt, metadata } = interrupt;
  const told = (metadata?.["dragoman"] ?? {}) as {
    readonly kind?: Waiting["kind"];
    readonly tool?: string;
    readonly server?: string;
    readonly arguments?: JsonObject;
    readonly url?: string;
  }; // as our server writes it
  const { kind = "approval" } = told;
  return {
    ...told,
    id,
    kind,
    message,
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...(kind === "elicitation" && responseSchema !== undefined ? { schema: responseSchema } : {}),
    ...(expiresAt === undefined ? {} : { expiresAt: Date.parse(expiresAt) }),
  };
}

/** The question of what a stored run waits for; its id is the waiting's own. */
export function fromWaiting(waiting: Waiting): Question {
  const { id, kind, expiresAt } = waiting;
  const common = { id, kind, ...(expiresAt === undefined ? {} : { expiresAt }) };
  switch (waiting.kind) {
    case "elicitation": {
      const { message, server, schema, url } = waiting;
      return {
        ...common,
        message,
        server,
        ...(schema === undefined ? {} : { schema }),
        ...(url === undefined ? {} : { url }),
      };
    }
    default: {
      const { name: tool, arguments: given, server } = waiting.call;
      const call = { tool, arguments: given, ...(server === undefined ? {} : { server }) };
      return { ...common, ...call, message: callMessage(waiting) };
    }
  }
}

function callMessage(waiting: Exclude<Waiting, { readonly kind: "elicitation" }>): string {
  const { name } = waiting.call;
  switch (waiting.kind) {
    case "approval":
      return waiting.reason ?? `May the agent call ${name}?`;
    case "confirm-retry":
      return `The process ended while it called ${name}; whether the call took effect is not known. Call it again?`;
    case "client-tool":
      return `The program that started this run is to execute ${name}.`;
  }
}

/** A decision as AG-UI wants it. */
export function toResumeEntry(interruptId: string, decision: Decision): ResumeEntry {
  switch (decision.kind) {
    case "approve":
      return { interruptId, status: "resolved", payload: { approved: true } };
    case "answer":
      return { interruptId, status: "resolved", payload: decision.value };
    case "deny": {
      const { reason } = decision;
      const payload = { approved: false, ...(reason === undefined ? {} : { reason }) };
      return { interruptId, status: "resolved", payload };
    }
  }
}

/** The same for a form that a person declines, which has no payload. */
export const toDeclined = (interruptId: string): ResumeEntry => ({
  interruptId,
  status: "cancelled",
});
