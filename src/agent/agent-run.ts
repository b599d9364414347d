import { untilAborted } from "../base/abort.ts";
import { messageOf } from "../base/dragoman-error.ts";
import { EventLog } from "../base/event-log.ts";
import { createId } from "../base/ids.ts";
import type { Message } from "../message/message.ts";
import type { Model } from "../model/model.ts";
import type { FinishReason } from "../model/model-event.ts";
import type { Binding } from "../tool/binding.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import type { AgentRuntime, ChosenModel } from "./agent-runtime.ts";
import { MemorySteps } from "./memory-steps.ts";
import { type LoopState, newLoopState, runNativeLoop } from "./native-loop.ts";
import type { Run } from "./run.ts";
import { RunError } from "./run-error.ts";
import { eventMerging, type RunEvent, type RunEventBody } from "./run-event.ts";
import { type FailedServer, toRunFailure } from "./run-failure.ts";
import type { RunInput, RunOptions } from "./run-options.ts";
import type { CompletedRun, RunResult } from "./run-result.ts";
import { RunSession } from "./run-session.ts";
import { openRunTools } from "./run-tools.ts";
import type { Steps } from "./steps.ts";

/** What a run is made of. */
export interface AgentRunOptions {
  readonly definition: AgentDefinition;
  readonly runtime: AgentRuntime;
  readonly input: RunInput;
  readonly options: RunOptions;
  /** Whether anybody may read the events; if not, none are kept. */
  readonly observed: boolean;
}

const defaultMaxSteps = 50;

/** A run in this process: binds who runs, opens the tools, loops, closes and reports. */
export class AgentRun implements Run {
  readonly id: string = createId("run");
  readonly #run: AgentRunOptions;
  readonly #log: EventLog<RunEvent> | undefined;
  readonly #controller = new AbortController();
  readonly #agentPath: readonly string[];
  readonly #session: RunSession | undefined;
  #sequence = 0;
  #result: Promise<RunResult> | undefined;
  #failedServers: readonly FailedServer[] = [];
  #model = "";
  #state: LoopState = newLoopState([]);

  constructor(run: AgentRunOptions) {
    this.#run = run;
    this.#log = run.observed ? new EventLog(eventMerging) : undefined;
    this.#agentPath = [run.definition.name];
    this.#session = sessionOf(run, this.id);
  }

  get result(): Promise<RunResult> {
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

  async #start(): Promise<RunResult> {
    const release = this.#startLimits();
    let result: RunResult;
    try {
      const finishReason = await this.#execute();
      result = this.#completed(finishReason);
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

  async #execute(): Promise<FinishReason | "max-steps"> {
    const { definition, runtime, options } = this.#run;
    const { signal } = this.#controller;
    this.#emit({ kind: "run-start", agent: definition.name });
    signal.throwIfAborted();
    const { model, notices = [] } = await untilAborted(this.#chooseModel(), signal);
    this.#model = model.id;
    for (const notice of notices) {
      this.#emit({ kind: "notice", ...notice });
    }
    const { clock } = runtime;
    const binding = this.#bind();
    const emit = (event: RunEventBody): void => this.#emit(event);
    const steps = new MemorySteps({ runId: this.id, signal, clock, emit });
    this.#state = newLoopState(await untilAborted(this.#messages(binding, steps), signal));
    const levels = [
      runtime.global,
      definition,
      { tools: options.tools ?? runtime.defaults.tools, mcp: options.mcp ?? runtime.defaults.mcp },
    ];
    const { tools, servers } = await openRunTools(levels, { runtime, binding, steps });
    this.#failedServers = servers.failed;
    const maxSteps = options.maxSteps ?? definition.maxSteps ?? defaultMaxSteps;
    try {
      return await runNativeLoop(this.#state, { model, tools, maxSteps, binding, steps, clock });
    } finally {
      await servers.close();
    }
  }

  async #chooseModel(): Promise<ChosenModel> {
    const { definition, runtime, options } = this.#run;
    const wanted: string | Model | undefined = options.model ?? definition.model;
    return typeof wanted === "object" ? { model: wanted } : runtime.chooseModel(wanted);
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

  async #messages(binding: Binding, steps: Steps): Promise<readonly Message[]> {
    const { input, definition } = this.#run;
    const history = this.#session === undefined ? [] : await this.#session.load(steps, input);
    const { instructions } = definition;
    const text = typeof instructions === "function" ? await instructions(binding) : instructions;
    return [
      ...(text === undefined || text === "" ? [] : [{ role: "system", text } as const]),
      ...history,
      {
        role: "user",
        content: typeof input === "string" ? [{ kind: "text", text: input }] : input,
      },
    ];
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

  #completed(finishReason: FinishReason | "max-steps"): RunResult {
    const result: CompletedRun = {
      status: "completed",
      finishReason,
      ...this.#report(),
      orThrow: () => result,
    };
    return result;
  }

  #broken(thrown: unknown): RunResult {
    const { signal } = this.#controller;
    const report = this.#report();
    if (signal.aborted && !RunError.is(signal.reason)) {
      const { reason } = signal;
      const orThrow = (): never => {
        throw new RunError("The run was cancelled.", { code: "cancelled", cause: reason });
      };
      return { status: "cancelled", reason, ...report, orThrow };
    }
    return this.#failed(signal.aborted ? signal.reason : thrown);
  }

  #failed(cause: unknown): RunResult {
    const orThrow = (): never => {
      throw cause;
    };
    return { status: "failed", error: toRunFailure(cause), cause, ...this.#report(), orThrow };
  }

  /** Appends the run's messages to its session. An answer that could not be kept is no success. */
  async #saveSession(result: RunResult): Promise<RunResult> {
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

  #report(): Omit<CompletedRun, "status" | "finishReason" | "orThrow"> {
    const { text, usage, steps, messages } = this.#state;
    return {
      runId: this.id,
      text,
      model: this.#model,
      usage,
      steps,
      messages,
      failedServers: this.#failedServers,
    };
  }

  #emitEnd(result: RunResult): void {
    const { status, text, usage } = result;
    const error = status === "failed" ? { error: result.error } : {};
    this.#emit({ kind: "run-end", status, text, usage, ...error });
  }
}

function sessionOf({ runtime, options }: AgentRunOptions, runId: string): RunSession | undefined {
  const { session, actor } = options;
  const store = session?.store ?? runtime.sessions;
  return session === undefined || store === undefined
    ? undefined
    : new RunSession({
        store,
        app: runtime.app,
        id: session.id,
        actor,
        runId,
        clock: runtime.clock,
      });
}

const deadlineOf = (timeoutMs: number): RunError =>
  new RunError(`The run did not end within ${timeoutMs} ms.`, { code: "deadline-exceeded" });
