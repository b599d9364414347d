import { untilAborted } from "../base/abort.ts";
import { completed, outcomeOfThrown } from "../base/trace-outcome.ts";
import type { Binding } from "../tool/binding.ts";
import { isToolset, type OpenToolset } from "../tool/toolset.ts";
import type { AgentRuntime, McpEntry } from "./agent-runtime.ts";
import { closeToolset, type KeptToolsets, openToolset } from "./open-server.ts";
import { type FailedServer, toRunFailure } from "./run-failure.ts";

/** Whose connections are kept, and how long. */
export interface KeepingScope {
  readonly runtime: AgentRuntime;
  /** Its actor is the principal; its signal ends what is still being opened. */
  readonly binding: Binding;
}

/** Servers that stay open for one principal's runs, until they are closed. */
export class KeptServers implements KeptToolsets {
  readonly #scope: KeepingScope;
  readonly #openings = new Map<McpEntry, Promise<OpenToolset>>();
  readonly #failed = new Map<McpEntry, FailedServer>();

  constructor(scope: KeepingScope) {
    this.#scope = scope;
  }

  /** Those that could not be opened when it was tried last. */
  get failed(): readonly FailedServer[] {
    return [...this.#failed.values()];
  }

  /** Begins to open servers; waits for all, at most so long. Failures are recorded and logged. */
  async open(entries: readonly McpEntry[], waitMs: number): Promise<void> {
    const opening = entries.map((entry) => this.#opening(entry).catch(() => {})); // recorded
    const overdue = Promise.withResolvers<void>();
    const stop = this.#scope.runtime.clock.startTimer(overdue.resolve, waitMs);
    await Promise.race([Promise.all(opening), overdue.promise]).finally(stop);
  }

  /** One that failed is tried again. Another principal's run gets nothing: it opens its own. */
  async find(entry: McpEntry, { run, signal }: Binding): Promise<OpenToolset | undefined> {
    const isKept = this.#openings.has(entry) || this.#failed.has(entry);
    return isKept && run.actor === this.#scope.binding.run.actor
      ? untilAborted(this.#usable(entry), signal)
      : undefined;
  }

  /** The open toolset, opened anew where it was lost. */
  async #usable(entry: McpEntry): Promise<OpenToolset> {
    const opening = this.#opening(entry);
    const opened = await opening;
    if (opened.isOpen?.() === false && this.#openings.get(entry) === opening) {
      this.#openings.delete(entry);
      await this.#closeOne(entry, opened);
    }
    return this.#openings.get(entry) === opening ? opened : this.#opening(entry);
  }

  /** Closes all of them; does not reject. */
  async close(): Promise<void> {
    const openings = [...this.#openings];
    this.#openings.clear();
    const closing = openings.map(async ([entry, opening]) => {
      const opened = await opening.catch(() => undefined); // recorded
      await (opened && this.#closeOne(entry, opened));
    });
    await Promise.all(closing);
  }

  #closeOne({ name }: McpEntry, opened: OpenToolset): Promise<void> {
    const { runtime, binding } = this.#scope;
    return closeToolset(opened, name, { ...runtime, agent: binding.agent.name });
  }

  #opening(entry: McpEntry): Promise<OpenToolset> {
    const opening = this.#openings.get(entry) ?? this.#begin(entry);
    this.#openings.set(entry, opening);
    return opening;
  }

  async #begin(entry: McpEntry): Promise<OpenToolset> {
    const { runtime, binding } = this.#scope;
    try {
      binding.signal.throwIfAborted();
      const toolset = isToolset(entry) ? entry : await runtime.toToolset(entry);
      const { tracer, pins } = runtime;
      const operation = { kind: "server-open", server: toolset.name } as const;
      const span = tracer?.start(operation, undefined);
      const observer = {
        notice: (_code: string, message: string) => runtime.logger.warn(message),
        pins,
        span,
      };
      const opened = await openToolset(toolset, binding, observer).catch((thrown: unknown) => {
        span?.end(outcomeOfThrown(thrown, binding.signal));
        throw thrown;
      });
      span?.set({ count: opened.tools.length });
      span?.end(completed);
      this.#failed.delete(entry);
      return opened;
    } catch (thrown) {
      this.#openings.delete(entry);
      this.#record(entry, thrown);
      throw thrown;
    }
  }

  #record(entry: McpEntry, thrown: unknown): void {
    const { runtime, binding } = this.#scope;
    const error = toRunFailure(thrown, entry.name);
    if (!this.#failed.has(entry) && !binding.signal.aborted) {
      const agent = binding.agent.name;
      runtime.logger.warn(
        `agent "${agent}" started without MCP server "${entry.name}": ${error.message}`,
        { agent, server: entry.name, code: error.code },
      );
    }
    this.#failed.set(entry, { name: entry.name, error });
  }
}
