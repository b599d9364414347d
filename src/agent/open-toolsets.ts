import { untilAborted } from "../base/abort.ts";
import { ConfigurationError, messageOf } from "../base/dragoman-error.ts";
import type { Json } from "../base/json.ts";
import type { Binding } from "../tool/binding.ts";
import type { ScoredDocument } from "../tool/scorer.ts";
import {
  isToolset,
  type OpenToolset,
  type Toolset,
  type ToolsetObserver,
} from "../tool/toolset.ts";
import type { AgentRuntime, McpEntry } from "./agent-runtime.ts";
import type { Catalogues } from "./catalogues.ts";
import { closeToolset, longestLeaveMs, settlesWithin } from "./close-toolset.ts";
import type { ParticipantScope } from "./participant.ts";
import { RunError } from "./run-error.ts";
import { type FailedServer, toRunFailure } from "./run-failure.ts";
import type { Steps } from "./steps.ts";
import { tracedOpening } from "./traced-opening.ts";

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
  /** Connections that outlive runs; what is kept there is used, and stays open. */
  readonly kept?: KeptToolsets | undefined;
}

/** Toolsets that are open already, for the principal of the run. */
export interface KeptToolsets {
  /**
   * The open toolset of an entry; `undefined` where it must be opened for the run. Closing it only ends
   * the run's use of it; until then the observer hears what the server tells.
   *
   * @throws what opening it throws.
   */
  find(
    entry: McpEntry,
    binding: Binding,
    observer: ToolsetObserver,
  ): Promise<OpenToolset | undefined>;
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

  async #open(entry: McpEntry): Promise<void> {
    const { binding } = this.#scope;
    const signal = AbortSignal.any([binding.signal, this.#givingUp.signal]);
    try {
      const scope = { ...this.#scope, binding: { ...binding, signal } };
      const server = await openServer(entry, scope, (ending) => this.#left.push(ending));
      this.open.push(server);
    } catch (thrown) {
      if (binding.signal.aborted) {
        this.#break(binding.signal.reason);
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

async function openServer(
  entry: McpEntry,
  scope: OpeningScope,
  leave: (ending: Promise<void>) => void,
): Promise<OpenedServer> {
  const { binding, steps, kept, runtime } = scope;
  const observer: ToolsetObserver = {
    pins: runtime.pins,
    notice: (code, message) => steps.emit({ kind: "notice", code, message }),
    log: (told) => steps.emit({ kind: "server-log", server: entry.name, ...told }),
  };
  const keptSet = await kept?.find(entry, binding, observer);
  const toolset = isToolset(entry) ? entry : await runtime.toToolset(entry);
  const opened =
    keptSet ??
    (await tracedOpening(toolset, scope, (span) =>
      open(toolset, scope.binding, { observer: { ...observer, span }, leave }),
    ));
  try {
    return await register(entry, toolset, opened, scope);
  } catch (thrown) {
    leave(opened.close());
    throw thrown;
  }
}

/** Records that a server is open, tells of it, and remembers its tools. */
async function register(
  entry: McpEntry,
  toolset: Toolset,
  opened: OpenToolset,
  { steps, catalogues }: OpeningScope,
): Promise<OpenedServer> {
  const names = opened.tools.map(({ source, name }) => source?.name ?? name);
  // The connection itself cannot be recorded: a run that is resumed opens its own.
  await steps.run<Json>(stepOf(entry), async () => names);
  steps.emit({
    kind: "server-connect",
    server: entry.name,
    tools: names,
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

/** How a toolset is opened for a run. */
interface Opening {
  readonly observer: ToolsetObserver;
  /** Takes what ends later by itself. */
  leave(ending: Promise<void>): void;
}

const isRequired = (entry: McpEntry): boolean => isToolset(entry) && entry.onUnavailable === "fail";

const stepOf = ({ name }: McpEntry): string => `open:${name}`;

/** An opening that outlives its signal is left, and closed when it is done. */
async function open(
  toolset: Toolset,
  binding: Binding,
  { observer, leave }: Opening,
): Promise<OpenToolset> {
  const opening = toolset.open(binding, observer);
  try {
    return await untilAborted(opening, binding.signal);
  } catch (thrown) {
    leave(
      opening.then(
        (set) => set.close(),
        () => {},
      ),
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
    tellOnError(entry as Toolset, thrown, binding); // only a toolset has this policy
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

/** @throws ConfigurationError `callback-failed`. */
function tellOnError(toolset: Toolset, failure: unknown, binding: Binding): void {
  try {
    toolset.onError?.(failure, { binding });
  } catch (cause) {
    const why = `The onError of the MCP toolset "${toolset.name}" threw: ${messageOf(cause)}`;
    throw new ConfigurationError(why, { code: "callback-failed", cause });
  }
}
