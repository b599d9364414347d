import { untilAborted } from "../base/abort.ts";
import { ConfigurationError, messageOf } from "../base/dragoman-error.ts";
import type { Json } from "../base/json.ts";
import type { ActiveSpan } from "../base/tracing.ts";
import type { Binding } from "../tool/binding.ts";
import type { ScoredDocument } from "../tool/scorer.ts";
import { isToolset, type OpenToolset, type Toolset } from "../tool/toolset.ts";
import type { AgentRuntime, McpEntry } from "./agent-runtime.ts";
import type { Catalogues } from "./catalogues.ts";
import type { ParticipantScope } from "./participant.ts";
import { RunError } from "./run-error.ts";
import { type FailedServer, toRunFailure } from "./run-failure.ts";
import type { Steps } from "./steps.ts";
import { traced } from "./traced.ts";

/** What opening needs of its run. */
export interface OpeningScope {
  readonly runtime: AgentRuntime;
  readonly binding: Binding;
  readonly steps: Steps;
  /** The asking one's, for tools by which it asks others; `undefined` where tools are only shown. */
  readonly participant?: ParticipantScope | undefined;
  /** How long servers that are not ready are waited for once one is, in milliseconds. */
  readonly serverWaitMs: number;
  /** Names of servers that are waited for until they are open or have failed. */
  readonly awaited?: readonly string[] | undefined;
  /** What is remembered of servers' tools; `undefined` where nobody asks. */
  readonly catalogues?: Catalogues | undefined;
  /** Connections that outlive runs; a toolset that is kept there is used, and not closed. */
  readonly kept?: KeptToolsets | undefined;
}

/** Toolsets that are open already, for the principal of the run. */
export interface KeptToolsets {
  /**
   * The open toolset of an entry; `undefined` where it must be opened for the run.
   *
   * @throws what opening it throws.
   */
  find(entry: McpEntry, binding: Binding): Promise<OpenToolset | undefined>;
}

/** A server that is open. */
export interface OpenedServer {
  readonly kind: "open";
  readonly name: string;
  readonly toolset: OpenToolset;
  readonly prefix: boolean;
  /** Its tools as a scorer sees them, in their order; `undefined` where nobody asks. */
  readonly documents?: readonly ScoredDocument[] | undefined;
}

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
  readonly #begun = new Set<string>();
  readonly #order: readonly string[];
  readonly #required: readonly string[];
  #broken: { readonly reason: unknown } | undefined;

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
      .filter((entry) => isRequired(entry) || scope.steps.isRecorded(stepOf(entry)))
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
      await Promise.race([Promise.all(this.#pending.values()), waited.promise]);
      await Promise.all(this.#required.map((name) => this.#pending.get(name)));
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
    await Promise.all(this.#pending.values());
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

  /** Closes every one of them once, also those that are not ready; never rejects. */
  async close(): Promise<void> {
    for (const name of this.#pending.keys()) {
      this.#recordLate(name);
    }
    this.#givingUp.abort(runIsOver);
    await Promise.all(this.#pending.values());
    await Promise.all(this.open.splice(0).map((server) => closeServer(server, this.#scope)));
  }

  #begin(entry: McpEntry): void {
    const { name } = entry;
    if (!this.#begun.has(name)) {
      this.#begun.add(name);
      const opening = this.#open(entry).finally(() => this.#pending.delete(name));
      this.#pending.set(name, opening);
    }
  }

  #placeOf(name: string): number {
    return this.#order.indexOf(name);
  }

  async #untilOne(): Promise<void> {
    while (this.open.length === 0 && this.#pending.size > 0 && this.#broken === undefined) {
      await Promise.race(this.#pending.values());
    }
  }

  async #open(entry: McpEntry): Promise<void> {
    const { binding } = this.#scope;
    const signal = AbortSignal.any([binding.signal, this.#givingUp.signal]);
    try {
      const server = await openServer(entry, { ...this.#scope, binding: { ...binding, signal } });
      this.open.push(server);
    } catch (thrown) {
      if (binding.signal.aborted) {
        this.#broken ??= { reason: binding.signal.reason };
      } else if (!this.#givingUp.signal.aborted) {
        this.#fail(entry, thrown);
      }
    }
  }

  #fail(entry: McpEntry, thrown: unknown): void {
    try {
      const failed = handleFailure(entry, thrown, this.#scope);
      this.failed.push(...(failed === undefined ? [] : [failed]));
    } catch (reason) {
      this.#broken ??= { reason };
    }
  }

  #recordLate(name: string): void {
    if (this.#scope.binding.signal.aborted || this.#broken !== undefined) {
      return;
    }
    const message = `MCP server "${name}" was not ready when the run was over. Ask for more time with serverWaitMs, or start the agent before the run.`;
    const error = { code: "server-not-ready", message, server: name };
    this.#scope.steps.emit({ kind: "server-fail", server: name, error });
    this.failed.push({ name, error });
  }
}

/** How long a toolset may take to close before the run ends without it, in milliseconds. */
const longestCloseMs = 15_000;

/** A toolset that does not close, or fails in it, does not hold or spoil the run. */
async function closeServer(
  { name, toolset }: OpenedServer,
  { runtime, binding }: OpeningScope,
): Promise<void> {
  const overdue = Promise.withResolvers<void>();
  const stop = runtime.clock.startTimer(() => overdue.reject("it takes too long"), longestCloseMs);
  try {
    await Promise.race([toolset.close(), overdue.promise]);
  } catch (thrown) {
    const agent = binding.agent.name;
    runtime.logger.warn(`agent "${agent}" could not close "${name}": ${messageOf(thrown)}`);
  } finally {
    stop();
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

async function openServer(entry: McpEntry, scope: OpeningScope): Promise<OpenedServer> {
  const { binding, steps, kept, runtime, catalogues } = scope;
  const keptSet = await kept?.find(entry, binding);
  const toolset = isToolset(entry) ? entry : await runtime.toToolset(entry);
  const opened = keptSet ? { ...keptSet, close: async () => {} } : await openTraced(toolset, scope);
  const names: Json = opened.tools.map(({ source, name }) => source?.name ?? name);
  // The connection itself cannot be recorded: a run that is resumed opens its own.
  await steps.run(stepOf(entry), async () => names);
  steps.emit({
    kind: "server-connect",
    server: entry.name,
    tools: opened.tools.map(({ source, name }) => source?.name ?? name),
    ...(opened.serverInfo === undefined ? {} : { serverInfo: opened.serverInfo }),
  });
  const documents = await catalogues?.remember(toolset, opened);
  return {
    kind: "open",
    name: entry.name,
    toolset: opened,
    prefix: toolset.prefix ?? false,
    documents,
  };
}

function openTraced(toolset: Toolset, scope: OpeningScope): Promise<OpenToolset> {
  return traced(
    { span: scope.participant?.span, signal: scope.binding.signal },
    () => ({ kind: "server-open", server: toolset.name }),
    async (span) => {
      const opened = await open(toolset, scope, span);
      span?.set({ count: opened.tools.length });
      return opened;
    },
  );
}

const isRequired = (entry: McpEntry): boolean => isToolset(entry) && entry.onUnavailable === "fail";

const stepOf = ({ name }: McpEntry): string => `open:${name}`;

/** An opening that outlives its signal is closed when it is done. */
async function open(
  toolset: Toolset,
  { binding, steps, runtime }: OpeningScope,
  span: ActiveSpan | undefined,
): Promise<OpenToolset> {
  const opening = toolset.open(binding, {
    pins: runtime.pins,
    span,
    notice: (code, message) => steps.emit({ kind: "notice", code, message }),
    log: (entry) => steps.emit({ kind: "server-log", server: toolset.name, ...entry }),
  });
  try {
    return await untilAborted(opening, binding.signal);
  } catch (thrown) {
    opening.then(
      (set) => set.close(),
      () => {},
    );
    throw thrown;
  }
}

const isWrongServer = (thrown: unknown): boolean =>
  ConfigurationError.is(thrown) && thrown.code === "invalid-configuration";

/**
 * @returns what is recorded; `undefined` for a failure that was expected.
 * @throws where it ends the run.
 */
function handleFailure(
  entry: McpEntry,
  thrown: unknown,
  { runtime, binding, steps }: OpeningScope,
): FailedServer | undefined {
  const { name } = entry;
  const policy = isToolset(entry) ? (entry.onUnavailable ?? "record") : "record";
  // A server whose configuration is wrong counts as one that is not there; other mistakes are ours.
  const isRecorded = policy === "record" && isWrongServer(thrown);
  if (ConfigurationError.is(thrown) && !isRecorded) {
    throw thrown;
  }
  const failure = toRunFailure(thrown, name);
  if (policy === "ignore") {
    (entry as Toolset).onError?.(thrown, { binding }); // only a toolset has this policy
    return undefined;
  }
  steps.emit({ kind: "server-fail", server: name, error: failure });
  if (policy === "fail") {
    throw new RunError(failure.message, { code: "server-unavailable", cause: thrown });
  }
  runtime.logger.warn(
    `agent "${binding.agent.name}" goes on without MCP server "${name}": ${failure.message}`,
    { agent: binding.agent.name, server: name, code: failure.code },
  );
  return { name, error: failure };
}
