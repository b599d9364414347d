import type { CallToolResult, ContentBlock, Tool as McpTool } from "@modelcontextprotocol/server";
import type { AgentRuntime } from "../agent/agent-runtime.ts";
import { messageOf } from "../base/dragoman-error.ts";
import { createId } from "../base/ids.ts";
import { isJsonObject } from "../base/json.ts";
import type { JsonSchema } from "../base/json-schema.ts";
import { toJsonSchema } from "../base/schema.ts";
import { ToolError } from "../base/tool-error.ts";
import type { ResultContent } from "../message/content.ts";
import type { Artifact } from "../tool/artifact.ts";
import type { Binding } from "../tool/binding.ts";
import type { Tool, ToolAnnotations } from "../tool/tool.ts";
import { checkArguments } from "../tool/tool-arguments.ts";
import { type ToolResult, toolFailure, toToolResult } from "../tool/tool-result.ts";
import type { McpToolCall, McpToolEntry } from "./mcp-tool-entry.ts";
import { whose } from "./owned.ts";

/** A tool as it is, for MCP clients: without an agent, a model and its approvals. */
export function toolEntry(tool: Tool, runtimeNow: () => AgentRuntime): McpToolEntry {
  const outputSchema = objectSchemaOf(tool);
  return {
    definition: {
      name: tool.name,
      description: tool.description,
      inputSchema: asObjectSchema(tool.parameters),
      ...(tool.title === undefined ? {} : { title: tool.title }),
      ...(outputSchema === undefined ? {} : { outputSchema }),
      ...(tool.annotations === undefined ? {} : { annotations: hintsOf(tool.annotations) }),
    },
    async call(call) {
      const result = await execute(tool, call, runtimeNow());
      return toCallResult(result, outputSchema !== undefined);
    },
  };
}

async function execute(tool: Tool, call: McpToolCall, runtime: AgentRuntime): Promise<ToolResult> {
  const id = createId("call");
  const { signal, span } = call;
  span?.capture("tool-arguments", () => call.arguments);
  try {
    const input = await checkArguments(tool, call.arguments);
    const { timeoutMs } = tool;
    const limit =
      timeoutMs === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const returned = await tool.execute(input, {
      id,
      binding: bindingOf(id, tool, call, runtime),
      signal: limit,
      idempotencyKey: id,
      logger: runtime.logger,
      ...(span && { span }),
      get traceHeaders() {
        return { ...span?.context() };
      },
      progress: (progress) => call.progress(progress),
    });
    const result = toToolResult(returned);
    span?.capture("tool-result", () => result.content);
    return result;
  } catch (thrown) {
    return toolFailure(
      ToolError.is(thrown) ? thrown : new ToolError(messageOf(thrown), { cause: thrown }),
    );
  }
}

/** Who calls, for a call that belongs to no run. */
function bindingOf(
  id: string,
  { name }: Tool,
  { caller, signal }: McpToolCall,
  runtime: AgentRuntime,
): Binding {
  const who = whose(caller);
  return {
    run: { id, ...who, context: caller.context, agentPath: [] },
    agent: { name },
    signal,
    credential: (credential) => runtime.credentials.credential(credential, { ...who, signal }),
  };
}

function toCallResult(result: ToolResult, isStructured: boolean): CallToolResult {
  const files = result.kind === "pending" ? [] : (result.artifacts ?? []);
  const content = [...result.content.map(toBlock), ...files.flatMap(toFile)];
  switch (result.kind) {
    case "success":
      return isStructured && isJsonObject(result.value)
        ? { content, structuredContent: result.value }
        : { content };
    case "pending":
      return { content };
    default:
      // What a failed call has is not of the form that was promised.
      return { content, isError: true };
  }
}

/** A file of a result; one that belongs to a run is not had here. */
function toFile(artifact: Artifact): readonly ContentBlock[] {
  const { mediaType: mimeType, name = "file" } = artifact;
  switch (artifact.kind) {
    case "inline":
      return [embedded(name, mimeType, artifact.base64)];
    case "deferred":
      return URL.canParse(artifact.reference)
        ? [{ type: "resource_link", uri: artifact.reference, name, mimeType }]
        : [];
    case "stored":
      return [];
  }
}

const embedded = (name: string, mimeType: string, blob: string): ContentBlock => ({
  type: "resource",
  resource: { uri: `file:///${encodeURIComponent(name)}`, mimeType, blob },
});

/** A part of a result as MCP has it; what is elsewhere becomes a link. */
function toBlock(part: ResultContent): ContentBlock {
  if (part.kind === "text") {
    return { type: "text", text: part.text };
  }
  const { mediaType: mimeType, source, name = "file" } = part;
  if (source.kind === "url") {
    return { type: "resource_link", uri: source.url, name, mimeType };
  }
  if (part.kind === "file") {
    return embedded(name, mimeType, source.base64);
  }
  return { type: part.kind, data: source.base64, mimeType };
}

function hintsOf(annotations: ToolAnnotations): NonNullable<McpTool["annotations"]> {
  const { readOnly, destructive, idempotent, openWorld } = annotations;
  return {
    ...(readOnly === undefined ? {} : { readOnlyHint: readOnly }),
    ...(destructive === undefined ? {} : { destructiveHint: destructive }),
    ...(idempotent === undefined ? {} : { idempotentHint: idempotent }),
    ...(openWorld === undefined ? {} : { openWorldHint: openWorld }),
  };
}

/** Only an object can be structured content in every revision of the protocol. */
function objectSchemaOf({ outputSchema, name }: Tool): McpTool["outputSchema"] {
  if (outputSchema === undefined) {
    return undefined;
  }
  const schema = toJsonSchema(outputSchema, "output", `outputSchema of tool "${name}"`);
  return schema["type"] === "object" ? asObjectSchema(schema) : undefined;
}

const asObjectSchema = (schema: JsonSchema): McpTool["inputSchema"] =>
  ({ ...schema, type: "object" }) as McpTool["inputSchema"]; // what a tool takes is an object
