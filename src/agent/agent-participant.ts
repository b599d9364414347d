import { untilAborted } from "../base/abort.ts";
import { messageOf } from "../base/dragoman-error.ts";
import type { Message } from "../message/message.ts";
import type { Binding } from "../tool/binding.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import { runAgentLoop } from "./agent-loop.ts";
import { Delegations } from "./delegations.ts";
import { callHook } from "./hooks.ts";
import { newLoopState } from "./model-step.ts";
import type { RunTools } from "./named-tools.ts";
import type { Answer, Participant, ParticipantScope } from "./participant.ts";
import { ParticipantMemory, taintedStep } from "./participant-memory.ts";
import {
  bindRun,
  chooseModels,
  hooksOf,
  openingMessages,
  openingScope,
  questionOf,
  type RunParts,
  type RunSettings,
  sessionOf,
  toLoopScope,
  toolLevels,
} from "./run-scope.ts";
import type { RunSession } from "./run-session.ts";
import { openRunTools } from "./run-tools.ts";
import { type OutputPolicy, takeOutput } from "./structured-output.ts";
import { Suspension } from "./suspension.ts";
import { unmatchedRules } from "./unmatched-rules.ts";
import { isNarrowed } from "./wanted-tools.ts";

/** An agent as a participant of runs: binds who runs, opens the tools, loops, closes, saves. */
export function agentParticipant(
  definition: AgentDefinition<unknown>,
  output: OutputPolicy | undefined,
): Participant {
  const { name, description } = definition;
  return {
    name,
    description,
    perform(scope) {
      const { agentPath, options } = scope;
      const limits = { ...definition.limits, ...options.limits };
      const outer = agentPath.length === 1 ? undefined : scope.delegations;
      const own = { ...scope, delegations: new Delegations(limits, agentPath, outer) };
      return new AgentWork({ definition, output, ...own }, own).perform();
    },
  };
}

/** One agent's part in one run. */
class AgentWork {
  readonly #settings: RunSettings;
  readonly #scope: ParticipantScope;
  readonly #session: RunSession | undefined;
  readonly #binding: Binding;

  constructor(settings: RunSettings, scope: ParticipantScope) {
    this.#settings = settings;
    this.#session = sessionOf(settings, scope);
    this.#scope = { ...scope, session: this.#session?.bound ?? scope.session };
    this.#binding = bindRun(settings, {
      ...this.#scope,
      memory: new ParticipantMemory(this.#scope),
    });
  }

  /** Whatever was said is kept in the session, however it ends; a run that only waits keeps nothing yet. */
  async perform(): Promise<Answer> {
    let answer: Answer;
    try {
      answer = await this.#answer();
    } catch (thrown) {
      if (!(thrown instanceof Suspension)) {
        await this.#saveWhatWasSaid();
      }
      throw thrown;
    }
    // An answer that could not be kept is no success.
    await this.#save();
    return answer;
  }

  async #answer(): Promise<Answer> {
    const { draft, input, signal, steps } = this.#scope;
    const models = await this.#chooseModels();
    draft.state = newLoopState(await untilAborted(this.#openingMessages(), signal));
    draft.state.tainted = this.#scope.tainted || steps.recall(taintedStep).length > 0;
    for (const hook of hooksOf(this.#settings.definition)) {
      const text = await callHook("beforeAgent", signal, () =>
        hook.beforeAgent?.({ input, binding: this.#binding }),
      );
      if (text !== undefined) {
        return this.#answerInPlace(text);
      }
    }
    return this.#afterAgent(await this.#loop(models));
  }

  async #openingMessages(): Promise<readonly Message[]> {
    const { input, steps, values, span, signal } = this.#scope;
    const loaded = await this.#session?.load(steps, input, { span, signal });
    const history = loaded ?? this.#scope.history;
    return openingMessages(this.#settings, { binding: this.#binding, values, history, input });
  }

  async #chooseModels(): Promise<RunParts["models"]> {
    const { draft, steps, signal } = this.#scope;
    const { chosen, fallbacks } = await untilAborted(chooseModels(this.#settings), signal);
    draft.model = chosen.model.id;
    for (const notice of chosen.notices ?? []) {
      steps.emit({ kind: "notice", ...notice });
    }
    return [chosen.model, ...fallbacks];
  }

  async #loop(models: RunParts["models"]): Promise<Answer> {
    const { draft, steps, input, span } = this.#scope;
    const binding = this.#binding;
    const tools = await openRunTools(
      toolLevels(this.#settings),
      openingScope(this.#settings, {
        binding,
        steps,
        participant: this.#scope,
        kept: this.#scope.kept,
      }),
      questionOf(this.#settings, input, draft.state.messages),
    );
    // One that has ended before opens no servers; which had failed is recorded with its end.
    draft.failedServers = steps.isSealed ? draft.failedServers : tools.servers.failed;
    try {
      this.#tellUnmatchedRules(tools);
      const participant = this.#scope;
      const parts = { models, binding, steps, tools, span, participant };
      const scope = toLoopScope(this.#settings, parts);
      draft.artifacts = scope.artifacts;
      return await runAgentLoop(draft.state, scope);
    } finally {
      await tools.servers.close();
    }
  }

  /**
   * Only where every server of the run is open can it be known that nothing has a name; and where there
   * is nothing to be called, nothing need be held back.
   */
  #tellUnmatchedRules({ tools, servers, isWhole, isSilent }: RunTools): void {
    const { approval } = this.#settings.definition;
    const { steps } = this.#scope;
    if (approval === undefined || steps.isSealed || !isWhole || isSilent) {
      return;
    }
    const run = {
      tools,
      servers: servers.open.map(({ name }) => name),
      isNarrowed: isNarrowed(toolLevels(this.#settings)),
    };
    for (const message of unmatchedRules(approval, run)) {
      steps.emit({ kind: "notice", code: "approval-unmatched", message });
    }
  }

  /** A hook has answered the whole run. */
  async #answerInPlace(text: string): Promise<Answer> {
    const { state } = this.#scope.draft;
    state.messages.push({ role: "assistant", content: [{ kind: "text", text }] });
    state.text = text;
    const { output } = this.#settings;
    return {
      end: "stop",
      output: output && (await takeOutput(text, output, this.#scope.signal)),
    };
  }

  async #afterAgent(answer: Answer): Promise<Answer> {
    const { draft, signal } = this.#scope;
    for (const hook of hooksOf(this.#settings.definition)) {
      const { text } = draft.state;
      const given = await callHook("afterAgent", signal, () =>
        hook.afterAgent?.(text, { binding: this.#binding }),
      );
      draft.state.text = given ?? text;
    }
    return answer;
  }

  async #save(): Promise<void> {
    const { draft, steps, span, signal } = this.#scope;
    const saved = await this.#session?.save(draft.state.messages, { span, signal });
    if (saved !== undefined) {
      steps.emit(saved);
    }
  }

  async #saveWhatWasSaid(): Promise<void> {
    try {
      await this.#save();
    } catch (thrown) {
      const message = `What was said could not be kept: ${messageOf(thrown)}`;
      this.#scope.steps.emit({ kind: "notice", code: "session-not-saved", message });
      this.#scope.runtime.logger.warn(message);
    }
  }
}
