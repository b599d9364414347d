import { untilAborted } from "../base/abort.ts";
import { completed, outcomeOfThrown } from "../base/trace-outcome.ts";
import type { Binding } from "../tool/binding.ts";
import { isToolset, type OpenToolset, type ToolsetObserver } from "../tool/toolset.ts";
import type { AgentRuntime } from "./agent-runtime.ts";
import { Catalogues } from "./catalogues.ts";
import { closeToolset, longestLeaveMs, settlesWithin } from "./close-toolset.ts";
import { type FailedServer, toRunFailure } from "./run-failure.ts";
import type { McpEntry } from "./tool-level.ts";

/** Whose connections are kept, and how long. */
export interface KeepingScope {
  readonly runtime: AgentRuntime;
  /** Its actor is the principal; its signal ends what is still being opened. */
  readonly binding: Binding;
}

/** One server that stays open for its principal's runs, until it is closed. */
export class KeptServer {
  readonly #entry: McpEntry;
  readonly #scope: KeepingScope;
  /** Those who hear what the server tells. */
  readonly #runs = new Set<ToolsetObserver>();
  #opening: Promise<OpenToolset> | undefined;
  #failed: FailedServer | undefined;

  constructor(entry: McpEntry, scope: KeepingScope) {
    this.#entry = entry;
    this.#scope = scope;
  }

  /** Why it could not be had when it was tried last. */
  get failed(): FailedServer | undefined {
    return this.#failed;
  }

  /** Opens it, once for all who ask; after a failure the next who asks tries again. */
  open(): Promise<OpenToolset> {
    if (this.#opening === undefined) {
      const opening = this.#trying(() => this.#open());
      this.#opening = opening;
      opening.catch(() => this.#forget(opening));
    }
    return this.#opening;
  }

  /**
   * The toolset for one run, as it is now: opened anew where it was lost, its tools listed anew where
   * they changed. The run hears what the server tells until it closes what it was given.
   */
  async use(observer: ToolsetObserver, signal: AbortSignal): Promise<OpenToolset> {
    const leave = async (): Promise<void> => void this.#runs.delete(observer);
    this.#runs.add(observer);
    try {
      return { ...(await untilAborted(this.#now(), signal)), close: leave };
    } catch (error) {
      await leave();
      throw error;
    }
  }

  /** Never rejects. One that is still being opened, and does not give up, is closed when it is open. */
  async close(): Promise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    if (opening !== undefined) {
      const closing = opening.then(
        (opened) => this.#close(opened),
        () => {},
      );
      const settled = opening.catch(() => {});
      if (await settlesWithin(longestLeaveMs, settled, this.#scope.runtime.clock)) {
        await closing;
      }
    }
  }

  async #now(): Promise<OpenToolset> {
    const opening = this.open();
    const opened = await opening;
    if (opened.isOpen?.() === false) {
      if (this.#forget(opening)) {
        await this.#close(opened);
      }
      return this.open();
    }
    if (opened.current === undefined) {
      return opened;
    }
    const { signal } = this.#scope.binding;
    const now = this.#trying(async () => (await opened.current?.({ signal })) ?? opened);
    const found = await now;
    if (this.#opening === opening) {
      this.#opening = now;
    }
    return found;
  }

  /** @returns whether it was what is had. */
  #forget(opening: Promise<OpenToolset>): boolean {
    const isHad = this.#opening === opening;
    this.#opening = isHad ? undefined : this.#opening;
    return isHad;
  }

  async #open(): Promise<OpenToolset> {
    const { runtime, binding } = this.#scope;
    binding.signal.throwIfAborted();
    const entry = this.#entry;
    const toolset = isToolset(entry) ? entry : await runtime.toToolset(entry);
    const operation = { kind: "server-open", server: toolset.name } as const;
    const span = runtime.tracer?.start(operation, undefined);
    try {
      const catalogues = new Catalogues(runtime, binding);
      const toolsChanged = (): void => void catalogues.forget(toolset);
      const opened = await toolset.open(binding, { ...this.#observer(), toolsChanged, span });
      span?.set({ count: opened.tools.length });
      span?.end(completed);
      return opened;
    } catch (thrown) {
      span?.end(outcomeOfThrown(thrown, binding.signal));
      throw thrown;
    }
  }

  /** Tells the runs that are under way; between them, the log. */
  #observer(): ToolsetObserver {
    const { logger, pins } = this.#scope.runtime;
    return {
      isKept: true,
      pins,
      notice: (code, message) => {
        for (const run of this.#runs) {
          run.notice(code, message);
        }
        if (this.#runs.size === 0) {
          logger.warn(message);
        }
      },
      log: (told) => {
        for (const run of this.#runs) {
          run.log?.(told);
        }
      },
    };
  }

  #close(opened: OpenToolset): Promise<void> {
    const { runtime, binding } = this.#scope;
    return closeToolset(opened, { name: this.#entry.name, agent: binding.agent.name, runtime });
  }

  async #trying(work: () => Promise<OpenToolset>): Promise<OpenToolset> {
    try {
      const opened = await work();
      this.#failed = undefined;
      return opened;
    } catch (thrown) {
      this.#record(thrown);
      throw thrown;
    }
  }

  #record(thrown: unknown): void {
    const { runtime, binding } = this.#scope;
    const { name } = this.#entry;
    const error = toRunFailure(thrown, name);
    if (this.#failed === undefined && !binding.signal.aborted) {
      const agent = binding.agent.name;
      runtime.logger.warn(
        `agent "${agent}" goes on without MCP server "${name}": ${error.message}`,
        { agent, server: name, code: error.code },
      );
    }
    this.#failed = { name, error };
  }
}
