import { ConfigurationError } from "../base/dragoman-error.ts";
import {
  type AgentDefinition,
  checkAgentDefinition,
  checkLimits,
  checkObject,
} from "./agent-definition.ts";
import { AgentRun } from "./agent-run.ts";
import type { AgentRuntime } from "./agent-runtime.ts";
import { type AvailableTool, type Explanation, explainRun, listAvailableTools } from "./explain.ts";
import type { Run } from "./run.ts";
import type { RunInput, RunOptions } from "./run-options.ts";
import type { RunResult } from "./run-result.ts";
import type { RunSettings } from "./run-scope.ts";
import { toOutputPolicy } from "./structured-output.ts";

/** Something that can be asked. Holds no state between runs and may run any number at once. */
export interface Agent<Output = unknown> {
  readonly name: string;
  readonly description: string | undefined;
  /**
   * Runs once and tells how it ended. Never rejects because a run went wrong: look at `status`, or
   * call `orThrow()` on the result.
   *
   * @throws ConfigurationError where the options themselves are not valid.
   */
  ask(input: RunInput, options?: RunOptions): Promise<RunResult<Output>>;
  /** The same, to be watched while it happens; starts with the first look. */
  stream(input: RunInput, options?: RunOptions): Run<Output>;
  /** What a model would get of the first request of such a run, exactly, without asking it. */
  explain(input: RunInput, options?: RunOptions): Promise<Explanation>;
  /**
   * The tools that such a run would have, by the names that the model sees.
   *
   * @throws RunError `server-unavailable`; ConfigurationError.
   */
  availableTools(options?: RunOptions): Promise<readonly AvailableTool[]>;
}

/**
 * Makes an agent of its definition.
 *
 * @param runtimeNow gives what holds for the runs that begin now.
 * @throws ConfigurationError `invalid-definition`.
 */
export function createAgent<Output>(
  definition: AgentDefinition<Output>,
  runtimeNow: () => AgentRuntime,
): Agent<Output> {
  checkAgentDefinition(definition);
  // Now, so that a schema that cannot be used is told at once.
  const output = definition.output && toOutputPolicy(definition.output, definition.name);
  const settingsWith = (options: RunOptions): RunSettings => {
    checkObject(options, Object.keys(optionNames), "options of a run");
    const runtime = runtimeNow();
    checkOptions(options, runtime);
    return { definition, output, runtime, options };
  };
  const start = (input: RunInput, options: RunOptions, observed: boolean): Run<Output> => {
    checkInput(input, definition.name);
    return new AgentRun<Output>({ ...settingsWith(options), input, observed });
  };
  const agent: Agent<Output> = {
    name: definition.name,
    description: definition.description,
    ask: async (input, options = {}) => start(input, options, false).result,
    stream: (input, options = {}) => start(input, options, true),
    explain: async (input, options = {}) => explainRun(settingsWith(options), input),
    availableTools: async (options = {}) => listAvailableTools(settingsWith(options)),
  };
  origins.set(agent, () => ({ definition, output, runtime: runtimeNow() }));
  return agent;
}

const origins = new WeakMap<object, () => Omit<RunSettings, "options">>();

/**
 * What an agent was made of, and what holds for it now.
 *
 * @throws ConfigurationError where it was not made by `defineAgent`.
 */
export function settingsOf(agent: Agent): Omit<RunSettings, "options"> {
  const found = origins.get(agent);
  if (found === undefined) {
    throw new ConfigurationError("This is not an agent that was made by defineAgent.", {
      code: "invalid-definition",
    });
  }
  return found();
}

/** Every option, so that the compiler misses none here. */
const optionNames: Readonly<Record<keyof RunOptions, true>> = {
  actor: true,
  context: true,
  signal: true,
  timeoutMs: true,
  model: true,
  limits: true,
  session: true,
  tools: true,
  mcp: true,
};

function checkInput(input: unknown, agent: string): void {
  if (typeof input !== "string" && !Array.isArray(input)) {
    throw invalid(
      `Agent "${agent}" was asked something that is neither a text nor a list of parts.`,
    );
  }
}

function checkOptions(
  { timeoutMs, limits, session, signal }: RunOptions,
  { sessions }: AgentRuntime,
): void {
  if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs > 0)) {
    throw invalid(`timeoutMs is ${timeoutMs}; it must be above 0.`);
  }
  if (signal !== undefined && !("aborted" in signal && "addEventListener" in signal)) {
    throw invalid("The signal of a run must be an AbortSignal.");
  }
  checkLimits(limits, " of the run");
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
