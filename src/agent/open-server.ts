import { untilAborted } from "../base/abort.ts";
import type { Json } from "../base/json.ts";
import type { Binding } from "../tool/binding.ts";
import type { ScoredDocument } from "../tool/scorer.ts";
import {
  isToolset,
  type OpenToolset,
  type Toolset,
  type ToolsetObserver,
} from "../tool/toolset.ts";
import type { AgentRuntime } from "./agent-runtime.ts";
import type { Catalogues } from "./catalogues.ts";
import { settlesWithin } from "./close-toolset.ts";
import type { KeptToolsets } from "./kept-toolsets.ts";
import type { ParticipantScope } from "./participant.ts";
import type { Steps } from "./steps.ts";
import type { McpEntry } from "./tool-level.ts";
import type { TracedScope } from "./traced.ts";
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

/** A server that is open. */
export interface OpenedServer {
  readonly kind: "open";
  readonly name: string;
  readonly toolset: OpenToolset;
  readonly prefix: boolean;
  /** Its tools as a scorer sees them, in their order; `undefined` where nobody asks. */
  readonly documents?: readonly ScoredDocument[] | undefined;
  /**
   * The server with the tools of now, where it has said that they changed; `undefined` where it has not,
   * or where they cannot be had. It is closed with the one that it was made of.
   */
  changed(): Promise<OpenedServer | undefined>;
}

/** A server that is connected, and not yet known to the run. */
export interface ConnectedServer {
  readonly name: string;
  readonly toolset: Toolset;
  readonly opened: OpenToolset;
}

/** Opens a server for a run, or takes the open one that is kept. @throws what opening it throws. */
export async function connectServer(
  entry: McpEntry,
  scope: OpeningScope,
  leave: (ending: Promise<void>) => void,
): Promise<ConnectedServer> {
  const { binding, steps, kept, runtime, catalogues } = scope;
  const observer: ToolsetObserver = {
    pins: runtime.pins,
    notice: (code, message) => steps.emit({ kind: "notice", code, message }),
    log: (told) => steps.emit({ kind: "server-log", server: entry.name, ...told }),
    toolsChanged: () => void catalogues?.forget(toolset),
  };
  const toolset = isToolset(entry) ? entry : await runtime.toToolset(entry);
  const keptSet = await kept?.find(entry, binding, observer);
  const opened =
    keptSet ??
    (await tracedOpening(toolset, tracedIn(scope), (span) =>
      open(toolset, scope.binding, { observer: { ...observer, span }, leave }),
    ));
  return { name: entry.name, toolset, opened };
}

const tracedIn = ({ participant, binding: { signal } }: OpeningScope): TracedScope => ({
  span: participant?.span,
  signal,
});

/** Records that a server is open, tells of it, and remembers its tools. @throws what recording throws; the signal's reason. */
export async function enterServer(
  connected: ConnectedServer,
  scope: OpeningScope,
): Promise<OpenedServer> {
  const { name, opened } = connected;
  const { steps } = scope;
  const tools = opened.tools.map((tool) => tool.source?.name ?? tool.name);
  // The connection itself cannot be recorded: a run that is resumed opens its own.
  await steps.run<Json>(stepOf(name), async () => tools);
  steps.emit({
    kind: "server-connect",
    server: name,
    tools,
    ...(opened.serverInfo === undefined ? {} : { serverInfo: opened.serverInfo }),
  });
  return toOpenedServer(connected, scope);
}

async function toOpenedServer(
  connected: ConnectedServer,
  scope: OpeningScope,
): Promise<OpenedServer> {
  const { name, toolset, opened } = connected;
  const { signal } = scope.binding;
  const remembering = scope.catalogues?.remember(toolset, opened);
  const documents = remembering && (await untilAborted(remembering, signal));
  const changed = async (): Promise<OpenedServer | undefined> => {
    const now = await currentOf(opened, scope);
    return now === opened ? undefined : toOpenedServer({ name, toolset, opened: now }, scope);
  };
  return {
    kind: "open",
    name,
    toolset: opened,
    prefix: toolset.prefix ?? false,
    documents,
    changed,
  };
}

/** The toolset as it is now; itself where that is not to be had, or not in bearable time. */
async function currentOf(
  opened: OpenToolset,
  { binding, runtime, serverWaitMs }: OpeningScope,
): Promise<OpenToolset> {
  if (opened.current === undefined || opened.isOpen?.() === false) {
    return opened;
  }
  const { signal } = binding;
  let now = opened;
  const listing = opened.current({ signal }).then(
    (found) => {
      now = found;
    },
    () => {}, // who calls one of its tools hears what is wrong
  );
  await settlesWithin(serverWaitMs, listing, runtime.clock);
  signal.throwIfAborted();
  return now;
}

/** The name of the step that keeps which tools a server had. */
export const stepOf = (server: string): string => `open:${server}`;

/** How a toolset is opened for a run. */
interface Opening {
  readonly observer: ToolsetObserver;
  /** Takes what ends later by itself. */
  leave(ending: Promise<void>): void;
}

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
