import { ConfigurationError } from "../base/dragoman-error.ts";
import { openCliAgent } from "./cli-agent.ts";
import type { CliStreams } from "./cli-streams.ts";
import type { ExitCode } from "./exit-code.ts";
import { chosenStore, openRunStore } from "./run-store-argument.ts";
import type { TraceFormat } from "./trace-report.ts";
import { watchRun } from "./watch-run.ts";

/** What `dragoman run` is called with. */
export interface RunCommandOptions {
  /** Files with `mcpServers`, as desktop clients have them. A server of theirs that fails is left out. */
  readonly mcp: readonly string[];
  /** Commands or URLs. Such a server must be there, or the run fails. */
  readonly server: readonly string[];
  readonly model?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly instructions?: string;
  /** The id of the conversation to go on with. */
  readonly session?: string;
  /** The file that conversations are kept in; default: one in the user's data folder. */
  readonly sessions?: string;
  /** Where the run is kept while it goes on; default: nowhere. */
  readonly store?: string;
  readonly timeoutMs?: number;
  readonly maxSteps?: number;
  /** Prints the run's spans on standard error, as a tree or as lines of JSON. */
  readonly trace?: TraceFormat;
}

/** `dragoman run`: asks an agent once and reports what happens. @throws ConfigurationError on bad input. */
export async function runCommand(
  message: string,
  options: RunCommandOptions,
  streams: CliStreams,
): Promise<ExitCode> {
  const { timeoutMs, maxSteps, session } = options;
  if (message.trim() === "") {
    throw invalid(
      'There is nothing to ask: give a message, as in dragoman run "What is in my folder?"',
    );
  }
  if (session === undefined && options.sessions !== undefined) {
    throw invalid("--sessions says where conversations are kept; --session ID says which one.");
  }
  const place = chosenStore(options.store, streams.env);
  await using store = place === undefined ? undefined : await openRunStore(place, streams.env);
  await using cli = await openCliAgent(options, streams);
  const run = cli.agent.stream(message, {
    signal: streams.signal,
    ...(store === undefined ? {} : { store }),
    ...(session === undefined ? {} : { session: { id: session } }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(maxSteps === undefined ? {} : { limits: { maxSteps } }),
  });
  const watched = { servers: cli.servers, kept: store !== undefined };
  return await watchRun(run, watched, options, streams);
}

const invalid = (message: string): ConfigurationError =>
  new ConfigurationError(message, { code: "invalid-configuration" });
