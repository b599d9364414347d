import { untilAborted } from "../base/abort.ts";
import { messageOf } from "../base/dragoman-error.ts";
import type { Message } from "../message/message.ts";
import type { Binding } from "../tool/binding.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import { runAgentLoop } from "./agent-loop.ts";
import { newDelegations } from "./delegate-tool.ts";
import { callHook } from "./hooks.ts";
import { newLoopState } from "./model-step.ts";
import type { Answer, Participant, ParticipantScope } from "./participant.ts";
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
      const { limits } = definition;
      const isFirst = scope.agentPath.length === 1;
      const delegations = isFirst
        ? newDelegations({ ...limits, ...scope.options.limits })
        : scope.delegations;
      const own = { ...scope, delegations };
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
    this.#scope = scope;
    this.#session = sessionOf(settings, scope.runId);
    this.#binding = bindRun(settings, scope, this.#session);
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
    const { draft, input, signal } = this.#scope;
    const models = await this.#chooseModels();
    draft.state = newLoopState(await untilAborted(this.#openingMessages(), signal));
    draft.state.tainted = this.#scope.tainted;
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
    draft.failedServers = tools.servers.failed;
    try {
      const scope = toLoopScope(this.#settings, { models, binding, steps, tools, span });
      draft.artifacts = scope.artifacts;
      return await runAgentLoop(draft.state, scope);
    } finally {
      await tools.servers.close();
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
