import type { Waiting } from "../agent/waiting.ts";
import type { JsonObject } from "../base/json.ts";
import type { AgUiInterrupt } from "./ag-ui-event.ts";

/** What the client calls the things that are waited for. */
export interface InterruptNames {
  /** Our run's id. */
  readonly runId: string;
  readonly subagentRunId?: string;
  readonly toolCallId?: string;
}

/** The payload that decides on a call. */
const approvalSchema: JsonObject = {
  type: "object",
  properties: { approved: { type: "boolean" }, reason: { type: "string" } },
  required: ["approved"],
};

/** What a person decides; a call that the client executes is no interrupt. */
export type Decidable = Exclude<Waiting, { readonly kind: "client-tool" }>;

/** Whether a person decides on it. */
export const isDecidable = (waiting: Waiting): waiting is Decidable =>
  waiting.kind !== "client-tool";

/** What a suspended run waits for, as a client shows it to a person. */
export function toInterrupt(waiting: Decidable, names: InterruptNames): AgUiInterrupt {
  const { runId, subagentRunId, toolCallId } = names;
  const { expiresAt } = waiting;
  return {
    id: interruptIdOf(runId, waiting.id),
    ...told(waiting, toolCallId),
    ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
    ...(subagentRunId === undefined ? {} : { subagentRunId }),
  };
}

/** Names the run, too, so that a server finds it whose memory is new. */
export const interruptIdOf = (runId: string, waitingId: string): string => `${runId}:${waitingId}`;

function told(
  waiting: Decidable,
  toolCallId: string | undefined,
): Omit<AgUiInterrupt, "id" | "expiresAt" | "subagentRunId"> {
  switch (waiting.kind) {
    case "approval":
    case "confirm-retry": {
      const { name, arguments: given, server } = waiting.call;
      const call = { tool: name, arguments: given, ...(server === undefined ? {} : { server }) };
      return {
        reason: "tool_call",
        message: approvalMessage(waiting),
        ...(toolCallId === undefined ? {} : { toolCallId }),
        responseSchema: approvalSchema,
        metadata: { dragoman: { kind: waiting.kind, ...call } },
      };
    }
    case "elicitation": {
      const { server, message, schema, url } = waiting;
      const link = url === undefined ? {} : { url };
      return {
        reason: "input_required",
        message,
        ...(schema === undefined ? {} : { responseSchema: schema }),
        metadata: { dragoman: { kind: "elicitation", server, ...link } },
      };
    }
  }
}

function approvalMessage(waiting: Extract<Decidable, { readonly call: unknown }>): string {
  const { name } = waiting.call;
  if (waiting.kind === "confirm-retry") {
    return `The server stopped while it called ${name}; whether the call took effect is not known. Call it again?`;
  }
  return waiting.reason ?? `May the agent call ${name}?`;
}
