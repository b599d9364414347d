import { ToolError } from "../base/tool-error.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { Tool, ToolCall } from "../tool/tool.ts";
import { normalizeToolName } from "../tool/tool-names.ts";
import { type ToolResult, toolSuccess } from "../tool/tool-result.ts";
import { askWithin } from "./ask-within.ts";
import type { RunLimits } from "./loop-guard.ts";
import type { Delegations, Participant, ParticipantScope } from "./participant.ts";
import type { RunResult } from "./run-result.ts";
import { Suspension } from "./suspension.ts";

/** What a run may delegate, before anything is. */
export const newDelegations = (limits: RunLimits = {}): Delegations => ({
  count: 0,
  maxCount: limits.maxDelegations ?? 100,
  maxDepth: limits.maxDepth ?? 8,
});

const inputSchema = {
  type: "object",
  properties: {
    request: {
      type: "string",
      description:
        "What it is to do, with all that it must know: it does not see this conversation.",
    },
  },
  required: ["request"],
} as const;

/**
 * A tool by which an agent asks another one. The other has its own instructions, tools, limits and
 * history; what it does are steps and events of the run, under its path. Its failure is a tool error.
 *
 * @param scope of the asking one; `undefined` where the tool is only shown.
 */
export function delegateTool(participant: Participant, scope: ParticipantScope | undefined): Tool {
  const { name, description } = participant;
  return defineTool({
    name: normalizeToolName(`delegate_to_${name}`),
    description: `Hands a task over to the agent "${name}" and gives its answer.${description === undefined ? "" : ` ${description}`}`,
    inputSchema,
    nested: true,
    async execute({ request }: { readonly request: string }, call): Promise<ToolResult> {
      if (scope === undefined) {
        throw new ToolError(`The agent "${name}" can only be asked within a run.`);
      }
      refuseBeyondBounds(name, scope);
      const { signal, span } = call;
      const question = { participant, input: request, signal, span };
      return toResult(name, await askWithin(scope, question), call);
    },
  });
}

function refuseBeyondBounds(name: string, { agentPath, delegations }: ParticipantScope): void {
  const { maxDepth, maxCount } = delegations;
  if (agentPath.length >= maxDepth) {
    throw new ToolError(
      `The agent "${name}" was not asked: ${agentPath.join(" > ")} is as deep as agents may ask each other (${maxDepth}).`,
    );
  }
  if (delegations.count >= maxCount) {
    throw new ToolError(
      `The agent "${name}" was not asked: this run has delegated ${maxCount} times, which is its limit. Answer with what you have.`,
    );
  }
  delegations.count += 1;
}

function toResult(name: string, result: RunResult, { signal }: ToolCall): ToolResult {
  switch (result.status) {
    case "completed":
      return toolSuccess(result.output ?? result.text);
    case "suspended":
      throw new Suspension(result.waitingFor);
    case "cancelled":
      signal.throwIfAborted();
      throw new ToolError(`The agent "${name}" was stopped.`);
    case "failed":
      throw new ToolError(`The agent "${name}" failed: ${result.error.message}`, {
        cause: result.cause,
        data: { code: result.error.code },
      });
  }
}
