import type { Assembly } from "../agent/assembly.ts";
import { participantOf } from "../agent/assembly.ts";
import type { RunInput, RunOptions } from "../agent/run-options.ts";
import type { CompletedRun, RunResult } from "../agent/run-result.ts";
import { interruptionOf, Suspension } from "../agent/suspension.ts";
import { type Json, toJson } from "../base/json.ts";
import type { SharedMemory } from "../tool/binding.ts";
import type { AssemblyWork } from "./assembly-work.ts";
import { type AssemblyHead, defineAssembly } from "./define-assembly.ts";
import {
  invalidAssembly,
  type Member,
  type MemberEntry,
  type RuntimeNow,
  toMember,
} from "./member.ts";

/** What a workflow's function works with. */
export interface WorkflowContext<Context = unknown> {
  readonly runId: string;
  /** The authenticated caller. */
  readonly actor: string | undefined;
  /** What the application gave with the run. */
  readonly context: Context;
  /** Aborts when the run is cancelled or its deadline passes. */
  readonly signal: AbortSignal;
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
   * Does something that a run which is resumed must not do again, and keeps what it gives.
   *
   * @throws what it throws.
   */
  step<Value extends Json>(name: string, perform: () => Value | Promise<Value>): Promise<Value>;
  sleep(durationMs: number): Promise<void>;
  /** Milliseconds since the Unix epoch; the same again where the run is resumed. */
  now(): Promise<number>;
  /** A random id; the same again where the run is resumed. */
  randomId(): Promise<string>;
}

/** How a member is asked in a workflow. */
export type WorkflowAsk = Pick<RunOptions, "tools" | "mcp" | "model" | "limits" | "signal"> & {
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
  readonly #asked = new Set<Promise<unknown>>();

  constructor(work: AssemblyWork) {
    this.#work = work;
  }

  context<Context>(): WorkflowContext<Context> {
    const { runId, options, signal, memory, steps } = this.#work.scope;
    return {
      runId,
      actor: options.actor,
      context: options.context as Context, // what the application gives with runs of this workflow
      signal,
      memory,
      ask: (agent, input, ask) => this.#ask(agent, input, ask),
      tryToAsk: (agent, input, ask) => this.#tryToAsk(agent, input, ask),
      step: (name, perform) =>
        steps.run(`step:${name}`, async () => perform(), { idempotent: true }),
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
    const [own] = await Promise.allSettled([perform()]);
    const settled = await Promise.allSettled(this.#asked);
    const waiting = interruptionOf(settled.filter(isSuspended));
    if (waiting !== undefined) {
      throw waiting.reason;
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
    const { signal, member } = toAsk(agent, ask);
    const turn = { input, ...(signal === undefined ? {} : { signal: this.#within(signal) }) };
    return this.#watch(this.#work.ask(member, turn)) as Promise<CompletedRun<Output>>; // of this agent
  }

  #tryToAsk<Output>(
    agent: Assembly<Output>,
    input: RunInput,
    ask: WorkflowAsk = {},
  ): Promise<RunResult<Output>> {
    const { signal, member } = toAsk(agent, ask);
    const turn = { input, ...(signal === undefined ? {} : { signal: this.#within(signal) }) };
    const asking = this.#work.tryToAsk(member, turn).then((result) => {
      if (result.status === "suspended") {
        throw new Suspension(result.waitingFor);
      }
      return result;
    });
    return this.#watch(asking) as Promise<RunResult<Output>>; // of this agent
  }

  #within(signal: AbortSignal): AbortSignal {
    return AbortSignal.any([this.#work.scope.signal, signal]);
  }

  #watch<Value>(asking: Promise<Value>): Promise<Value> {
    this.#asked.add(asking);
    return asking;
  }
}

const isSuspended = (one: PromiseSettledResult<unknown>): boolean =>
  one.status === "rejected" && one.reason instanceof Suspension;

function toAsk(
  agent: Assembly<unknown>,
  { signal, ...options }: WorkflowAsk,
): { readonly signal: AbortSignal | undefined; readonly member: Member } {
  const name = participantOf(agent)?.name ?? "member";
  const entry: MemberEntry = { agent, ...options };
  return { signal, member: toMember(entry, `"${options.name ?? name}" that the workflow asks`) };
}
