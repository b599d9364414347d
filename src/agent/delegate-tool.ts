import { ToolError } from "../base/tool-error.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { Tool, ToolCall } from "../tool/tool.ts";
import { normalizeToolName } from "../tool/tool-names.ts";
import { type ToolResult, toolSuccess } from "../tool/tool-result.ts";
import { askWithin } from "./ask-within.ts";
import type { Participant, ParticipantScope } from "./participant.ts";
import type { RunResult } from "./run-result.ts";
import { Suspension } from "./suspension.ts";

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
      const { signal, id, span } = call;
      await refuseBeyondBounds(name, scope, id);
      const question = { participant, id, input: request, signal, span };
      return toResult(name, await askWithin(scope, question), call);
    },
  });
}

/** Recorded, since it depends on what others have asked meanwhile. */
async function refuseBeyondBounds(
  name: string,
  { agentPath, delegations, steps }: ParticipantScope,
  id: string,
): Promise<void> {
  const look = async (): Promise<string | null> => delegations.problem(agentPath) ?? null;
  const problem = await steps.run("delegation", look, { id });
  if (problem !== null) {
    throw new ToolError(`The agent "${name}" was not asked: ${problem}`);
  }
  delegations.add();
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
