import { isJsonObject, type Json } from "../base/json.ts";
import { ToolError } from "../base/tool-error.ts";
import type { ResultContent } from "../message/content.ts";
import { isClientTool } from "../tool/client-tool.ts";
import type { Tool } from "../tool/tool.ts";
import { type ToolResult, toolFailure, toolSuccess } from "../tool/tool-result.ts";
import { waitingCall } from "./approve-call.ts";
import type { ReadyCall, ToolScope } from "./tool-attempt.ts";
import type { Decision, Waiting } from "./waiting.ts";

/** Whether the client executes the call. */
export const isClientCall = (ready: ReadyCall | undefined): ready is ReadyCall =>
  ready !== undefined && isClientTool(ready.tool);

/**
 * A call of the client's tool as one that gives what the client has answered.
 *
 * @throws Suspension where the client has not answered yet.
 */
export async function withClientAnswer(
  ready: ReadyCall,
  { steps, binding }: ToolScope,
): Promise<ReadyCall> {
  const { tool, call } = ready;
  const waiting: Waiting = {
    kind: "client-tool",
    id: `${steps.path}client-tool:${call.id}`,
    agentPath: binding.run.agentPath,
    call: waitingCall(ready),
  };
  const result = resultOf(await steps.waitFor(waiting), tool);
  const answered: Tool = {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: tool.inputSchema,
    parameters: tool.parameters,
    idempotent: true,
    nested: false,
    execute: async () => result,
    with: (changes) => tool.with(changes),
  };
  return { ...ready, tool: answered };
}

function resultOf(decision: Decision | null, { name }: Tool): ToolResult {
  if (decision?.kind !== "answer") {
    const reason = decision?.kind === "deny" ? decision.reason : undefined;
    const message = reason ?? `Tool "${name}" was not called: the client gave no answer.`;
    return toolFailure(new ToolError(message));
  }
  const { value } = decision;
  return isContent(value)
    ? toolSuccess(textOf(value.content), { content: value.content })
    : toolSuccess(value);
}

/** Whether the answer says what the model is to read, part by part. */
function isContent(value: Json): value is { readonly content: readonly ResultContent[] } {
  const content = isJsonObject(value) ? value["content"] : undefined;
  const kinds: readonly unknown[] = ["text", "image", "audio", "file"];
  return Array.isArray(content) && content.every((part) => kinds.includes(part?.kind));
}

const textOf = (content: readonly ResultContent[]): string =>
  content.map((part) => (part.kind === "text" ? part.text : "")).join("");
