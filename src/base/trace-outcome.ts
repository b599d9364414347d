import { DragomanError } from "./dragoman-error.ts";
import type { TraceOutcome } from "./trace-operation.ts";

/** How an operation ended that threw: by somebody's wish, or because it failed. */
export function outcomeOfThrown(thrown: unknown, signal: AbortSignal | undefined): TraceOutcome {
  // A deadline aborts as well, with an error of ours as its reason.
  return signal?.aborted === true && !DragomanError.is(signal.reason)
    ? { kind: "cancelled" }
    : { kind: "failed", error: thrown };
}

/** An operation that came to its end. */
export const completed: TraceOutcome = { kind: "completed" };

/** What a peer that failed has said of it. */
interface PeerFailure {
  readonly status?: unknown;
  readonly remote?: { readonly code?: unknown };
}

/** The JSON-RPC code that a peer has answered with, as text; `undefined` where it has not. */
export function rpcStatusOf(thrown: unknown): string | undefined {
  const code = (thrown as PeerFailure | null | undefined)?.remote?.code; // checked below
  return typeof code === "number" ? String(code) : undefined;
}

/** The same for one of our codes. A tool that says itself that it failed is a `tool_error`. */
export function errorTypeOfCode(code: string): string {
  if (timeouts.has(code)) {
    return "timeout";
  }
  return code === "remote-tool" ? "tool_error" : code;
}

const timeouts: ReadonlySet<string> = new Set([
  "deadline-exceeded",
  "tool-timeout",
  "mcp-timeout",
  "model-timeout",
]);

/**
 * What an error is counted under (`error.type` of OpenTelemetry): few different ones, and no words of
 * anybody. A JSON-RPC code or an HTTP status of a peer that has said one, `timeout`, our code, else the
 * name of the error's class.
 */
export function errorTypeOf(thrown: unknown): string {
  if (typeof thrown !== "object" || thrown === null) {
    return "_OTHER";
  }
  const code = DragomanError.is(thrown) ? errorTypeOfCode(thrown.code) : undefined;
  if (code === "timeout") {
    return code;
  }
  const { status, remote } = thrown as PeerFailure; // each checked below
  const said = remote?.code ?? status;
  if (typeof said === "number") {
    return String(said);
  }
  return (
    code ?? (thrown instanceof Error && /^\w{1,64}$/.test(thrown.name) ? thrown.name : "_OTHER")
  );
}
