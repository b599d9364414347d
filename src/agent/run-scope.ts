import type { ActiveSpan } from "../base/tracing.ts";
import { type Message, toolCallsOf } from "../message/message.ts";
import type { Model } from "../model/model.ts";
import { type TextAdapter, toModel } from "../model/text-adapter.ts";
import type { Binding, BoundSession, SharedMemory } from "../tool/binding.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import type { AgentLoopScope } from "./agent-loop.ts";
import type { AgentRuntime, ChosenModel } from "./agent-runtime.ts";
import { artifactLimits } from "./artifact-settings.ts";
import { defaultResultCharacters } from "./cut-text.ts";
import type { Hooks } from "./hooks.ts";
import type { RunTools } from "./named-tools.ts";
import type { OpeningScope } from "./open-server.ts";
import type { OuterLevel, ParticipantScope } from "./participant.ts";
import { defaultPrompts, fillKeys, fillTemplate, type Prompts } from "./prompts.ts";
import { withReader } from "./read-tool.ts";
import { RunArtifacts } from "./run-artifacts.ts";
import type { RunInput } from "./run-input.ts";
import type { RunOptions } from "./run-options.ts";
import { RunSession } from "./run-session.ts";
import type { Question } from "./select-servers.ts";
import { SessionMedia } from "./session-media.ts";
import type { Steps } from "./steps.ts";
import type { OutputPolicy } from "./structured-output.ts";
import type { ToolLevel, ToolLevels } from "./tool-level.ts";

/** What an agent and the options of a run say together. */
export interface RunSettings {
  readonly definition: AgentDefinition<unknown>;
  /** The definition's `output`, turned into what runs need once for all of them. */
  readonly output: OutputPolicy | undefined;
  readonly runtime: AgentRuntime;
  readonly options: RunOptions;
  /** What the levels above the agent say of tools and servers, the outermost first. */
  readonly outerLevels: readonly OuterLevel[];
  /** What is left of them all. */
  readonly narrowing: readonly ToolLevel[];
}

/** The run's model, else the agent's, else the default; then those that may take over. */
export async function chooseModels({
  definition,
  runtime,
  options,
}: RunSettings): Promise<{ readonly chosen: ChosenModel; readonly fallbacks: readonly Model[] }> {
  const choose = async (wanted: string | Model | TextAdapter | undefined): Promise<ChosenModel> =>
    typeof wanted === "object" ? { model: toModel(wanted) } : runtime.chooseModel(wanted);
  const chosen = await choose(options.model ?? definition.model);
  const fallbacks = await Promise.all((definition.fallbackModels ?? []).map(choose));
  return { chosen, fallbacks: fallbacks.map(({ model }) => model) };
}

/**
 * What each level says of tools and servers. What a network has is had only where both the agent and
 * its task say `inherit`.
 */
export function toolLevels(settings: RunSettings): ToolLevels {
  const { definition, runtime, options, outerLevels, narrowing } = settings;
  const { tools, mcp } = runtime.defaults;
  const { discovery } = options;
  const own = { tools: options.tools ?? tools, mcp: options.mcp ?? mcp, discovery };
  const hasTools = definition.tools === "inherit" && own.tools === "inherit";
  const hasServers = definition.mcp === "inherit" && own.mcp === "inherit";
  const outer = outerLevels.map((level) =>
    level.isNetwork
      ? {
          ...level,
          tools: hasTools ? level.tools : undefined,
          mcp: hasServers ? level.mcp : undefined,
        }
      : level,
  );
  return { levels: [...outer, definition, own], narrowing };
}

/** The prompts of an agent: its own, else the default ones. */
const promptsOf = ({ prompts }: AgentDefinition<unknown>): Prompts => ({
  ...defaultPrompts,
  ...prompts,
});

/** The hooks of an agent, in order. */
export const hooksOf = ({ hooks = [] }: AgentDefinition<unknown>): readonly Hooks[] =>
  Array.isArray(hooks) ? hooks : [hooks as Hooks]; // Array.isArray does not narrow readonly arrays

/** What a run begins with. */
export interface RunOpening {
  readonly binding: Binding;
  /** What `{key}` in the instructions stands for; another key stays as it is. */
  readonly values: ReadonlyMap<string, string>;
  /** The conversation so far. */
  readonly history: readonly Message[];
  readonly input: RunInput;
}

/** The conversation of a run at its beginning: what the application says, the history, what is asked. */
export async function openingMessages(
  { definition, output }: RunSettings,
  { binding, values, history, input }: RunOpening,
): Promise<readonly Message[]> {
  const { instructions } = definition;
  const written = typeof instructions === "function" ? await instructions(binding) : instructions;
  const own = written && fillKeys(written, values);
  const schema = output && JSON.stringify(output.jsonSchema);
  const told = schema && fillTemplate(promptsOf(definition).output, { schema }, "output prompt");
  const text = [own, told].filter((part) => part !== undefined && part !== "").join("\n\n");
  const asked = typeof input === "string" ? [{ kind: "text", text: input } as const] : input;
  return [
    ...(text === "" ? [] : [{ role: "system", text } as const]),
    ...history,
    ...(asked.length === 0 ? [] : [{ role: "user", content: asked } as const]),
  ];
}

/** The session that a run goes on with, if any. */
export function sessionOf(
  { runtime, options }: Pick<RunSettings, "runtime" | "options">,
  { runId, signal }: Pick<ParticipantScope, "runId" | "signal">,
): RunSession | undefined {
  const { session, actor } = options;
  const store = session?.store ?? runtime.sessions;
  if (session === undefined || store === undefined) {
    return undefined;
  }
  const { app, clock } = runtime;
  const { id } = session;
  const media = sessionMediaOf({ runtime, options }, { runId, session: id });
  return new RunSession({ store, app, id, actor, runId, clock, signal, media });
}

/** Where the media of a session are kept, if artifacts have a store. */
function sessionMediaOf(
  { runtime, options }: Pick<RunSettings, "runtime" | "options">,
  facts: { readonly runId: string; readonly session: string },
): SessionMedia | undefined {
  const { app, clock, artifacts } = runtime;
  const { actor } = options;
  const store = artifacts?.store;
  const owner = actor === undefined ? { app } : { app, actor };
  const { timeoutMs } = artifactLimits(artifacts);
  return store && new SessionMedia({ store, clock, timeoutMs, ...owner, ...facts });
}

/** Who runs, as callbacks and tools see it. */
export function bindRun(
  { definition, runtime, options }: RunSettings,
  { runId, agentPath, signal, deadline, memory, session }: BoundRun,
): Binding {
  const { actor, context } = options;
  const who = actor === undefined ? {} : { actor };
  return {
    run: {
      id: runId,
      ...who,
      context,
      ...(session === undefined ? {} : { session }),
      ...(memory === undefined ? {} : { memory }),
      agentPath,
    },
    agent: { name: definition.name },
    signal,
    ...(deadline === undefined ? {} : { deadline }),
    credential: (name) => runtime.credentials.credential(name, { ...who, signal }),
  };
}

/** The part of a run that bindings show. */
interface BoundRun {
  readonly runId: string;
  readonly agentPath: readonly string[];
  readonly signal: AbortSignal;
  readonly deadline?: number | undefined;
  readonly memory?: SharedMemory | undefined;
  readonly session?: BoundSession | undefined;
}

const defaultServerWaitMs = 3_000;

/** How long a run waits for servers that are not ready, in milliseconds. */
export const serverWaitMsOf = ({ definition }: Pick<RunSettings, "definition">): number =>
  definition.serverWaitMs ?? defaultServerWaitMs;

/** What the servers of a run are opened with. */
export const openingScope = (
  settings: RunSettings,
  parts: Pick<OpeningScope, "binding" | "steps" | "participant" | "kept">,
): OpeningScope => ({
  ...parts,
  runtime: settings.runtime,
  serverWaitMs: serverWaitMsOf(settings),
});

/** What a run is asked, as discovery sees it. */
export function questionOf(
  { definition }: RunSettings,
  input: RunInput,
  messages: readonly Message[],
): Question {
  const parts = typeof input === "string" ? [{ kind: "text", text: input } as const] : input;
  return {
    message: parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n"),
    usedTools: new Set(
      messages.flatMap((message) =>
        message.role === "assistant" ? toolCallsOf(message).map(({ name }) => name) : [],
      ),
    ),
    goesOn: definition.mode !== "plan",
  };
}

/** What is known only when a run has begun. */
export interface RunParts {
  readonly models: readonly [Model, ...Model[]];
  readonly tools: RunTools;
  readonly binding: Binding;
  readonly steps: Steps;
  /** What is not there where only a plan is asked for. */
  readonly participant?: Pick<ParticipantScope, "budget" | "outerBudget" | "extraTools">;
  readonly span?: ActiveSpan | undefined;
}

/** The files that the tools of a run give. */
const artifactsOf = (
  { artifacts, app, clock, logger }: AgentRuntime,
  { binding, steps, tools, span }: Pick<RunParts, "binding" | "steps" | "tools" | "span">,
): RunArtifacts =>
  new RunArtifacts({
    settings: artifacts,
    app,
    session: binding.run.session?.id,
    binding,
    clock,
    logger,
    fetchFrom: (server) => {
      const { toolset } = tools.servers.open.find(({ name }) => name === server) ?? {};
      return toolset?.fetch?.bind(toolset);
    },
    emit: (event) => steps.emit(event),
    span,
  });

/** Everything that the loop of a run works with. */
export function toLoopScope(settings: RunSettings, parts: RunParts): AgentLoopScope {
  const { definition, runtime, options, output } = settings;
  const { models, binding, steps, tools, span, participant } = parts;
  const maxResultCharacters = definition.maxResultCharacters ?? defaultResultCharacters;
  const artifacts = artifactsOf(runtime, parts);
  return {
    models,
    binding,
    steps,
    span,
    tools: tools.tools,
    shownTools: tools.shown,
    updateTools: () => tools.update(),
    ...withReader(tools, artifacts, {
      most: maxResultCharacters,
      isSet: definition.maxResultCharacters !== undefined,
    }),
    artifacts,
    maxResultCharacters,
    hasAllServers: () => !steps.isSealed && tools.servers.allOpen,
    learnTools: (calls, results) => tools.learn(calls, results),
    serverInstructions: () => tools.instructions,
    approval: definition.approval,
    clock: runtime.clock,
    logger: runtime.logger,
    random: runtime.random,
    mode: definition.mode ?? "auto",
    output,
    prompts: promptsOf(definition),
    hooks: hooksOf(definition),
    retry: definition.retry ?? {},
    limits: { ...definition.limits, ...options.limits },
    budget: participant?.budget,
    outerBudget: participant?.outerBudget,
    handovers: new Set(participant?.extraTools.map(({ name }) => name)),
    concurrency: definition.toolConcurrency ?? 8,
    toolTimeoutMs: definition.toolTimeoutMs,
    maxContextTokens: definition.maxContextTokens,
    maxReplans: definition.maxReplans ?? 0,
  };
}
