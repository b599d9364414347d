import { checkObject, refuseUnknownKeys } from "../base/check-object.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { isJsonObject } from "../base/json.ts";
import type { Schema } from "../base/schema.ts";
import type { Model } from "../model/model.ts";
import type { TextAdapter } from "../model/text-adapter.ts";
import type { Binding } from "../tool/binding.ts";
import { type ApprovalPolicy, checkApprovalPolicy } from "./approval.ts";
import { checkToolLevel } from "./check-selection.ts";
import { checkDiscovery } from "./discovery.ts";
import { type Hooks, hookNames } from "./hooks.ts";
import type { RunLimits } from "./loop-guard.ts";
import type { RetryPolicy } from "./model-policy.ts";
import { defaultPrompts, type Prompts } from "./prompts.ts";
import type { ToolLevel } from "./tool-level.ts";

/** What an agent is. */
export interface AgentDefinition<Output = undefined> extends ToolLevel {
  /** Names the agent in events, logs and errors. */
  readonly name: string;
  /** What it is for, in a sentence. */
  readonly description?: string;
  /** What the model is told before the conversation; a function is asked anew for each run. */
  readonly instructions?: string | ((binding: Binding) => string | Promise<string>);
  /** A model, or the id of one (`openai:gpt-5`). Absent: the default model. */
  readonly model?: string | Model | TextAdapter;
  /** Models that take over, in order, where the one before fails for good. */
  readonly fallbackModels?: readonly (string | Model | TextAdapter)[];
  /** How model calls that fail are tried again. */
  readonly retry?: RetryPolicy;
  /**
   * How it works. `"auto"` (the default): by native tool calls where the model has them, else as in
   * `"react"`. `"react"`: the model writes its next action as JSON, one step at a time. `"plan"`: the
   * model writes a plan of steps, which is then executed.
   */
  readonly mode?: AgentMode;
  /** What the answer must be: a schema of an object. The result then has it, typed, as `output`. */
  readonly output?: Schema<Output>;
  /** Which tool calls need somebody's approval, or are not made at all. Default: all are made. */
  readonly approval?: ApprovalPolicy;
  /**
   * How long a run waits for servers that are not ready, in milliseconds from its beginning; longer only
   * until one is. Those that come later join before the next model call. Servers with `onUnavailable: "fail"` are always waited for.
   * Default 3 000.
   */
  readonly serverWaitMs?: number;
  /** Functions that may change a run; several are called in order. */
  readonly hooks?: Hooks | readonly Hooks[];
  readonly limits?: RunLimits;
  /** How many calls of one turn run at once. Default 8; 1 is one after the other. */
  readonly toolConcurrency?: number;
  /** The time of one call of tools that have none of their own, in milliseconds. */
  readonly toolTimeoutMs?: number;
  /**
   * How many characters of text the model gets of one tool result; of a turn with many calls, less.
   * Beyond it the middle is left out and the whole is an artifact, which the model can read in parts
   * by the tool `read_artifact`. Default 40 000.
   */
  readonly maxResultCharacters?: number;
  /** About how many tokens a request may have: old tool results are cut to fit. Default: no limit. */
  readonly maxContextTokens?: number;
  /** How often the model may plan anew after a step has failed. Default 0. */
  readonly maxReplans?: number;
  /** What Dragoman itself says to the model, each in place of the default. */
  readonly prompts?: Partial<Prompts>;
}

/** How an agent works. */
export type AgentMode = "auto" | "react" | "plan";

const knownKeys: Readonly<Record<keyof AgentDefinition, true>> = {
  name: true,
  description: true,
  instructions: true,
  model: true,
  fallbackModels: true,
  retry: true,
  mode: true,
  output: true,
  approval: true,
  serverWaitMs: true,
  hooks: true,
  limits: true,
  toolConcurrency: true,
  toolTimeoutMs: true,
  maxResultCharacters: true,
  maxContextTokens: true,
  maxReplans: true,
  prompts: true,
  tools: true,
  mcp: true,
  discovery: true,
};

const modes: readonly unknown[] = ["auto", "react", "plan"];

/** @throws ConfigurationError `invalid-definition` that names the agent, the key and what is allowed. */
export function checkAgentDefinition(definition: AgentDefinition<unknown>): void {
  if (!isJsonObject(definition) || typeof definition.name !== "string" || definition.name === "") {
    throw invalid('An agent needs a name: defineAgent({ name: "support", … }).');
  }
  const { name, mode, limits, approval, maxResultCharacters } = definition;
  const { toolConcurrency, toolTimeoutMs, maxContextTokens, serverWaitMs } = definition;
  refuseUnknownKeys(definition, Object.keys(knownKeys), `Agent "${name}"`);
  if (mode !== undefined && !modes.includes(mode)) {
    throw invalid(`The mode of agent "${name}" must be "auto", "react" or "plan".`);
  }
  const counts = {
    toolConcurrency,
    toolTimeoutMs,
    maxResultCharacters,
    maxContextTokens,
    serverWaitMs,
  };
  checkCounts(counts, ` of agent "${name}"`);
  checkApprovalPolicy(approval, `approval of agent "${name}"`);
  checkDiscovery(definition.discovery, `discovery of agent "${name}"`);
  checkLimits(limits, ` of agent "${name}"`);
  checkParts(definition, `agent "${name}"`);
  checkToolLevel(definition, `of agent "${name}"`);
}

const retryKeys = ["maxAttempts", "initialDelayMs", "maxDelayMs"];

/** The parts of a definition that are objects or lists of their own. */
function checkParts(definition: AgentDefinition<unknown>, agent: string): void {
  const { hooks, retry, prompts, fallbackModels, maxReplans } = definition;
  for (const one of Array.isArray(hooks) ? hooks : [hooks ?? {}]) {
    checkObject(one, hookNames, `hooks of ${agent}`);
    const wrong = Object.entries(one).find(
      ([, hook]) => typeof hook !== "function" && hook !== undefined,
    );
    if (wrong !== undefined) {
      throw invalid(`The hook ${wrong[0]} of ${agent} is not a function.`);
    }
  }
  checkObject(retry ?? {}, retryKeys, `retry of ${agent}`);
  checkCounts({ ...retry }, ` in retry of ${agent}`);
  checkObject(prompts ?? {}, Object.keys(defaultPrompts), `prompts of ${agent}`);
  if (fallbackModels !== undefined && !Array.isArray(fallbackModels)) {
    throw invalid(`fallbackModels of ${agent} must be a list of models or their ids.`);
  }
  if (maxReplans !== undefined && !(Number.isInteger(maxReplans) && maxReplans >= 0)) {
    throw invalid(`maxReplans of ${agent} is ${maxReplans}; it must be a whole number, 0 or more.`);
  }
}

/** @throws ConfigurationError `invalid-definition` where a limit is unknown, or no whole number above 0. */
export function checkLimits(limits: RunLimits | undefined, where: string): void {
  if (limits !== undefined) {
    refuseUnknownKeys(
      limits,
      ["maxSteps", "maxToolCalls", "maxTokens", "maxRepeats", "maxDelegations", "maxDepth"],
      `The set of limits${where}`,
    );
    checkCounts({ ...limits }, where);
  }
}

function checkCounts(counts: Readonly<Record<string, number | undefined>>, where: string): void {
  for (const [key, value] of Object.entries(counts)) {
    if (value !== undefined && !(Number.isInteger(value) && value > 0)) {
      throw invalid(`${key}${where} is ${value}; it must be a whole number above 0.`);
    }
  }
}

const invalid = (message: string): ConfigurationError =>
  new ConfigurationError(message, { code: "invalid-definition" });
