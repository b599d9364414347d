import { type Command, InvalidArgumentError, Option } from "commander";
import type { CommandContext } from "./mcp-group.ts";
import type { ServeOptions } from "./serve-command.ts";

/** Adds `dragoman serve`. */
export function addServeCommand(program: Command, { streams, finish }: CommandContext): void {
  program
    .command("serve")
    .description(
      "Serve agents: AG-UI for front ends, MCP for other agents, JSON for the rest. Without a configuration it is one agent over the current folder.",
    )
    .option("--config <file>", "JSON, or a module that exports agents")
    .option("--port <number>", "where to listen; 0 for any that is free", port, 4141)
    .option(
      "--hostname <name>",
      "on which address; any but this machine's needs a token",
      "127.0.0.1",
    )
    .option("--token <text>", "what callers must send; better in DRAGOMAN_TOKEN")
    .option("--model <id>", "the model of the agent over the current folder")
    .option("--store <file-or-url>", "keep runs there, so that they outlive the server")
    .option("--sessions <file>", "where conversations are kept")
    .option("--ui", "the web UI also on addresses that others can reach")
    .option("--no-ui", "no web UI")
    .addOption(
      new Option("--stdio", "serve MCP on standard input and output, and nothing else").conflicts([
        "token",
      ]),
    )
    .action(async (options: ServeOptions) => {
      const { serveCommand } = await import("./serve-command.ts");
      finish(await serveCommand(options, streams));
    });
}

/** @throws InvalidArgumentError, which commander reports. */
function port(text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (value < 0 || value > 65_535) {
    throw new InvalidArgumentError("It must be a number from 0 to 65535.");
  }
  return value;
}
