import type { Agent } from "../agent/agent.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { type Logger, silentLogger } from "../base/logger.ts";
import { createDragoman } from "../configure.ts";
import { isModelId, noSuchModel } from "../provider-ids.ts";
import { chooseServers } from "./choose-servers.ts";
import type { CliStreams } from "./cli-streams.ts";
import { openSessionFile } from "./session-file.ts";
import { terminalText } from "./terminal-text.ts";
import { type TraceFormat, traceReport } from "./trace-report.ts";

/** What the command line's agent is made of. */
export interface CliAgentOptions {
  readonly mcp: readonly string[];
  readonly server: readonly string[];
  readonly model?: string;
  readonly instructions?: string;
  readonly sessions?: string;
  /** No notices are shown, so that warnings go to standard error. */
  readonly quiet?: boolean;
  /** Prints the spans of its runs on standard error once they are over. */
  readonly trace?: TraceFormat;
}

/** The agent that runs of the command line belong to, and their application. */
export const cliAgentName = "dragoman";
export const cliAppName = "dragoman";

/** The agent, until it is disposed of. */
export interface CliAgent extends AsyncDisposable {
  readonly agent: Agent;
  /** How many servers it is to use. */
  readonly servers: number;
}

/** @throws ConfigurationError on bad input. */
export async function openCliAgent(
  options: CliAgentOptions,
  streams: CliStreams,
): Promise<CliAgent> {
  const { model, instructions } = options;
  if (model !== undefined && !isModelId(model)) {
    throw invalid(
      `--model: ${noSuchModel(model)}; for any other server that speaks OpenAI's protocol, set OPENAI_BASE_URL and use "openai:" and its model.`,
    );
  }
  const servers = await chooseServers(options, streams.env);
  const sessions = openSessionFile(options.sessions, streams.env);
  const trace = options.trace && traceReport(options.trace, streams);
  const dragoman = createDragoman({
    app: cliAppName,
    env: streams.env,
    logger: options.quiet === true ? warningsTo(streams) : silentLogger,
    sessions,
    ...(trace === undefined ? {} : { instrument: trace.recorder }),
  });
  const agent = dragoman.defineAgent({
    name: cliAgentName,
    mcp: servers,
    ...(model === undefined ? {} : { model }),
    ...(instructions === undefined ? {} : { instructions }),
  });
  return {
    agent,
    servers: servers.length,
    async [Symbol.asyncDispose]() {
      trace?.print();
      await sessions[Symbol.asyncDispose]();
    },
  };
}

const warningsTo = ({ stderr }: CliStreams): Logger => ({
  ...silentLogger,
  warn: (message) => void stderr.write(`warning: ${terminalText(message)}\n`),
});

const invalid = (message: string): ConfigurationError =>
  new ConfigurationError(message, { code: "invalid-configuration" });
