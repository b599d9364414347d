import { readFileSync } from "node:fs";
import { Command, CommanderError, Option } from "commander";
import { DragomanError, messageOf } from "../base/dragoman-error.ts";
import { addServeCommand } from "./add-serve-command.ts";
import { writeFailure } from "./answer.ts";
import type { CliStreams } from "./cli-streams.ts";
import type { ExitCode } from "./exit-code.ts";
import { addMcpGroup } from "./mcp-group.ts";
import { append, positive } from "./option-values.ts";
import type { RunCommandOptions } from "./run-command.ts";
import { addRunsGroup } from "./runs-group.ts";
import { terminalLine, terminalText } from "./terminal-text.ts";

/** The command line as a function: no process state is touched but what `streams` holds. */
export async function runCli(args: readonly string[], streams: CliStreams): Promise<ExitCode> {
  let exitCode: ExitCode = 0;
  const program = createProgram(streams, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(withTraceFormat(args), { from: "user" });
    return exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError) {
      if (thrown.exitCode === 0) {
        return 0; // it has printed the help
      }
      if ((args[0] === "mcp" || args[0] === "runs") && args.includes("--json")) {
        const message = thrown.message.replace(/^error: /, "");
        writeFailure({ code: "invalid-usage", message }, streams);
      }
      return 2; // it has printed what is wrong
    }
    if (DragomanError.is(thrown)) {
      streams.stderr.write(`error: ${terminalText(thrown.message)}\n`);
      return 2;
    }
    const what = terminalLine(messageOf(thrown), 500);
    streams.stderr.write(`error: something went wrong that should not: ${what}\n`);
    return 1;
  }
}

/** What follows `--trace` is a question more often than a format. */
const withTraceFormat = (args: readonly string[]): readonly string[] =>
  args.map((word, index) =>
    word === "--trace" && args[0] === "run" && !/^(tree|json)$/.test(args[index + 1] ?? "")
      ? "--trace=tree"
      : word,
  );

/** The first words that are commands, for whoever must tell them from a question. */
export function commandNames(): readonly string[] {
  const nowhere = { write: () => true } as never; // nothing is parsed, so nothing is written
  const streams = {
    stdout: nowhere,
    stderr: nowhere,
    env: {},
    signal: new AbortController().signal,
  };
  return createProgram(streams, () => {}).commands.map((command) => command.name());
}

function createProgram(streams: CliStreams, finish: (code: ExitCode) => void): Command {
  const program = new Command("dragoman")
    .description("Agents whose tools come from MCP servers.")
    .version(packageVersion())
    .addHelpText("after", examplesText)
    .showHelpAfterError("(see --help)")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void streams.stdout.write(text),
      writeErr: (text) => void streams.stderr.write(text),
    });
  addRunCommand(program, streams, finish);
  addMcpGroup(program, { streams, finish });
  addRunsGroup(program, { streams, finish });
  addServeCommand(program, { streams, finish });
  return program;
}

const examplesText = `
Examples:
  dragoman run "What is 17 plus 25?" --server "npx -y @modelcontextprotocol/server-everything"
  dragoman run "What is new?" --mcp mcp.json --model openai:gpt-5
  dragoman mcp doctor --mcp mcp.json
  dragoman mcp call everything echo '{"message":"hi"}' --server "npx -y @modelcontextprotocol/server-everything"`;

function addRunCommand(
  program: Command,
  streams: CliStreams,
  finish: (code: ExitCode) => void,
): void {
  program
    .command("run")
    .description("Ask an agent once and watch what it does.")
    .argument("<message...>", "what you want to know or have done")
    .addOption(
      new Option("--mcp <file>", "an mcpServers JSON file, as desktop clients have it (repeatable)")
        .argParser(append)
        .default([], "none"),
    )
    .addOption(
      new Option("--server <command-or-url>", "an MCP server to use (repeatable)")
        .argParser(append)
        .default([], "none"),
    )
    .option("--model <id>", 'such as "openai:gpt-5", "ollama:qwen3" or "offline"')
    .option("--instructions <text>", "what the model is told before your message")
    .option("--session <id>", "the conversation to go on with; begun where it is not there")
    .option("--sessions <file>", "where conversations are kept, instead of your data folder")
    .option("--store <file-or-url>", "keep the run there while it goes on, see dragoman runs")
    .option("--timeout <seconds>", "the longest that the run may take", positive)
    .option("--max-steps <count>", "how many model calls with tools it may make", positive)
    .addOption(new Option("--json", "print every event as a line of JSON").conflicts("quiet"))
    .option("--quiet", "print the answer only")
    .addOption(
      new Option(
        "--trace [format]",
        "print the run's spans on standard error, as OpenTelemetry gets them",
      )
        .choices(["tree", "json"])
        .preset("tree"),
    )
    .action(async (words: readonly string[], flags: RunFlags) => {
      const { runCommand } = await import("./run-command.ts");
      const { timeout, ...options } = flags;
      const timeoutMs = timeout === undefined ? {} : { timeoutMs: timeout * 1_000 };
      finish(await runCommand(words.join(" "), { ...options, ...timeoutMs }, streams));
    });
}

type RunFlags = Omit<RunCommandOptions, "timeoutMs"> & { readonly timeout?: number };

function packageVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version; // our own package.json
}
