import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import type { TraceOutcome } from "../base/trace-operation.ts";
import { completed, outcomeOfThrown } from "../base/trace-outcome.ts";
import type { ActiveSpan, Tracer } from "../base/tracing.ts";
import { traceIn } from "./mcp-tool-entry.ts";

/** A request of an MCP client, as tracers are told of it. */
interface ServedRequest {
  readonly method: string;
  /** The tool that it is about, where there is such a tool. */
  readonly target?: string | undefined;
  readonly context: ServerContext;
}

/** Answers an MCP client's request as an operation of its own, within the client's trace. */
export async function tracedRequest<Result>(
  tracer: Tracer | undefined,
  { method, target, context }: ServedRequest,
  answer: (span: ActiveSpan | undefined) => Promise<Result>,
): Promise<Result> {
  const span = tracer?.start({ kind: "mcp-serve", method, target }, traceIn(context));
  if (span === undefined) {
    return answer(undefined);
  }
  const { id, signal } = context.mcpReq;
  const wire =
    context.http === undefined
      ? ({ network: "pipe" } as const)
      : ({ network: "tcp", networkProtocol: "http" } as const);
  span.set({ mcp: { ...wire, requestId: String(id), sessionId: context.sessionId } });
  try {
    const result = await span.run(() => answer(span));
    span.end(outcomeOf(result));
    return result;
  } catch (thrown) {
    span.end(outcomeOfRefusal(thrown, signal));
    throw thrown;
  }
}

/** A tool that failed is a good answer to the request, and yet a failure. */
const outcomeOf = (result: unknown): TraceOutcome =>
  (result as Partial<CallToolResult> | undefined)?.isError === true
    ? { kind: "failed", error: undefined, type: "tool_error" }
    : completed;

/** The official package's errors have the code that the client is told. */
function outcomeOfRefusal(thrown: unknown, signal: AbortSignal): TraceOutcome {
  const { code } = (thrown ?? {}) as { readonly code?: unknown }; // checked below
  return typeof code === "number"
    ? { kind: "failed", error: { remote: { code } }, type: String(code) }
    : outcomeOfThrown(thrown, signal);
}
