import { ConfigurationError } from "../base/dragoman-error.ts";
import { createId } from "../base/ids.ts";
import type { Assembly } from "./assembly.ts";
import { asAssembly } from "./create-assembly.ts";
import { examineTools, setExaminer } from "./examine-tools.ts";
import { type AvailableTool, listAvailableTools } from "./explain.ts";
import { KeptServers } from "./kept-servers.ts";
import type { KeptToolsets } from "./kept-toolsets.ts";
import type { Run } from "./run.ts";
import type { FailedServer } from "./run-failure.ts";
import type { RunInput } from "./run-input.ts";
import type { ResumeOptions, RunOptions } from "./run-options.ts";
import { bindRun, type RunSettings, serverWaitMsOf, toolLevels } from "./run-scope.ts";
import { setToolBench, type ToolBenchParts } from "./tool-bench.ts";
import { wantedTools } from "./wanted-tools.ts";

/** Who starts an agent, and what it connects to. */
export type StartOptions = Pick<RunOptions, "actor" | "context" | "tools" | "mcp" | "signal">;

/**
 * An agent whose connections stay open between runs. Its runs are those of the actor that it was
 * started for, unless they say otherwise; a run of another actor opens connections of its own.
 */
export interface LiveAgent<Output = unknown> extends Assembly<Output>, AsyncDisposable {
  /** Servers that could not be connected when it was tried last; each run tries them again. */
  readonly failedServers: readonly FailedServer[];
  availableTools(options?: RunOptions): Promise<readonly AvailableTool[]>;
  /**
   * Cancels its runs that are under way, waits until they have ended and closes all connections. May be
   * called again.
   */
  stop(): Promise<void>;
}

/** Makes the assembly whose runs use the connections that are kept, and says what its bench is made of. */
type AssemblyOver<Output> = (kept: KeptToolsets) => {
  readonly assembly: Assembly<Output>;
  readonly bench: ToolBenchParts;
};

/**
 * Connects now. A server that fails, or is slow, is recorded and does not fail the start.
 *
 * @param settingsWith what a run with these options would be made of.
 */
export async function startAgent<Output>(
  options: StartOptions,
  settingsWith: (options: RunOptions) => RunSettings,
  assemblyOver: AssemblyOver<Output>,
): Promise<LiveAgent<Output>> {
  // Connecting is what start is for, also where runs by themselves connect nothing.
  const settings = settingsWith({ mcp: "inherit", tools: "inherit", ...options });
  const lifetime = new AbortController();
  const { signal } = options;
  const onAbort = (): void => lifetime.abort(signal?.reason);
  if (signal?.aborted) {
    onAbort();
  }
  signal?.addEventListener("abort", onAbort, { once: true, signal: lifetime.signal });
  const { name } = settings.definition;
  const bound = { runId: createId("live"), agentPath: [name], signal: lifetime.signal };
  const binding = bindRun(settings, bound);
  const servers = new KeptServers({ runtime: settings.runtime, binding });
  await servers.open(wantedTools(toolLevels(settings), settings).servers, serverWaitMsOf(settings));
  const { assembly: inner, bench } = assemblyOver(servers);
  const live = new StartedAgent({ options, lifetime, servers, settingsWith, inner });
  setToolBench(live, bench);
  return asAssembly(live, inner);
}

interface StartedParts<Output> {
  readonly options: StartOptions;
  readonly lifetime: AbortController;
  readonly servers: KeptServers;
  readonly settingsWith: (options: RunOptions) => RunSettings;
  readonly inner: Assembly<Output>;
}

class StartedAgent<Output> implements LiveAgent<Output> {
  readonly name: string;
  readonly description: string | undefined;
  readonly #parts: StartedParts<Output>;
  readonly #running = new Set<Promise<unknown>>();
  #stopping: Promise<void> | undefined;

  constructor(parts: StartedParts<Output>) {
    this.#parts = parts;
    this.name = parts.inner.name;
    this.description = parts.inner.description;
    const { settingsWith, servers } = parts;
    setExaminer(this, async (options) => examineTools(settingsWith(this.#own(options)), servers));
  }

  get failedServers(): readonly FailedServer[] {
    return this.#parts.servers.failed;
  }

  ask(input: RunInput, options: RunOptions = {}): ReturnType<Assembly<Output>["ask"]> {
    return this.#watch(this.#parts.inner.ask(input, this.#own(options)));
  }

  stream(input: RunInput, options: RunOptions = {}): Run<Output> {
    return this.#watchRun(this.#parts.inner.stream(input, this.#own(options)));
  }

  resume(runId: string, options: ResumeOptions = {}): ReturnType<Assembly<Output>["resume"]> {
    return this.#watch(this.#parts.inner.resume(runId, this.#own(options)));
  }

  resumeStream(runId: string, options: ResumeOptions = {}): Run<Output> {
    return this.#watchRun(this.#parts.inner.resumeStream(runId, this.#own(options)));
  }

  async availableTools(options: RunOptions = {}): Promise<readonly AvailableTool[]> {
    const { settingsWith, servers } = this.#parts;
    return listAvailableTools(settingsWith(this.#own(options)), servers);
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    this.#parts.lifetime.abort("the agent was stopped");
    await Promise.allSettled(this.#running);
    await this.#parts.servers.close();
  }

  /** The same run, watched from its start on, which is up to whoever has it. */
  #watchRun(run: Run<Output>): Run<Output> {
    const start = (): Run<Output>["result"] => this.#watch(run.result);
    return {
      id: run.id,
      get result() {
        return start();
      },
      cancel: (reason) => run.cancel(reason),
      async *[Symbol.asyncIterator]() {
        void start(); // never rejects
        yield* run;
      },
      [Symbol.asyncDispose]: () => run[Symbol.asyncDispose](),
    };
  }

  #watch<Value>(running: Promise<Value>): Promise<Value> {
    const done = running.finally(() => this.#running.delete(done));
    this.#running.add(done);
    return done;
  }

  /** The run's options with the actor and context of the start, ended by the agent's stop. */
  #own<Options extends RunOptions>(options: Options): Options {
    const { actor, context } = this.#parts.options;
    const { signal: lifetime } = this.#parts.lifetime;
    if (this.#stopping !== undefined) {
      throw new ConfigurationError(`Agent "${this.name}" was stopped. Start it again.`, {
        code: "invalid-configuration",
      });
    }
    const signal =
      options.signal === undefined ? lifetime : AbortSignal.any([options.signal, lifetime]);
    const who = actor === undefined ? {} : { actor };
    return { ...who, ...(context === undefined ? {} : { context }), ...options, signal };
  }
}
