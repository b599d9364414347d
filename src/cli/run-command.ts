import type { FailedServer } from "../agent/run-failure.ts";
import type { RunResult } from "../agent/run-result.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { silentLogger } from "../base/logger.ts";
import { createDragoman } from "../configure.ts";
import { isModelId, noSuchModel } from "../provider-ids.ts";
import { chooseServers } from "./choose-servers.ts";
import type { CliStreams } from "./cli-streams.ts";
import type { ExitCode } from "./exit-code.ts";
import { jsonReporter, lineReporter, quietReporter, type RunReporter } from "./run-reporter.ts";
import { openSessionFile } from "./session-file.ts";
import { terminalLine, terminalText } from "./terminal-text.ts";
import { type TraceFormat, traceReport } from "./trace-report.ts";

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
  const { model, instructions, timeoutMs, maxSteps, session } = options;
  if (message.trim() === "") {
    throw invalid(
      'There is nothing to ask: give a message, as in dragoman run "What is in my folder?"',
    );
  }
  if (session === undefined && options.sessions !== undefined) {
    throw invalid("--sessions says where conversations are kept; --session ID says which one.");
  }
  if (model !== undefined && !isModelId(model)) {
    throw invalid(
      `--model: ${noSuchModel(model)}; for any other server that speaks OpenAI's protocol, set OPENAI_BASE_URL and use "openai:" and its model.`,
    );
  }
  const servers = await chooseServers(options, streams.env);
  await using sessions = openSessionFile(options.sessions, streams.env);
  const trace = options.trace && traceReport(options.trace, streams);
  const dragoman = createDragoman({
    app: "dragoman",
    env: streams.env,
    logger: silentLogger,
    sessions,
    ...(trace === undefined ? {} : { instrument: trace.recorder }),
  });
  const agent = dragoman.defineAgent({
    name: "dragoman",
    mcp: servers,
    ...(model === undefined ? {} : { model }),
    ...(instructions === undefined ? {} : { instructions }),
  });
  const run = agent.stream(message, {
    signal: streams.signal,
    ...(session === undefined ? {} : { session: { id: session } }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(maxSteps === undefined ? {} : { limits: { maxSteps } }),
  });
  const reporter = reporterOf(options, streams);
  for await (const event of run) {
    reporter.report(event);
  }
  const result = await run.result;
  trace?.print();
  return conclude(result, servers.length, streams);
}

function reporterOf({ json, quiet }: RunCommandOptions, streams: CliStreams): RunReporter {
  if (json === true) {
    return jsonReporter(streams);
  }
  return quiet === true ? quietReporter(streams) : lineReporter(streams);
}

/** Codes of failures that are the caller's to mend. */
const badInput = new Set([
  "invalid-definition",
  "invalid-configuration",
  "invalid-schema",
  "unknown-model",
  "missing-package",
  "server-unavailable",
  "session-invalid",
  "session-conflict",
  "store-unavailable",
  "store-corrupt",
  "store-too-new",
]);

function conclude(result: RunResult, servers: number, { stderr }: CliStreams): ExitCode {
  const tell = (text: string): void => void stderr.write(`error: ${terminalText(text)}\n`);
  switch (result.status) {
    case "completed":
      if (servers > 0 && result.failedServers.length === servers) {
        tell(`none of the MCP servers could be used:${result.failedServers.map(lineOf).join("")}`);
        return 2;
      }
      return 0;
    case "suspended":
      tell(`the run waits for a decision: ${result.waitingFor.map(({ id }) => id).join(", ")}.`);
      return 2;
    case "cancelled":
      tell("the run was stopped before it was done.");
      return 2;
    default:
      tell(result.error.message);
      return badInput.has(result.error.code) ? 2 : 1;
  }
}

const lineOf = ({ name, error }: FailedServer): string =>
  `\n  ${name}: ${terminalLine(error.message, 1_000)}`;

const invalid = (message: string): ConfigurationError =>
  new ConfigurationError(message, { code: "invalid-configuration" });
