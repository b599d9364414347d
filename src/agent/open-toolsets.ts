import { untilAborted } from "../base/abort.ts";
import { ConfigurationError, messageOf } from "../base/dragoman-error.ts";
import type { Json } from "../base/json.ts";
import type { Binding } from "../tool/binding.ts";
import { isToolset, type OpenToolset, type Toolset } from "../tool/toolset.ts";
import type { AgentRuntime, McpEntry } from "./agent-runtime.ts";
import { RunError } from "./run-error.ts";
import { type FailedServer, toRunFailure } from "./run-failure.ts";
import type { Steps } from "./steps.ts";

/** What opening needs of its run. */
export interface OpeningScope {
  readonly runtime: AgentRuntime;
  readonly binding: Binding;
  readonly steps: Steps;
}

/** A server that is open. */
export interface OpenedServer {
  readonly kind: "open";
  readonly name: string;
  readonly toolset: OpenToolset;
  readonly prefix: boolean;
}

/** All servers of the run. */
export interface OpenedServers {
  readonly open: readonly OpenedServer[];
  readonly failed: readonly FailedServer[];
  /** Closes every one of them; never rejects. */
  close(): Promise<void>;
}

/**
 * Opens all servers of a run side by side. One that cannot be opened is dealt with as its
 * `onUnavailable` says and leaves the others alone.
 *
 * @throws the signal's reason on cancellation; RunError `server-unavailable` for a server that must
 *   be there; what an `onError` callback throws. Whatever was open by then is closed.
 */
export async function openToolsets(
  entries: readonly McpEntry[],
  scope: OpeningScope,
): Promise<OpenedServers> {
  refuseDuplicates(entries);
  const settled = await Promise.allSettled(entries.map((entry) => openServer(entry, scope)));
  const outcomes = settled.flatMap((outcome) =>
    outcome.status === "fulfilled" ? [outcome.value] : [],
  );
  const open = outcomes.filter((outcome) => outcome.kind === "open");
  const close = async (): Promise<void> => {
    await Promise.all(open.map((server) => closeServer(server, scope)));
  };
  const broken = settled.find((outcome) => outcome.status === "rejected");
  if (broken !== undefined) {
    await close();
    throw broken.reason;
  }
  const failed = outcomes.flatMap((outcome) => (outcome.kind === "failed" ? [outcome.server] : []));
  return { open, failed, close };
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

function refuseDuplicates(entries: readonly McpEntry[]): void {
  const names = entries.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new ConfigurationError(
      `Two MCP servers of this run are called "${twice}". Give each a name of its own.`,
      { code: "invalid-configuration" },
    );
  }
}

/** What came of one server; `"ignored"` is a failure that was expected. */
type Outcome =
  | OpenedServer
  | { readonly kind: "failed"; readonly server: FailedServer }
  | { readonly kind: "ignored" };

async function openServer(entry: McpEntry, scope: OpeningScope): Promise<Outcome> {
  const { binding } = scope;
  try {
    const toolset = isToolset(entry) ? entry : await scope.runtime.toToolset(entry);
    const opened = await openAsStep(toolset, scope);
    scope.steps.emit({
      kind: "server-connect",
      server: entry.name,
      tools: opened.tools.map(({ source, name }) => source?.name ?? name),
      ...(opened.serverInfo === undefined ? {} : { serverInfo: opened.serverInfo }),
    });
    return { kind: "open", name: entry.name, toolset: opened, prefix: toolset.prefix ?? false };
  } catch (thrown) {
    binding.signal.throwIfAborted();
    return handleFailure(entry, thrown, scope);
  }
}

/** The step's value is what the servers offer; the connection itself is not recorded. */
async function openAsStep(toolset: Toolset, scope: OpeningScope): Promise<OpenToolset> {
  const { binding, steps } = scope;
  let opened: OpenToolset | undefined;
  await steps.run(`open:${toolset.name}`, async () => {
    const opening = toolset.open(binding, {
      notice: (code, message) => steps.emit({ kind: "notice", code, message }),
      log: (entry) => steps.emit({ kind: "server-log", server: toolset.name, ...entry }),
    });
    // An opening that outlives the run is closed when it is done.
    const late = (): void =>
      void opening.then(
        (set) => set.close(),
        () => {},
      );
    opened = await untilAborted(opening, binding.signal).catch((thrown: unknown) => {
      late();
      throw thrown;
    });
    const names: Json = opened.tools.map(({ name }) => name);
    return names;
  });
  if (opened === undefined) {
    throw new ConfigurationError(`The steps did not open "${toolset.name}".`, {
      code: "invalid-configuration",
    });
  }
  return opened;
}

function handleFailure(
  entry: McpEntry,
  thrown: unknown,
  { runtime, binding, steps }: OpeningScope,
): Outcome {
  const { name } = entry;
  const policy = isToolset(entry) ? (entry.onUnavailable ?? "record") : "record";
  const failure = toRunFailure(thrown, name);
  if (policy === "ignore") {
    if (ConfigurationError.is(thrown)) {
      throw thrown;
    }
    (entry as Toolset).onError?.(thrown, { binding }); // only a toolset has this policy
    return { kind: "ignored" };
  }
  steps.emit({ kind: "server-fail", server: name, error: failure });
  if (policy === "fail") {
    throw new RunError(failure.message, { code: "server-unavailable", cause: thrown });
  }
  runtime.logger.warn(
    `agent "${binding.agent.name}" goes on without MCP server "${name}": ${failure.message}`,
    { agent: binding.agent.name, server: name, code: failure.code },
  );
  return { kind: "failed", server: { name, error: failure } };
}
