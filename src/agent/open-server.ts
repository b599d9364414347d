import { untilAborted } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/dragoman-error.ts";
import type { Logger } from "../base/logger.ts";
import type { ActiveSpan } from "../base/tracing.ts";
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
import type { ParticipantScope } from "./participant.ts";
import type { Steps } from "./steps.ts";
import { traced } from "./traced.ts";

/** What opening needs of its run. */
export interface OpeningScope {
  readonly runtime: AgentRuntime;
  readonly binding: Binding;
  readonly steps: Steps;
  /** The asking one's, for tools by which it asks others; `undefined` where tools are only shown. */
  readonly participant?: ParticipantScope | undefined;
  /** How long servers that are not ready are waited for, in milliseconds; longer only until one is. */
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

/** A server that was connected, or was connected before, and is not yet known to the run. */
export interface ConnectedServer {
  readonly name: string;
  readonly toolset: Toolset;
  readonly opened: OpenToolset;
}

/** Opens a server for a run, or takes the open one that is kept. @throws what opening it throws. */
export async function connectServer(
  entry: McpEntry,
  { binding, steps, kept, runtime, participant }: OpeningScope,
): Promise<ConnectedServer> {
  const { name } = entry;
  const keptSet = await kept?.find(entry, binding);
  const toolset = isToolset(entry) ? entry : await runtime.toToolset(entry);
  if (keptSet !== undefined) {
    return { name, toolset, opened: { ...keptSet, close: async () => {} } };
  }
  const open = async (span: ActiveSpan | undefined): Promise<OpenToolset> => {
    const set = await openToolset(toolset, binding, {
      pins: runtime.pins,
      span,
      notice: (code, message) => steps.emit({ kind: "notice", code, message }),
      log: (entry) => steps.emit({ kind: "server-log", server: name, ...entry }),
    });
    span?.set({ count: set.tools.length });
    return set;
  };
  const traceScope = { span: participant?.span, signal: binding.signal };
  const operation = { kind: "server-open", server: name } as const;
  return { name, toolset, opened: await traced(traceScope, () => operation, open) };
}

/** Makes a connected server known to the run. @throws what recording throws; the signal's reason. */
export async function enterServer(
  { name, toolset, opened }: ConnectedServer,
  { binding, steps, catalogues }: OpeningScope,
): Promise<OpenedServer> {
  const tools = opened.tools.map((tool) => tool.source?.name ?? tool.name);
  // The connection itself cannot be recorded: a run that is resumed opens its own.
  await steps.run<readonly string[]>(stepOf(name), async () => tools);
  steps.emit({
    kind: "server-connect",
    server: name,
    tools,
    ...(opened.serverInfo === undefined ? {} : { serverInfo: opened.serverInfo }),
  });
  const remembering = catalogues?.remember(toolset, opened);
  const documents = remembering && (await untilAborted(remembering, binding.signal));
  return { kind: "open", name, toolset: opened, prefix: toolset.prefix ?? false, documents };
}

/** The name of the step that keeps which tools a server had. */
export const stepOf = (server: string): string => `open:${server}`;

/** Opens a toolset; an opening that outlives its signal is closed when it is done. */
export async function openToolset(
  toolset: Toolset,
  binding: Binding,
  observer: ToolsetObserver,
): Promise<OpenToolset> {
  const opening = toolset.open(binding, observer);
  try {
    return await untilAborted(opening, binding.signal);
  } catch (thrown) {
    opening.then((late) => late.close()).catch(() => {}); // nobody waits for it any more
    throw thrown;
  }
}

/** How long a toolset may take to close before its owner goes on without it, in milliseconds. */
const longestCloseMs = 15_000;

/** Closes a toolset. One that does not close, or fails in it, is told and neither holds nor spoils anything. */
export async function closeToolset(
  toolset: OpenToolset,
  server: string,
  {
    clock,
    logger,
    agent,
  }: { readonly clock: Clock; readonly logger: Logger; readonly agent: string },
): Promise<void> {
  const overdue = Promise.withResolvers<never>();
  const stop = clock.startTimer(() => overdue.reject("it takes too long"), longestCloseMs);
  try {
    await Promise.race([toolset.close(), overdue.promise]);
  } catch (thrown) {
    logger.warn(`agent "${agent}" could not close "${server}": ${messageOf(thrown)}`);
  } finally {
    stop();
  }
}
