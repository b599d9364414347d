import type { RunResult } from "../agent/run-result.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { silentLogger } from "../base/logger.ts";
import { createDragoman } from "../configure.ts";
import { mcpToolset } from "../mcp/mcp-toolset.ts";
import { readMcpConfig } from "../mcp/read-mcp-config.ts";
import type { McpServerConfig } from "../tool/mcp-server-config.ts";
import type { Toolset } from "../tool/toolset.ts";
import type { CliStreams } from "./cli-streams.ts";
import type { ExitCode } from "./exit-code.ts";
import { jsonReporter, lineReporter, quietReporter, type RunReporter } from "./run-reporter.ts";
import { parseServerArgument } from "./server-argument.ts";
import { openSessionFile } from "./session-file.ts";
import { terminalText } from "./terminal-text.ts";

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
  const servers = await chooseServers(options, streams);
  await using sessions = openSessionFile(options.sessions, streams.env);
  const dragoman = createDragoman({
    app: "dragoman",
    env: streams.env,
    logger: silentLogger,
    sessions,
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
  return conclude(result, servers.length, streams);
}

async function chooseServers(
  { mcp, server }: RunCommandOptions,
  { env }: CliStreams,
): Promise<readonly Toolset[]> {
  const read = await Promise.all(mcp.map((file) => readMcpConfig(file, { env })));
  const optional: readonly McpServerConfig[] = read.flat();
  const taken = new Set(optional.map(({ name }) => name));
  const required: McpServerConfig[] = [];
  for (const argument of server) {
    const config = parseServerArgument(argument, taken);
    taken.add(config.name);
    required.push(config);
  }
  return [
    ...optional.map((config) => mcpToolset(config)),
    ...required.map((config) => mcpToolset({ ...config, onUnavailable: "fail" })),
  ];
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
        tell("none of the MCP servers could be used; see above, and check them one by one.");
        return 2;
      }
      return 0;
    case "cancelled":
      tell("the run was stopped before it was done.");
      return 2;
    default:
      tell(result.error.message);
      return badInput.has(result.error.code) ? 2 : 1;
  }
}

const invalid = (message: string): ConfigurationError =>
  new ConfigurationError(message, { code: "invalid-configuration" });
