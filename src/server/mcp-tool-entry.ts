import type {
  CallToolResult,
  ClientCapabilities,
  InputRequiredResult,
  Tool as McpTool,
  ServerContext,
} from "@modelcontextprotocol/server";
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
  /** Whether the client shows its user forms to be filled in. */
  readonly canAsk: boolean;
  /** Where the call is sent once more, with what its user was asked for: what it came with. */
  readonly answered?: AnsweredCall | undefined;
}

/** What a client sends with a call that it sends once more. A stranger's words, all of it. */
export interface AnsweredCall {
  /** What the call was told to be sent with. */
  readonly state: unknown;
  readonly responses: Readonly<Record<string, unknown>> | undefined;
}

/** A tool of our MCP server. */
export interface McpToolEntry {
  readonly definition: McpTool;
  /** Does not reject where the tool or the agent fails: the client's model reads why. */
  call(call: McpToolCall): Promise<CallToolResult | InputRequiredResult>;
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

/**
 * Whether a client shows forms, by what it says that it can: with each request since 2026-07-28, else at
 * the handshake. Where it does not say of which kind its questions are, they are forms.
 */
export function canShowForms(
  { mcpReq }: ServerContext,
  atHandshake: ClientCapabilities | undefined,
): boolean {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  const now = envelope["io.modelcontextprotocol/clientCapabilities"];
  const { elicitation } = (now as ClientCapabilities | undefined) ?? atHandshake ?? {}; // as MCP has it
  return elicitation !== undefined && !("url" in elicitation && !("form" in elicitation));
}

/** What a client has sent a call once more with, if it has. */
export function answeredCall({ mcpReq }: ServerContext): AnsweredCall | undefined {
  const state = mcpReq.requestState();
  return state === undefined ? undefined : { state, responses: mcpReq.inputResponses };
}

/** The trace that a request belongs to; a stranger's baggage stays outside. */
export function traceIn({ mcpReq }: ServerContext): TraceContext | undefined {
  return traceContextFrom({ ...mcpReq._meta, baggage: undefined });
}
