import { checkNumbers } from "../base/check-numbers.ts";
import { checkObject, refuseUnknownKeys } from "../base/check-object.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { isJsonObject } from "../base/json.ts";
import type { Schema } from "../base/schema.ts";
import type { Model } from "../model/model.ts";
import type { TextAdapter } from "../model/text-adapter.ts";
import type { Binding } from "../tool/binding.ts";
import { type ApprovalPolicy, checkApprovalPolicy } from "./approval.ts";
import { checkModel } from "./check-model.ts";
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
  const { name, mode, limits, approval } = definition;
  refuseUnknownKeys(definition, Object.keys(knownKeys), `Agent "${name}"`);
  if (mode !== undefined && !modes.includes(mode)) {
    throw invalid(`The mode of agent "${name}" must be "auto", "react" or "plan".`);
  }
  checkNumbers(definition, numbers, { where: `of agent "${name}"`, code });
  checkApprovalPolicy(approval, `approval of agent "${name}"`);
  checkDiscovery(definition.discovery, `discovery of agent "${name}"`);
  checkLimits(limits, `of agent "${name}"`);
  checkParts(definition, `agent "${name}"`);
  checkToolLevel(definition, `of agent "${name}"`);
}

const code = "invalid-definition";

const numbers = {
  toolConcurrency: "count",
  toolTimeoutMs: "milliseconds",
  maxResultCharacters: "count",
  maxContextTokens: "count",
  maxReplans: "count-or-0",
  serverWaitMs: "milliseconds-or-0",
} as const;

const retryNumbers = {
  maxAttempts: "count",
  initialDelayMs: "milliseconds-or-0",
  maxDelayMs: "milliseconds-or-0",
} as const;

/** The parts of a definition that are objects or lists of their own. */
function checkParts(definition: AgentDefinition<unknown>, agent: string): void {
  const { hooks, retry, prompts, fallbackModels } = definition;
  for (const one of Array.isArray(hooks) ? hooks : [hooks ?? {}]) {
    checkObject(one, hookNames, `hooks of ${agent}`);
    const wrong = Object.entries(one).find(
      ([, hook]) => typeof hook !== "function" && hook !== undefined,
    );
    if (wrong !== undefined) {
      throw invalid(`The hook ${wrong[0]} of ${agent} is not a function.`);
    }
  }
  checkObject(retry ?? {}, Object.keys(retryNumbers), `retry of ${agent}`);
  checkNumbers(retry ?? {}, retryNumbers, { where: `in retry of ${agent}`, code });
  checkObject(prompts ?? {}, Object.keys(defaultPrompts), `prompts of ${agent}`);
  if (fallbackModels !== undefined && !Array.isArray(fallbackModels)) {
    throw invalid(`fallbackModels of ${agent} must be a list of models or their ids.`);
  }
  checkModel(definition.model, `The model of ${agent}`);
  for (const [index, model] of (fallbackModels ?? []).entries()) {
    checkModel(model, `Entry ${index} in the fallbackModels of ${agent}`);
  }
  const { instructions } = definition;
  if (!["undefined", "string", "function"].includes(typeof instructions)) {
    throw invalid(`The instructions of ${agent} must be a text, or a function that gives one.`);
  }
}

/** @throws ConfigurationError `invalid-definition` where a limit is unknown, or no whole number above 0. */
export function checkLimits(limits: RunLimits | undefined, where: string): void {
  if (limits !== undefined) {
    refuseUnknownKeys(limits, Object.keys(limitNumbers), `The set of limits ${where}`);
    checkNumbers(limits, limitNumbers, { where, code });
  }
}

const limitNumbers: Readonly<Record<keyof RunLimits, "count">> = {
  maxSteps: "count",
  maxToolCalls: "count",
  maxTokens: "count",
  maxRepeats: "count",
  maxDelegations: "count",
  maxDepth: "count",
};

const invalid = (message: string): ConfigurationError => new ConfigurationError(message, { code });
