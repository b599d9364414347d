import { untilAborted } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import { ToolError } from "../base/tool-error.ts";
import { ownToolNames } from "../tool/own-tools.ts";
import type { Tool } from "../tool/tool.ts";
import { type ApprovalAnswer, type ApprovalPolicy, approve } from "./approval.ts";
import type { Steps } from "./steps.ts";
import type { ReadyCall, ToolScope } from "./tool-attempt.ts";
import type { Decision, Waiting, WaitingCall } from "./waiting.ts";

/** What a call is approved with. */
export interface ApprovalScope extends ToolScope {
  readonly approval: ApprovalPolicy | undefined;
  /** The tools of the run, by the names that the model sees. */
  readonly tools: ReadonlyMap<string, Tool>;
  /** Whether something that a server said was read before this turn. */
  readonly tainted: boolean;
}

/**
 * Asks the policy and, where it says so, a person.
 *
 * @returns why the call is not made, for the model; `undefined` where it may be.
 * @throws Suspension where nobody has decided yet; RunError `hook-failed`.
 */
export async function approveCall(
  ready: ReadyCall,
  scope: ApprovalScope,
): Promise<ToolError | undefined> {
  const { approval, binding, steps, tainted, tools } = scope;
  if (approval === undefined) {
    return undefined;
  }
  const { call, tool } = ready;
  const isOfAnother = (name: string): boolean =>
    name !== tool.name && (tools.has(name) || ownToolNames.includes(name));
  const answer = await steps.run<ApprovalAnswer>(
    `approval:${call.name}`,
    () => {
      const request = { tool, arguments: call.arguments, tainted, binding };
      return untilAborted(approve(approval, request, isOfAnother), binding.signal);
    },
    { id: call.id },
  );
  switch (answer.kind) {
    case "allow":
      return undefined;
    case "deny":
      return denied(call.name, answer.reason);
    case "ask": {
      const reason = answer.reason === undefined ? {} : { reason: answer.reason };
      const id = `${steps.path}approval:${call.id}`;
      const waiting = { kind: "approval", id, call: waitingCall(ready), ...reason } as const;
      return refusalOf(await ask(waiting, approval.timeoutMs, scope), ready);
    }
  }
}

/**
 * Asks whether a call is made again that was in flight when its process ended.
 *
 * @param tries how often it was begun; each time it is asked for anew.
 * @returns why it is not, for the model; `undefined` where it is.
 * @throws Suspension where nobody has decided yet.
 */
export async function confirmRetry(
  ready: ReadyCall,
  tries: number,
  scope: ApprovalScope,
): Promise<ToolError | undefined> {
  const again = tries === 1 ? "" : `~${tries}`;
  const id = `${scope.steps.path}confirm-retry:${ready.call.id}${again}`;
  const waiting = { kind: "confirm-retry", id, call: waitingCall(ready) } as const;
  const decision = await ask(waiting, scope.approval?.timeoutMs, scope);
  return decision?.kind === "approve"
    ? undefined
    : new ToolError(
        `Tool "${ready.call.name}" was interrupted, and it is not known whether it took effect. It was not called again.${because(decision)}`,
        { code: "tool-denied" },
      );
}

type Question =
  | Omit<Extract<Waiting, { kind: "approval" }>, "agentPath">
  | Omit<Extract<Waiting, { kind: "confirm-retry" }>, "agentPath">;

async function ask(
  question: Question,
  timeoutMs: number | undefined,
  { steps, binding, clock, span }: ApprovalScope,
): Promise<Decision | null> {
  const { id } = question;
  const { agentPath } = binding.run;
  const expiry = await expiryOf(id, timeoutMs, steps, clock);
  const waiting: Waiting = { ...question, agentPath, ...expiry };
  steps.emit({ kind: "approval-request", waiting });
  const decision = await steps.waitFor(waiting);
  span?.event({ kind: "decision", decision: decision?.kind ?? "expired" });
  steps.emit({ kind: "approval-end", id, decision: decision ?? { kind: "expired" } });
  return decision;
}

/** Recorded under the question's own id, since questions of one turn are asked in any order. */
async function expiryOf(
  id: string,
  timeoutMs: number | undefined,
  steps: Steps,
  clock: Clock,
): Promise<{ readonly expiresAt?: number }> {
  return timeoutMs === undefined
    ? {}
    : { expiresAt: await steps.run("expiry", async () => clock.now() + timeoutMs, { id }) };
}

/** The call as somebody is told of it who decides on it. */
export const waitingCall = ({ call, tool }: ReadyCall): WaitingCall => ({
  id: call.id,
  name: call.name,
  arguments: call.arguments,
  ...(tool.source === undefined ? {} : { server: tool.source.server }),
});

const refusalOf = (decision: Decision | null, { call }: ReadyCall): ToolError | undefined => {
  if (decision?.kind === "approve") {
    return undefined;
  }
  return decision === null
    ? denied(call.name, "nobody decided in time")
    : denied(call.name, decision.kind === "deny" ? (decision.reason ?? "it was refused") : "");
};

const because = (decision: Decision | null): string =>
  decision?.kind === "deny" && decision.reason !== undefined ? ` ${decision.reason}` : "";

const denied = (name: string, reason: string): ToolError =>
  new ToolError(`Tool "${name}" was not called: ${reason}`, { code: "tool-denied" });
