import type { Run } from "../agent/run.ts";
import type { FailedServer } from "../agent/run-failure.ts";
import type { RunResult, SuspendedRun } from "../agent/run-result.ts";
import type { CliStreams } from "./cli-streams.ts";
import type { ExitCode } from "./exit-code.ts";
import { jsonReporter, lineReporter, quietReporter, type RunReporter } from "./run-reporter.ts";
import { terminalLine, terminalText } from "./terminal-text.ts";

/** How a run is reported. */
export interface ReportOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** What must be known of a run to say how it ended. */
interface WatchedRun {
  /** How many servers it was to use. */
  readonly servers: number;
  /** Whether it is kept in a store, so that it can be resumed. */
  readonly kept: boolean;
}

/** Reports what happens in a run until it ends or waits. */
export async function watchRun(
  run: Run,
  watched: WatchedRun,
  options: ReportOptions,
  streams: CliStreams,
): Promise<ExitCode> {
  const reporter = reporterOf(options, streams);
  for await (const event of run) {
    reporter.report(event);
  }
  return conclude(await run.result, watched, streams);
}

function reporterOf({ json, quiet }: ReportOptions, streams: CliStreams): RunReporter {
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
  "missing-api-key",
  "missing-package",
  "server-unavailable",
  "session-invalid",
  "session-conflict",
  "run-not-found",
  "run-conflict",
  "run-finished",
  "step-mismatch",
  "store-unavailable",
  "store-locked",
  "store-full",
  "store-corrupt",
  "store-too-new",
]);

function conclude(
  result: RunResult,
  { servers, kept }: WatchedRun,
  { stderr }: CliStreams,
): ExitCode {
  const tell = (text: string): void => void stderr.write(`error: ${terminalText(text)}\n`);
  switch (result.status) {
    case "completed":
      if (servers > 0 && result.failedServers.length === servers) {
        tell(`none of the MCP servers could be used:${result.failedServers.map(lineOf).join("")}`);
        return 2;
      }
      return 0;
    case "suspended":
      tell(waitingText(result, kept));
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

function waitingText({ runId, waitingFor }: SuspendedRun, kept: boolean): string {
  const ids = waitingFor.map(({ id }) => id).join(", ");
  const how = kept
    ? ` Decide with dragoman runs approve ${runId}, and let it go on with dragoman runs resume ${runId}.`
    : " It was not kept: with --store it could be resumed.";
  return `the run waits for a decision: ${ids}.${how}`;
}
