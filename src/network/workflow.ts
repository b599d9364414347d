import type { InnerOptions } from "../agent/ask-within.ts";
import type { Assembly } from "../agent/assembly.ts";
import { checkInput } from "../agent/check-run-options.ts";
import { participantOf } from "../agent/create-assembly.ts";
import { ParticipantMemory } from "../agent/participant-memory.ts";
import type { RunInput } from "../agent/run-input.ts";
import type { CompletedRun, RunResult } from "../agent/run-result.ts";
import { Suspension } from "../agent/suspension.ts";
import { untilAborted } from "../base/abort.ts";
import { canonicalJson } from "../base/canonical-json.ts";
import { digestOf } from "../base/digest.ts";
import { type Json, toJson } from "../base/json.ts";
import type { BoundSession, SharedMemory } from "../tool/binding.ts";
import type { AssemblyWork } from "./assembly-work.ts";
import { type AssemblyHead, defineAssembly } from "./define-assembly.ts";
import { invalidAssembly, type Member, type RuntimeNow, toMember } from "./member.ts";
import { WorkflowMemory } from "./workflow-memory.ts";

/** What a workflow's function works with. */
export interface WorkflowContext<Context = unknown> {
  readonly runId: string;
  /** The authenticated caller. */
  readonly actor: string | undefined;
  /** What the application gave with the run. */
  readonly context: Context;
  /** Aborts when the run is cancelled or its deadline passes. */
  readonly signal: AbortSignal;
  /** The conversation that the run belongs to, where it was given one. */
  readonly session: BoundSession | undefined;
  /** What the participants of the run share. What the workflow has read and set holds where it is resumed. */
  readonly memory: SharedMemory;
  /**
   * Asks a member; any number may be asked at once.
   *
   * @throws RunError `participant-failed` where it fails; the signal's reason.
   */
  ask<Output>(
    agent: Assembly<Output>,
    input: RunInput,
    options?: WorkflowAsk,
  ): Promise<CompletedRun<Output>>;
  /** The same, with whatever comes of it. */
  tryToAsk<Output>(
    agent: Assembly<Output>,
    input: RunInput,
    options?: WorkflowAsk,
  ): Promise<RunResult<Output>>;
  /**
   * Does something that a run which is resumed must not do again, and keeps what it gives, as JSON.
   * Steps that are taken side by side need names of their own, since they are told apart by their order.
   *
   * @throws what it throws; the signal's reason.
   */
  step<Value extends Json>(name: string, perform: () => Value | Promise<Value>): Promise<Value>;
  step(name: string, perform: () => void): Promise<void>;
  sleep(durationMs: number): Promise<void>;
  /** Milliseconds since the Unix epoch; the same again where the run is resumed. */
  now(): Promise<number>;
  /** A random id; the same again where the run is resumed. */
  randomId(): Promise<string>;
}

/** How a member is asked in a workflow. */
export type WorkflowAsk = InnerOptions & {
  readonly signal?: AbortSignal;
  /** What it is called in paths. Default: its own name. */
  readonly name?: string;
};

/**
 * What a workflow does: plain code. What it gives is its answer: a text, or data. Where a run is resumed
 * it is called again and must take the same way, so it asks for time, chance and the world by its
 * context only.
 */
export type WorkflowFunction<Output, Context> = (
  context: WorkflowContext<Context>,
  input: RunInput,
) => Output | Promise<Output>;

/**
 * An assembly whose way is a function.
 *
 * @throws ConfigurationError `invalid-definition`.
 */
export function createWorkflow<Output, Context>(
  run: WorkflowFunction<Output, Context>,
  head: Partial<AssemblyHead>,
  runtimeNow: RuntimeNow,
): Assembly<Output> {
  if (typeof run !== "function") {
    throw invalidAssembly(
      "A workflow needs a function: defineWorkflow(async (context, input) => …).",
    );
  }
  const name = head.name ?? (run.name || "workflow");
  return defineAssembly<Output>(
    {
      ...head,
      pattern: "workflow",
      name,
      async perform(work) {
        const asking = new WorkflowAsking(work);
        const output = await asking.whole(async () =>
          run(asking.context<Context>(), work.scope.input),
        );
        const isText = typeof output === "string";
        const json = isText || output === undefined ? undefined : toJson(output);
        return { text: isText ? output : (JSON.stringify(json) ?? ""), output };
      },
    },
    runtimeNow,
  );
}

/** What a workflow asks in one run. */
class WorkflowAsking {
  readonly #work: AssemblyWork;
  readonly #running = new Set<Promise<unknown>>();
  #waiting: readonly Suspension[] = [];

  constructor(work: AssemblyWork) {
    this.#work = work;
  }

  context<Context>(): WorkflowContext<Context> {
    const { scope } = this.#work;
    const { runId, options, signal, session, steps } = scope;
    return {
      runId,
      actor: options.actor,
      context: options.context as Context, // what the application gives with runs of this workflow
      signal,
      session,
      memory: new WorkflowMemory(new ParticipantMemory(scope), steps),
      ask: (agent, input, ask) => this.#ask(agent, input, ask),
      tryToAsk: (agent, input, ask) => this.#tryToAsk(agent, input, ask),
      step: <Value>(name: string, perform: () => Value | Promise<Value>) =>
        this.#watch(this.#step(name, perform)),
      sleep: (durationMs) => steps.sleep(durationMs),
      now: () => steps.now(),
      randomId: () => steps.randomId(),
    };
  }

  /**
   * The function's work, together with all that it has asked: none is left behind, and where one of
   * them waits for somebody the workflow does, whatever the function made of it.
   */
  async whole<Output>(perform: () => Promise<Output>): Promise<Output> {
    const [own] = await Promise.allSettled([untilAborted(perform(), this.#work.scope.signal)]);
    while (this.#running.size > 0) {
      await Promise.allSettled(this.#running);
    }
    if (this.#waiting.length > 0) {
      throw new Suspension(this.#waiting.flatMap(({ waitingFor }) => waitingFor));
    }
    if (own.status === "rejected") {
      throw own.reason;
    }
    return own.value;
  }

  #ask<Output>(
    agent: Assembly<Output>,
    input: RunInput,
    ask: WorkflowAsk = {},
  ): Promise<CompletedRun<Output>> {
    const asking = async (): Promise<CompletedRun> => {
      const { member, result } = await this.#outcomeOf(agent, input, ask);
      return this.#work.answerOf(member, result);
    };
    return this.#watch(asking()) as Promise<CompletedRun<Output>>; // of this agent
  }

  #tryToAsk<Output>(
    agent: Assembly<Output>,
    input: RunInput,
    ask: WorkflowAsk = {},
  ): Promise<RunResult<Output>> {
    const asking = async (): Promise<RunResult> =>
      (await this.#outcomeOf(agent, input, ask)).result;
    return this.#watch(asking()) as Promise<RunResult<Output>>; // of this agent
  }

  /** @throws Suspension where it waits. */
  async #outcomeOf(
    agent: Assembly<unknown>,
    input: RunInput,
    { signal, ...options }: WorkflowAsk,
  ): Promise<{ readonly member: Member; readonly result: RunResult }> {
    const member = toAsk(agent, options);
    checkInput(input, member.name);
    const result = await this.#work.outcomeOf(member, {
      input,
      // Whichever of several comes first when the run is resumed finds its own steps again.
      id: digestOf(canonicalJson(input as Json)),
      ...(signal === undefined ? {} : { signal: this.#within(signal) }),
    });
    if (result.status === "suspended") {
      throw new Suspension(result.waitingFor);
    }
    if (result.status === "completed") {
      this.#work.keep(member, result);
    }
    return { member, result };
  }

  async #step<Value>(name: string, perform: () => Value | Promise<Value>): Promise<Value> {
    const { steps, signal } = this.#work.scope;
    const given = await steps.run(`step:${name}`, async (): Promise<{ readonly value?: Json }> => {
      const value = await untilAborted((async () => perform())(), signal);
      return value === undefined ? {} : { value: toJson(value) };
    });
    return given.value as Value; // its JSON, so that it is the same where the run is resumed
  }

  #within(signal: AbortSignal): AbortSignal {
    return AbortSignal.any([this.#work.scope.signal, signal]);
  }

  /** Nothing is left behind, and a failure that the function does not look at ends no process. */
  #watch<Value>(work: Promise<Value>): Promise<Value> {
    this.#running.add(work);
    work
      .catch((reason: unknown) => {
        if (reason instanceof Suspension) {
          this.#waiting = [...this.#waiting, reason];
        }
      })
      .finally(() => this.#running.delete(work));
    return work;
  }
}

function toAsk(agent: Assembly<unknown>, options: Omit<WorkflowAsk, "signal">): Member {
  const name = options.name ?? participantOf(agent)?.name ?? "member";
  return toMember({ agent, ...options }, `"${name}" that the workflow asks`);
}
