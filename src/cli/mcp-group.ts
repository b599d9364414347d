import { type Command, Option } from "commander";
import type { CliStreams } from "./cli-streams.ts";
import type { ExitCode } from "./exit-code.ts";
import { append, positive } from "./option-values.ts";

/** What a command of the group is made with. */
export interface CommandContext {
  readonly streams: CliStreams;
  /** Called once, with the exit code. */
  finish(code: ExitCode): void;
}

/** What every `dragoman mcp` command is called with. */
export interface McpOptions {
  /** Files with `mcpServers`. */
  readonly mcp: readonly string[];
  /** Commands or URLs. */
  readonly server: readonly string[];
  /** One JSON document on standard output, and nothing else there. */
  readonly json?: boolean;
  /** For connecting and for each request, in milliseconds, instead of what the servers say. */
  readonly timeoutMs?: number;
}

/** Adds `dragoman mcp …`: each command is a function of its own below. */
export function addMcpGroup(program: Command, context: CommandContext): void {
  const group = program
    .command("mcp")
    .description("Look at MCP servers, call their tools by hand, and find out what is wrong.");
  for (const addCommand of [addList, addInspect, addCall, addDoctor, addPin, addLogin, addLogout]) {
    addCommand(group, context);
  }
}

type Flags<Options> = Omit<Options, "timeoutMs"> & { readonly timeout?: number };

/** A command with the options that all have. */
function addTo(group: Command, name: string, description: string): Command {
  return group
    .command(name)
    .description(description)
    .addOption(
      new Option("--mcp <file>", "an mcpServers JSON file, as desktop clients have it (repeatable)")
        .argParser(append)
        .default([], "none"),
    )
    .addOption(
      new Option("--server <command-or-url>", "an MCP server (repeatable)")
        .argParser(append)
        .default([], "none"),
    )
    .option("--timeout <seconds>", "the longest that a server may take to answer", positive)
    .option("--json", "print one JSON document");
}

function optionsOf<Options extends McpOptions>({ timeout, ...flags }: Flags<Options>): Options {
  const timeoutMs = timeout === undefined ? {} : { timeoutMs: timeout * 1_000 };
  return { ...flags, ...timeoutMs } as unknown as Options; // the flags are those of the options
}

function addList(group: Command, { streams, finish }: CommandContext): void {
  addTo(group, "list", "Connect every server and list its tools.").action(
    async (flags: Flags<McpOptions>) => {
      const { mcpList } = await import("./mcp-list.ts");
      finish(await mcpList(optionsOf(flags), streams));
    },
  );
}

function addInspect(group: Command, { streams, finish }: CommandContext): void {
  addTo(group, "inspect", "Show what a server says of itself, or all about one of its tools.")
    .argument("<server>", "the name of the server")
    .argument("[tool]", "the server's own name of a tool")
    .action(async (server: string, tool: string | undefined, flags: Flags<McpOptions>) => {
      const { mcpInspect } = await import("./mcp-inspect.ts");
      finish(await mcpInspect({ server, tool }, optionsOf(flags), streams));
    });
}

function addCall(group: Command, { streams, finish }: CommandContext): void {
  addTo(group, "call", "Call a tool by hand.")
    .argument("<server>", "the name of the server")
    .argument("<tool>", "the server's own name of the tool")
    .argument("[arguments]", "a JSON object, or @FILE that holds one", "{}")
    .option("--save <folder>", "write images, sounds and files of the result into this folder")
    .option("--unchecked", "send arguments that do not fit the tool's schema, too")
    .action(async (server: string, tool: string, input: string, flags: Flags<McpCallOptions>) => {
      const { mcpCall } = await import("./mcp-call.ts");
      finish(await mcpCall({ server, tool, input }, optionsOf(flags), streams));
    });
}

/** What `dragoman mcp call` is called with. */
export interface McpCallOptions extends McpOptions {
  /** The folder that media of the result are written to. */
  readonly save?: string;
  readonly unchecked?: boolean;
}

function addDoctor(group: Command, { streams, finish }: CommandContext): void {
  addTo(group, "doctor", "Say what is wrong with servers, and what to do.")
    .argument("[servers...]", "the names of servers; absent: all")
    .action(async (servers: readonly string[], flags: Flags<McpOptions>) => {
      const { mcpDoctor } = await import("./mcp-doctor.ts");
      finish(await mcpDoctor(servers, optionsOf(flags), streams));
    });
}

/** What `dragoman mcp pin` is called with. */
export interface McpPinOptions extends McpOptions {
  /** The lock file. */
  readonly lock: string;
  /** Only compare: nothing is written. */
  readonly check?: boolean;
}

function addPin(group: Command, { streams, finish }: CommandContext): void {
  addTo(group, "pin", "Record what the tools of servers say now, so that a change is noticed.")
    .argument("[servers...]", "the names of servers; absent: all, and no other stays in the file")
    .option("--lock <file>", "the file of the pins", "dragoman.lock.json")
    .option("--check", "only compare, and end with 1 where something differs")
    .action(async (servers: readonly string[], flags: Flags<McpPinOptions>) => {
      const { mcpPin } = await import("./mcp-pin.ts");
      finish(await mcpPin(servers, optionsOf(flags), streams));
    });
}

/** What `dragoman mcp login` is called with. */
export interface McpLoginOptions extends McpOptions {
  /** Opens the page in a browser. */
  readonly open?: boolean;
}

function addLogin(group: Command, { streams, finish }: CommandContext): void {
  addTo(
    group,
    "login",
    "Grant access to a server that asks for it (OAuth), for all other commands.",
  )
    .argument("<server>", "the name of the server")
    .option("--open", "open the page in your browser")
    .action(async (server: string, flags: Flags<McpLoginOptions>) => {
      const { mcpLogin } = await import("./mcp-login.ts");
      finish(await mcpLogin(server, optionsOf(flags), streams));
    });
}

function addLogout(group: Command, { streams, finish }: CommandContext): void {
  addTo(group, "logout", "Forget the access that was granted to a server.")
    .argument("<server>", "the name of the server")
    .action(async (server: string, flags: Flags<McpOptions>) => {
      const { mcpLogout } = await import("./mcp-logout.ts");
      finish(await mcpLogout(server, optionsOf(flags), streams));
    });
}
