import type { Binding } from "../tool/binding.ts";
import type { OpenToolset, ToolsetObserver } from "../tool/toolset.ts";
import { settlesWithin } from "./close-toolset.ts";
import { type KeepingScope, KeptServer } from "./kept-server.ts";
import type { KeptToolsets } from "./kept-toolsets.ts";
import type { FailedServer } from "./run-failure.ts";
import type { McpEntry } from "./tool-level.ts";

/** Servers that stay open for one principal's runs, until they are closed. */
export class KeptServers implements KeptToolsets {
  readonly #scope: KeepingScope;
  readonly #servers = new Map<McpEntry, KeptServer>();

  constructor(scope: KeepingScope) {
    this.#scope = scope;
  }

  /** Those that could not be had when it was tried last. */
  get failed(): readonly FailedServer[] {
    return [...this.#servers.values()].flatMap(({ failed }) => failed ?? []);
  }

  /** Begins to open servers; waits for all, at most so long. Failures are recorded and logged. */
  async open(entries: readonly McpEntry[], waitMs: number): Promise<void> {
    for (const entry of entries) {
      this.#servers.set(entry, new KeptServer(entry, this.#scope));
    }
    const opening = [...this.#servers.values()].map((server) => server.open().catch(() => {}));
    await settlesWithin(waitMs, Promise.all(opening), this.#scope.runtime.clock);
  }

  /** One that failed is tried again. Another principal's run gets nothing: it opens its own. */
  async find(
    entry: McpEntry,
    { run, signal }: Binding,
    observer: ToolsetObserver,
  ): Promise<OpenToolset | undefined> {
    const isTheirs = run.actor === this.#scope.binding.run.actor;
    return isTheirs ? this.#servers.get(entry)?.use(observer, signal) : undefined;
  }

  /** Closes all of them; does not reject. */
  async close(): Promise<void> {
    const closing = [...this.#servers.values()].map((server) => server.close());
    await Promise.all(closing);
  }
}
