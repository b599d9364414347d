import { untilAborted } from "../base/abort.ts";
import { messageOf } from "../base/dragoman-error.ts";
import { EventLog } from "../base/event-log.ts";
import { createId } from "../base/ids.ts";
import type { Message } from "../message/message.ts";
import type { Usage } from "../model/usage.ts";
import type { Binding } from "../tool/binding.ts";
import { type AgentAnswer, runAgentLoop } from "./agent-loop.ts";
import { callHook } from "./hooks.ts";
import { MemorySteps } from "./memory-steps.ts";
import { type LoopState, newLoopState, totalUsage } from "./model-step.ts";
import type { Run } from "./run.ts";
import type { RunArtifacts } from "./run-artifacts.ts";
import { RunError } from "./run-error.ts";
import { eventMerging, type RunEvent, type RunEventBody } from "./run-event.ts";
import { type FailedServer, toRunFailure } from "./run-failure.ts";
import type { RunInput } from "./run-options.ts";
import type { CompletedRun, RunReport, RunResult } from "./run-result.ts";
import {
  chooseModels,
  hooksOf,
  openingMessages,
  type RunParts,
  type RunSettings,
  sessionOf,
  toLoopScope,
  toolLevels,
} from "./run-scope.ts";
import type { RunSession } from "./run-session.ts";
import { openRunTools } from "./run-tools.ts";
import type { Steps } from "./steps.ts";
import { takeOutput } from "./structured-output.ts";

/** What a run is made of. */
export interface AgentRunOptions extends RunSettings {
  readonly input: RunInput;
  /** Whether anybody may read the events; if not, none are kept. */
  readonly observed: boolean;
}

/** A run in this process: binds who runs, opens the tools, loops, closes and reports. */
export class AgentRun<Output> implements Run<Output> {
  readonly id: string = createId("run");
  readonly #run: AgentRunOptions;
  readonly #log: EventLog<RunEvent> | undefined;
  readonly #controller = new AbortController();
  readonly #agentPath: readonly string[];
  readonly #session: RunSession | undefined;
  #sequence = 0;
  #result: Promise<RunResult<Output>> | undefined;
  #failedServers: readonly FailedServer[] = [];
  #artifacts: RunArtifacts | undefined;
  #model = "";
  #state: LoopState = newLoopState([]);

  constructor(run: AgentRunOptions) {
    this.#run = run;
    this.#log = run.observed ? new EventLog(eventMerging) : undefined;
    this.#agentPath = [run.definition.name];
    this.#session = sessionOf(run, this.id);
  }

  get result(): Promise<RunResult<Output>> {
    this.#result ??= this.#start();
    return this.#result;
  }

  cancel(reason: unknown = "cancelled"): void {
    this.#controller.abort(reason);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RunEvent, void, undefined> {
    this.#result ??= this.#start();
    yield* this.#log ?? [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#result !== undefined) {
      this.cancel("disposed");
      await this.#result;
    }
  }

  async #start(): Promise<RunResult<Output>> {
    const release = this.#startLimits();
    let result: RunResult<Output>;
    try {
      result = this.#completed(await this.#execute());
    } catch (thrown) {
      result = this.#broken(thrown);
    } finally {
      release();
    }
    result = await this.#saveSession(result);
    this.#emitEnd(result);
    this.#log?.close();
    return result;
  }

  /** Couples the run to the caller's signal and deadline. @returns what uncouples it. */
  #startLimits(): () => void {
    const { signal, timeoutMs } = this.#run.options;
    const onAbort = (): void => this.cancel(signal?.reason);
    if (signal?.aborted) {
      onAbort();
    }
    signal?.addEventListener("abort", onAbort, { once: true });
    const stopTimer =
      timeoutMs === undefined
        ? undefined
        : this.#run.runtime.clock.startTimer(
            () => this.#controller.abort(deadlineOf(timeoutMs)),
            timeoutMs,
          );
    return () => {
      signal?.removeEventListener("abort", onAbort);
      stopTimer?.();
    };
  }

  async #execute(): Promise<AgentAnswer> {
    const { definition, runtime, input } = this.#run;
    const { signal } = this.#controller;
    this.#emit({ kind: "run-start", agent: definition.name });
    signal.throwIfAborted();
    const models = await this.#chooseModels();
    const binding = this.#bind();
    const steps = new MemorySteps({
      runId: this.id,
      signal,
      clock: runtime.clock,
      emit: (event) => this.#emit(event),
    });
    this.#state = newLoopState(await untilAborted(this.#openingMessages(binding, steps), signal));
    for (const hook of hooksOf(definition)) {
      const text = await callHook("beforeAgent", signal, () =>
        hook.beforeAgent?.({ input, binding }),
      );
      if (text !== undefined) {
        return this.#answerInPlace(text, signal);
      }
    }
    const answer = await this.#loop({ models, binding, steps });
    return this.#afterAgent(answer, binding);
  }

  async #openingMessages(binding: Binding, steps: Steps): Promise<readonly Message[]> {
    const { input } = this.#run;
    const history = (await this.#session?.load(steps, input)) ?? [];
    return openingMessages(this.#run, { binding, history, input });
  }

  async #chooseModels(): Promise<RunParts["models"]> {
    const choosing = chooseModels(this.#run);
    const { chosen, fallbacks } = await untilAborted(choosing, this.#controller.signal);
    this.#model = chosen.model.id;
    for (const notice of chosen.notices ?? []) {
      this.#emit({ kind: "notice", ...notice });
    }
    return [chosen.model, ...fallbacks];
  }

  async #loop(parts: Omit<RunParts, "tools">): Promise<AgentAnswer> {
    const { runtime } = this.#run;
    const { tools, servers } = await openRunTools(toolLevels(this.#run), { runtime, ...parts });
    this.#failedServers = servers.failed;
    try {
      const scope = toLoopScope(this.#run, { ...parts, tools });
      this.#artifacts = scope.artifacts;
      return await runAgentLoop(this.#state, scope);
    } finally {
      await servers.close();
    }
  }

  /** A hook has answered the whole run. */
  async #answerInPlace(text: string, signal: AbortSignal): Promise<AgentAnswer> {
    this.#state.messages.push({ role: "assistant", content: [{ kind: "text", text }] });
    this.#state.text = text;
    const { output } = this.#run;
    return { end: "stop", output: output && (await takeOutput(text, output, signal)) };
  }

  async #afterAgent(answer: AgentAnswer, binding: Binding): Promise<AgentAnswer> {
    for (const hook of hooksOf(this.#run.definition)) {
      const { text } = this.#state;
      const given = await callHook("afterAgent", this.#controller.signal, () =>
        hook.afterAgent?.(text, { binding }),
      );
      this.#state.text = given ?? text;
    }
    return answer;
  }

  #bind(): Binding {
    const { definition, runtime, options } = this.#run;
    const { actor, context, timeoutMs } = options;
    return {
      run: {
        id: this.id,
        ...(actor === undefined ? {} : { actor }),
        context,
        ...(this.#session === undefined ? {} : { session: this.#session.bound }),
        agentPath: this.#agentPath,
      },
      agent: { name: definition.name },
      signal: this.#controller.signal,
      ...(timeoutMs === undefined ? {} : { deadline: runtime.clock.now() + timeoutMs }),
      credential: (name) =>
        runtime.credentials.credential(name, {
          ...(actor === undefined ? {} : { actor }),
          signal: this.#controller.signal,
        }),
    };
  }

  #emit(body: RunEventBody): void {
    if (this.#log !== undefined) {
      this.#sequence += 1;
      this.#log.append({
        ...body,
        runId: this.id,
        sequence: this.#sequence,
        time: this.#run.runtime.clock.now(),
        agentPath: this.#agentPath,
      });
    }
  }

  #completed({ end, output }: AgentAnswer): RunResult<Output> {
    const result: CompletedRun<Output> = {
      status: "completed",
      finishReason: end,
      output: output as Output, // checked by the agent's own schema; undefined where it has none
      ...this.#report(),
      orThrow: () => result,
    };
    return result;
  }

  #broken(thrown: unknown): RunResult<Output> {
    const { signal } = this.#controller;
    if (signal.aborted && !RunError.is(signal.reason)) {
      const { reason } = signal;
      const orThrow = (): never => {
        throw new RunError("The run was cancelled.", { code: "cancelled", cause: reason });
      };
      return { status: "cancelled", reason, ...this.#report(), orThrow };
    }
    return this.#failed(signal.aborted ? signal.reason : thrown);
  }

  #failed(cause: unknown): RunResult<Output> {
    const orThrow = (): never => {
      throw cause;
    };
    return { status: "failed", error: toRunFailure(cause), cause, ...this.#report(), orThrow };
  }

  /** Appends the run's messages to its session. An answer that could not be kept is no success. */
  async #saveSession(result: RunResult<Output>): Promise<RunResult<Output>> {
    try {
      const saved = await this.#session?.save(this.#state.messages);
      if (saved !== undefined) {
        this.#emit(saved);
      }
    } catch (thrown) {
      if (result.status === "completed") {
        return this.#failed(thrown);
      }
      const message = `What was said could not be kept: ${messageOf(thrown)}`;
      this.#emit({ kind: "notice", code: "session-not-saved", message });
      this.#run.runtime.logger.warn(message);
    }
    return result;
  }

  #report(): RunReport {
    const { text, usage, steps, messages } = this.#state;
    const usageByModel: Record<string, Usage> = Object.fromEntries(usage);
    return {
      runId: this.id,
      text,
      model: this.#model,
      usage: totalUsage(this.#state),
      usageByModel,
      steps,
      messages,
      failedServers: this.#failedServers,
      artifacts: this.#artifacts?.all ?? [],
    };
  }

  #emitEnd(result: RunResult<Output>): void {
    if (result.status === "suspended") {
      this.#emit({ kind: "run-suspend", waitingFor: result.waitingFor });
      return;
    }
    const { status, text, usage } = result;
    const error = status === "failed" ? { error: result.error } : {};
    this.#emit({ kind: "run-end", status, text, usage, ...error });
  }
}

const deadlineOf = (timeoutMs: number): RunError =>
  new RunError(`The run did not end within ${timeoutMs} ms.`, { code: "deadline-exceeded" });
