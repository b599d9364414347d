import type { CallToolResult, Tool as McpTool, ServerContext } from "@modelcontextprotocol/server";
import type { Caller } from "../ag-ui/handler-options.ts";
import type { JsonObject } from "../base/json.ts";
import { type TraceContext, traceContextFrom } from "../base/trace-context.ts";
import type { ActiveSpan } from "../base/tracing.ts";
import type { ToolProgress } from "../tool/tool.ts";

/** One call of a tool of our MCP server. */
export interface McpToolCall {
  readonly arguments: JsonObject;
  readonly caller: Caller;
  /** Aborts when the client cancels the call, or is gone. */
  readonly signal: AbortSignal;
  /** The trace that the request belongs to. */
  readonly trace?: TraceContext | undefined;
  /** The request's operation, where somebody traces. */
  readonly span?: ActiveSpan | undefined;
  /** Tells the client, where it wants to know. */
  progress(progress: ToolProgress): void;
}

/** A tool of our MCP server. */
export interface McpToolEntry {
  readonly definition: McpTool;
  /** Does not reject where the tool or the agent fails: the client's model reads why. */
  call(call: McpToolCall): Promise<CallToolResult>;
}

/** What tells a client of progress: nothing where it has not asked for it. */
export function progressTo({ mcpReq }: ServerContext): McpToolCall["progress"] {
  const progressToken = mcpReq._meta?.progressToken;
  let last = Number.NEGATIVE_INFINITY;
  return (progress) => {
    // It must rise, or clients take it for an error of protocol.
    if (progressToken !== undefined && progress.progress > last) {
      last = progress.progress;
      const params = { progressToken, ...progress };
      mcpReq.notify({ method: "notifications/progress", params }).catch(() => {}); // it has left
    }
  };
}

/** The trace that a request belongs to; a stranger's baggage stays outside. */
export function traceIn({ mcpReq }: ServerContext): TraceContext | undefined {
  return traceContextFrom({ ...mcpReq._meta, baggage: undefined });
}
