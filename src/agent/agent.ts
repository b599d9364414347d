import { ConfigurationError } from "../base/dragoman-error.ts";
import { type AgentDefinition, checkAgentDefinition } from "./agent-definition.ts";
import { agentParticipant } from "./agent-participant.ts";
import type { AgentRuntime } from "./agent-runtime.ts";
import type { Assembly } from "./assembly.ts";
import { checkInput, checkRunOptions } from "./check-run-options.ts";
import { asAssembly, createAssembly } from "./create-assembly.ts";
import { examineTools, setExaminer } from "./examine-tools.ts";
import { type AvailableTool, type Explanation, explainRun, listAvailableTools } from "./explain.ts";
import { type LiveAgent, type StartOptions, startAgent } from "./live-agent.ts";
import type { RunInput } from "./run-input.ts";
import type { RunOptions } from "./run-options.ts";
import type { RunSettings } from "./run-scope.ts";
import { toOutputPolicy } from "./structured-output.ts";
import { setToolBench } from "./tool-bench.ts";

/** A model with instructions and tools, which can be asked. It may run any number of times at once. */
export interface Agent<Output = unknown> extends Assembly<Output> {
  /** What a model would get of the first request of such a run, exactly, without asking it. */
  explain(input: RunInput, options?: RunOptions): Promise<Explanation>;
  /**
   * The tools that such a run would have, by the names that the model sees.
   *
   * @throws RunError `server-unavailable`; ConfigurationError.
   */
  availableTools(options?: RunOptions): Promise<readonly AvailableTool[]>;
  /**
   * Connects its servers now and keeps the connections until it is stopped, so that a chat does not
   * start them for each message. A server that fails is recorded in `failedServers`. Starting by
   * itself sends no tools to a model.
   *
   * @throws ConfigurationError where the options are not valid.
   */
  start(options?: StartOptions): Promise<LiveAgent<Output>>;
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
    const runtime = runtimeNow();
    checkRunOptions(options, runtime);
    return { definition, output, runtime, options, outerLevels: [runtime.global], narrowing: [] };
  };
  const participant = agentParticipant(definition, output);
  const assembly = createAssembly<Output>(participant, runtimeNow);
  const agent: Agent<Output> = {
    ...assembly,
    async explain(input, options = {}) {
      checkInput(input, definition.name);
      return explainRun(settingsWith(options), input);
    },
    availableTools: async (options = {}) => listAvailableTools(settingsWith(options)),
    async start(options = {}) {
      const live = await startAgent(options, settingsWith, (kept) => {
        const over = createAssembly<Output>(
          { ...participant, perform: (scope) => participant.perform({ ...scope, kept }) },
          runtimeNow,
        );
        return { assembly: over, bench: { definition, runtimeNow, kept } };
      });
      origins.set(live, settingsWith);
      return live;
    },
  };
  origins.set(agent, settingsWith);
  setExaminer(agent, async (options) => examineTools(settingsWith(options), undefined));
  setToolBench(agent, { definition, runtimeNow });
  return asAssembly(agent, assembly);
}

const origins = new WeakMap<object, (options: RunOptions) => RunSettings>();

/**
 * What a run of an agent with these options would be made of now.
 *
 * @throws ConfigurationError where it was not made by `defineAgent`.
 */
export function settingsOf(agent: object, options: RunOptions): RunSettings {
  const settingsWith = origins.get(agent);
  if (settingsWith === undefined) {
    throw new ConfigurationError("This is not an agent that was made by defineAgent.", {
      code: "invalid-definition",
    });
  }
  return settingsWith(options);
}
