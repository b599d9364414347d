import { ConfigurationError } from "../base/dragoman-error.ts";
import { isToolset } from "../tool/toolset.ts";
import { closeToolset, longestLeaveMs, settlesWithin } from "./close-toolset.ts";
import {
  type ConnectedServer,
  connectServer,
  enterServer,
  type OpenedServer,
  type OpeningScope,
  stepOf,
} from "./open-server.ts";
import { RunError } from "./run-error.ts";
import type { FailedServer } from "./run-failure.ts";
import { handleFailure } from "./server-failure.ts";
import type { McpEntry } from "./tool-level.ts";

/** Why servers are given up that are not ready when their run is over. */
const runIsOver = "the run is over";

/**
 * All servers of a run, opened side by side. One that cannot be opened is dealt with as its
 * `onUnavailable` says and leaves the others alone; one that is slow does not hold them up.
 */
export class RunServers {
  /** Those that are open, in the order in which they became so. */
  readonly open: OpenedServer[] = [];
  readonly failed: FailedServer[] = [];
  readonly #scope: OpeningScope;
  readonly #givingUp = new AbortController();
  readonly #pending = new Map<string, Promise<void>>();
  readonly #begun = new Map<string, McpEntry>();
  /** What was given up while it was being opened, until nothing is left of it. */
  readonly #left: Promise<void>[] = [];
  readonly #order: readonly string[];
  readonly #required: readonly string[];
  #broken: { readonly reason: unknown } | undefined;
  /** Resolves when nothing is worth waiting for any more. */
  readonly #breaking = Promise.withResolvers<void>();

  /**
   * Begins to open them.
   *
   * @throws ConfigurationError where two have one name.
   */
  constructor(entries: readonly McpEntry[], scope: OpeningScope) {
    refuseDuplicates(entries);
    this.#scope = scope;
    this.#order = entries.map(({ name }) => name);
    // What an earlier execution of the run had, it needs again.
    this.#required = entries
      .filter((entry) => isRequired(entry) || scope.steps.isRecorded(stepOf(entry.name)))
      .map(({ name }) => name)
      .concat(scope.awaited ?? []);
    for (const entry of entries) {
      this.#begin(entry);
    }
  }

  /**
   * Waits for those that must be there and for the first of the others, then a while for the rest.
   *
   * @throws what {@link check} throws; what is open stays so until {@link close}.
   */
  async ready(): Promise<void> {
    const waited = Promise.withResolvers<void>();
    const { clock } = this.#scope.runtime;
    const stop = clock.startTimer(waited.resolve, this.#scope.serverWaitMs);
    try {
      await this.#untilOne();
      await Promise.race([this.#settling(this.#pending.keys()), waited.promise]);
      await this.#settling(this.#required);
    } finally {
      stop();
    }
    // The same tools in the same order each time, whichever server was the fastest.
    this.open.sort(({ name: one }, { name: other }) => this.#placeOf(one) - this.#placeOf(other));
    this.check();
  }

  /** Whether every one of them is open. */
  get allOpen(): boolean {
    return this.open.length === this.#begun.size;
  }

  /** Opens one more, unless it was begun before, and waits for it. It fails as the others do. */
  async connect(entry: McpEntry): Promise<void> {
    this.#begin(entry);
    await this.#pending.get(entry.name);
  }

  /** Whether that server is open, or is or was being opened. */
  isBegun(name: string): boolean {
    return this.#begun.has(name);
  }

  /** Whether none is being opened any more. */
  get settled(): boolean {
    return this.#pending.size === 0;
  }

  /** Waits for all. @throws what {@link check} throws. */
  async complete(): Promise<void> {
    await this.#settling(this.#pending.keys());
    this.check();
  }

  /**
   * @throws the signal's reason on cancellation; RunError `server-unavailable` for a server that must
   *   be there; what an `onError` callback has thrown.
   */
  check(): void {
    if (this.#broken !== undefined) {
      throw this.#broken.reason;
    }
  }

  /**
   * Closes every one of them once, also those that are not ready; never rejects. A process that was
   * being started is gone then, unless what opens it does not give up.
   */
  async close(): Promise<void> {
    if (!this.#scope.binding.signal.aborted && this.#broken === undefined) {
      for (const name of this.#pending.keys()) {
        this.#failLate(name);
      }
    }
    this.#givingUp.abort(runIsOver);
    await Promise.all(this.#pending.values());
    const { runtime, binding } = this.#scope;
    const agent = binding.agent.name;
    const closing = this.open
      .splice(0)
      .map(({ name, toolset }) => closeToolset(toolset, { name, agent, runtime }));
    await Promise.all([
      ...closing,
      settlesWithin(longestLeaveMs, this.#whatIsLeft(), runtime.clock),
    ]);
  }

  async #whatIsLeft(): Promise<void> {
    await Promise.all(this.#left);
  }

  #begin(entry: McpEntry): void {
    const { name } = entry;
    if (!this.#begun.has(name)) {
      this.#begun.set(name, entry);
      const opening = this.#open(entry).finally(() => this.#pending.delete(name));
      this.#pending.set(name, opening);
    }
  }

  #placeOf(name: string): number {
    return this.#order.indexOf(name);
  }

  /** Waits for these servers, but no longer than it is of use. */
  async #settling(names: Iterable<string>): Promise<void> {
    const settling = [...names].map((name) => this.#pending.get(name));
    await Promise.race([Promise.all(settling), this.#breaking.promise]);
  }

  #break(reason: unknown): void {
    this.#broken ??= { reason };
    this.#breaking.resolve();
  }

  async #untilOne(): Promise<void> {
    while (this.open.length === 0 && this.#pending.size > 0 && this.#broken === undefined) {
      await Promise.race(this.#pending.values());
    }
  }

  /** Never rejects. */
  async #open(entry: McpEntry): Promise<void> {
    const { binding } = this.#scope;
    const signal = AbortSignal.any([binding.signal, this.#givingUp.signal]);
    const scope = { ...this.#scope, binding: { ...binding, signal } };
    let connected: ConnectedServer;
    try {
      connected = await connectServer(entry, scope, (ending) => this.#left.push(ending));
    } catch (thrown) {
      if (binding.signal.aborted) {
        this.#break(binding.signal.reason);
      } else if (!this.#givingUp.signal.aborted) {
        this.#fail(entry, thrown);
      }
      return;
    }
    try {
      this.open.push(await enterServer(connected, scope));
    } catch (reason) {
      // Not the server's failure: the run cannot be recorded, or is over.
      this.#break(reason);
      const { runtime } = this.#scope;
      const { name, opened } = connected;
      this.#left.push(closeToolset(opened, { name, agent: binding.agent.name, runtime }));
    }
  }

  #fail(entry: McpEntry, thrown: unknown): void {
    try {
      const failed = handleFailure(entry, thrown, this.#scope);
      this.failed.push(...(failed === undefined ? [] : [failed]));
    } catch (reason) {
      this.#break(reason);
    }
  }

  #failLate(name: string): void {
    const message = `MCP server "${name}" was not ready when the run was over. Ask for more time with serverWaitMs, or start the agent before the run.`;
    const entry = this.#begun.get(name);
    if (entry !== undefined) {
      this.#fail(entry, new RunError(message, { code: "server-not-ready" }));
    }
  }
}

/** @throws ConfigurationError where two have one name. */
export function refuseDuplicates(entries: readonly McpEntry[]): void {
  const names = entries.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new ConfigurationError(
      `Two MCP servers of this run are called "${twice}". Give each a name of its own.`,
      { code: "invalid-configuration" },
    );
  }
}

const isRequired = (entry: McpEntry): boolean => isToolset(entry) && entry.onUnavailable === "fail";
