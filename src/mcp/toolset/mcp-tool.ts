import type { JsonObject } from "../../base/json.ts";
import type { Binding } from "../../tool/binding.ts";
import { defineTool } from "../../tool/define-tool.ts";
import type { Tool, ToolCall } from "../../tool/tool.ts";
import { normalizeToolName } from "../../tool/tool-names.ts";
import type { ToolResult } from "../../tool/tool-result.ts";
import type { McpConnection } from "../connection/mcp-connection.ts";
import { withOriginals } from "../definitions/clean-schema.ts";
import { schemaRemarks } from "../definitions/schema-remarks.ts";
import type { McpToolDefinition } from "../definitions/tool-definition.ts";
import { checkOutput, type OutputMismatchPolicy } from "../results/check-output.ts";
import { toToolError } from "../results/to-tool-error.ts";
import { type McpCallResult, toToolResult } from "../results/to-tool-result.ts";
import { visibleReturn } from "../text/visible-return.ts";
import { visibleLine } from "../text/visible-text.ts";
import type { ResolvedLimits } from "../wire/mcp-limits.ts";

/** A call of an MCP tool, as `mapResult` sees it. */
export interface McpToolCall {
  /** The id that the model gave the call. */
  readonly id: string;
  readonly definition: McpToolDefinition;
  readonly arguments: JsonObject;
}

/** Makes of a server's result what the tool returns; the result itself keeps the default. */
export type MapResult = (
  result: McpCallResult,
  scope: { readonly call: McpToolCall; readonly binding: Binding },
) => unknown;

/** Where an MCP tool lives. */
export interface McpToolScope {
  /** The alias of the server. */
  readonly server: string;
  readonly connection: Pick<McpConnection, "callTool">;
  /** What the tool is to be called, instead of its normalised name. */
  readonly name?: string | undefined;
  readonly mapResult?: MapResult | undefined;
  readonly limits: ResolvedLimits;
  /** What is done with a result that does not fit the tool's outputSchema. */
  readonly outputMismatch: OutputMismatchPolicy;
  /** Whether a call may be put aside until the user has answered what the server asks. */
  readonly suspends?: boolean;
  /** Called with the tools as the server publishes them, before the tool is called. What it throws fails the call. */
  readonly guard?: ((tool: string, tools: readonly McpToolDefinition[]) => void) | undefined;
  /** Told where a result does not fit or cannot be checked. */
  notice(code: string, message: string): void;
}

/**
 * The key under which a server gets the idempotency key of a call, in `_meta`: the same for each try
 * of one call. Servers that do not know it ignore it.
 */
export const idempotencyMetaKey = "dragoman/idempotency-key";

/** A tool that calls a server's. What goes wrong is a `ToolError`; an abort is the signal's reason. */
export function toMcpTool(definition: McpToolDefinition, scope: McpToolScope): Tool {
  const { mapResult } = scope;
  const { sourceName, title, outputSchema, annotations } = definition;
  let isKnown = false;
  return defineTool({
    name: scope.name ?? normalizeToolName(sourceName),
    description: definition.description || `A tool of the MCP server "${scope.server}".`,
    inputSchema: definition.inputSchema,
    source: { server: scope.server, name: sourceName },
    ...(title === undefined ? {} : { title }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations }),
    async execute(input: JsonObject, call): Promise<unknown> {
      if (!isKnown) {
        isKnown = true;
        tellRemarks(definition, scope);
      }
      const result = await callServer(scope, definition, input, call);
      const about = { id: call.id, definition, arguments: input };
      const returned = await Promise.resolve(
        mapResult ? mapResult(result, { call: about, binding: call.binding }) : result,
      );
      return returned === result
        ? defaultResult(result, definition, scope)
        : visibleReturn(returned);
    },
  });
}

/** Says, with its first call, what of a tool's schemas cannot be checked. */
function tellRemarks(definition: McpToolDefinition, { notice }: McpToolScope): void {
  for (const { code, words } of schemaRemarks(definition)) {
    notice(code, `The tool "${visibleLine(definition.sourceName, 64)}": ${words}.`);
  }
}

async function defaultResult(
  result: McpCallResult,
  definition: McpToolDefinition,
  { server, limits, outputMismatch, notice }: McpToolScope,
): Promise<ToolResult> {
  const mapped = toToolResult(result, { server, tool: definition.sourceName, limits });
  return checkOutput(mapped, result, { definition, policy: outputMismatch, notice });
}

async function callServer(
  { connection, guard, suspends = false }: Pick<McpToolScope, "connection" | "guard" | "suspends">,
  { sourceName, inputSchema }: McpToolDefinition,
  input: JsonObject,
  call: ToolCall,
): Promise<McpCallResult> {
  try {
    return await connection.callTool(sourceName, withOriginals(input, inputSchema), {
      signal: call.signal,
      span: call.span,
      meta: { [idempotencyMetaKey]: call.idempotencyKey },
      onProgress: (progress) => call.progress(progress),
      ...(suspends ? { pause: call.pause } : {}),
      ...(guard === undefined ? {} : { guard: (tools) => guard(sourceName, tools) }),
    });
  } catch (error) {
    call.signal.throwIfAborted();
    throw toToolError(error);
  }
}
