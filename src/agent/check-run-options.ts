import { checkNumbers } from "../base/check-numbers.ts";
import { checkObject } from "../base/check-object.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { traceContextFrom } from "../base/trace-context.ts";
import { checkLimits } from "./agent-definition.ts";
import type { AgentRuntime } from "./agent-runtime.ts";
import { checkModel } from "./check-model.ts";
import { checkToolLevel } from "./check-selection.ts";
import { checkDiscovery } from "./discovery.ts";
import type { RunOptions } from "./run-options.ts";

/** Every option, so that the compiler misses none here. */
const optionNames: Readonly<Record<keyof RunOptions, true>> = {
  actor: true,
  context: true,
  signal: true,
  timeoutMs: true,
  model: true,
  limits: true,
  session: true,
  store: true,
  tools: true,
  mcp: true,
  discovery: true,
  trace: true,
};

/** @throws ConfigurationError where it is neither a text nor a list of parts. */
export function checkInput(input: unknown, agent: string): void {
  if (typeof input !== "string" && !Array.isArray(input)) {
    throw invalid(
      `Agent "${agent}" was asked something that is neither a text nor a list of parts.`,
    );
  }
}

/** @throws ConfigurationError that names the option and what is allowed. */
export function checkRunOptions(options: RunOptions, { sessions }: AgentRuntime): void {
  checkObject(options, Object.keys(optionNames), "options object of a run");
  const { limits, session, signal, store, discovery, trace } = options;
  checkNumbers(options, { timeoutMs: "milliseconds" }, { where: "of the run" });
  if (signal !== undefined && !("aborted" in signal && "addEventListener" in signal)) {
    throw invalid("The signal of a run must be an AbortSignal.");
  }
  checkModel(options.model, "The model of the run");
  checkLimits(limits, "of the run");
  checkDiscovery(discovery, "discovery of the run");
  checkToolLevel(options, "of the run");
  checkSession(session, sessions);
  if (trace !== undefined && traceContextFrom(trace) === undefined) {
    throw invalid(
      "The trace of a run needs a valid traceparent; traceContextFrom(headers) reads one, or gives undefined.",
    );
  }
  if (store !== undefined && !("takeOver" in store)) {
    throw invalid("The store of a run must be a RunStore, such as those of dragoman/stores.");
  }
}

function checkSession(session: RunOptions["session"], sessions: AgentRuntime["sessions"]): void {
  if (session !== undefined && (typeof session.id !== "string" || session.id === "")) {
    throw invalid("The session of a run needs an id, a text that is not empty: { id, store? }.");
  }
  if (session !== undefined && (session.store ?? sessions) === undefined) {
    throw invalid(
      "A run with a session needs a store: give session.store, or configure({ sessions }), one of memorySessions, sqliteSessions and postgresSessions of dragoman/stores.",
    );
  }
}

const invalid = (message: string): ConfigurationError =>
  new ConfigurationError(message, { code: "invalid-configuration" });
