import type { InputRequiredResult, InputResponses } from "@modelcontextprotocol/server";
import type { SuspendedRun } from "../agent/run-result.ts";
import type { Decision, Waiting } from "../agent/waiting.ts";
import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import { escapeHidden } from "../mcp/text/visible-text.ts";

/** Parts of a call's arguments that a person is shown, in characters. */
const longestArguments = 2_000;

/**
 * What the user of an MCP client is asked, so that a run can go on: a form for each thing that it waits
 * for. The client sends its call once more, with the answers and with the id of the run; the official
 * package asks clients of older revisions by requests of their own.
 *
 * @returns `undefined` where something is waited for that no form can give: a page to be visited, or a
 * tool that the client itself would have to execute.
 */
export function questionsOf({
  runId,
  waitingFor,
}: Pick<SuspendedRun, "runId" | "waitingFor">): InputRequiredResult | undefined {
  const forms = waitingFor.map((waiting) => [waiting.id, formOf(waiting)] as const);
  const inputRequests: Record<string, { method: "elicitation/create"; params: JsonObject }> = {};
  for (const [id, params] of forms) {
    if (params === undefined) {
      return undefined;
    }
    inputRequests[id] = { method: "elicitation/create", params };
  }
  // A form is made below, or was taken from a server of the agent's as a form.
  const result = { resultType: "input_required", inputRequests, requestState: runId };
  return result as unknown as InputRequiredResult;
}

/** The form for one thing that is waited for. */
function formOf(waiting: Waiting): JsonObject | undefined {
  switch (waiting.kind) {
    case "approval": {
      const { call, reason } = waiting;
      const why = reason === undefined ? "" : `\nWhy you are asked: ${reason}`;
      return decisionForm(`May ${nameOf(waiting)} call ${callOf(call)}?${why}`);
    }
    case "confirm-retry":
      return decisionForm(
        `Nobody knows whether ${callOf(waiting.call)} took effect before it was interrupted. May ${nameOf(waiting)} call it again?`,
      );
    case "elicitation": {
      const { server, message, schema } = waiting;
      return schema && { message: `${server} asks: ${message}`, requestedSchema: schema };
    }
    case "client-tool":
      return undefined;
  }
}

const decisionForm = (message: string): JsonObject => ({
  message: escapeHidden(message),
  requestedSchema: {
    type: "object",
    properties: {
      decision: { type: "string", enum: ["approve", "deny"], title: "Decision" },
      reason: { type: "string", title: "Reason", description: "Why not; the agent reads it." },
    },
    required: ["decision"],
  },
});

const nameOf = ({ agentPath }: Waiting): string => `the agent "${agentPath.at(-1) ?? ""}"`;

function callOf({ name, server, arguments: given }: Call): string {
  const text = JSON.stringify(given, undefined, 1);
  const shown = text.length > longestArguments ? `${text.slice(0, longestArguments)}…` : text;
  return `${name}${server === undefined ? "" : ` of ${server}`} with ${shown}`;
}

type Call = Extract<Waiting, { readonly kind: "approval" }>["call"];

/** What a client has said to {@link questionsOf}. */
export type ClientAnswers =
  | { readonly kind: "decisions"; readonly decisions: Readonly<Record<string, Decision>> }
  /** Something was not answered, or not in a way that can be understood: it is asked again. */
  | { readonly kind: "open" }
  /** The user has put the question away without an answer; the run goes on waiting. */
  | { readonly kind: "put-away" };

/** Reads what a client answered; nothing of it is believed before it was looked at. */
export function readAnswers(
  responses: InputResponses | Readonly<Record<string, unknown>> | undefined,
  waitingFor: readonly Waiting[],
): ClientAnswers {
  const decisions: Record<string, Decision> = {};
  for (const waiting of waitingFor) {
    const { id } = waiting;
    const given = responses !== undefined && Object.hasOwn(responses, id) ? responses[id] : {};
    const { action, content } = isJsonObject(given) ? given : {};
    if (action === "cancel") {
      return { kind: "put-away" };
    }
    const decision = action === "decline" ? denied : decisionIn(action, content, waiting);
    if (decision === undefined) {
      return { kind: "open" };
    }
    decisions[id] = decision;
  }
  return { kind: "decisions", decisions };
}

const denied: Decision = { kind: "deny" };

function decisionIn(action: unknown, content: unknown, { kind }: Waiting): Decision | undefined {
  if (action !== "accept") {
    return undefined;
  }
  const form = isJsonObject(content) ? content : {};
  if (kind === "elicitation") {
    return { kind: "answer", value: form as Json }; // it came as JSON
  }
  const { decision, reason } = form;
  if (decision === "deny") {
    return typeof reason === "string" && reason !== "" ? { kind: "deny", reason } : denied;
  }
  return decision === "approve" ? { kind: "approve" } : undefined;
}
