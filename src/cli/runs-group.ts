import { type Command, InvalidArgumentError, Option } from "commander";
import type { RunStatus } from "../agent/run-store.ts";
import type { CommandContext } from "./mcp-group.ts";
import { append, positive } from "./option-values.ts";

/** What every `dragoman runs` command is called with. */
export interface RunsOptions {
  /** A SQLite file or a Postgres URL. */
  readonly store?: string;
  /** The application that the runs belong to. */
  readonly app: string;
  /** Whose runs alone are seen. */
  readonly actor?: string;
  /** One JSON document on standard output, and nothing else there. */
  readonly json?: boolean;
}

/** Adds `dragoman runs …`: each command is a function of its own below. */
export function addRunsGroup(program: Command, context: CommandContext): void {
  const group = program
    .command("runs")
    .description("Look at runs that are kept, decide what they wait for, and let them go on.");
  for (const addCommand of [
    addList,
    addShow,
    addResume,
    addCancel,
    addApprove,
    addDeny,
    addAnswer,
  ]) {
    addCommand(group, context);
  }
}

/** A command with the options that all have. */
function addTo(group: Command, name: string, description: string): Command {
  return group
    .command(name)
    .description(description)
    .option(
      "--store <file-or-url>",
      "a SQLite file or a postgres: URL; else DRAGOMAN_STORE, else your data folder",
    )
    .option("--app <name>", "the application that the runs belong to", "dragoman")
    .option("--actor <name>", "see only runs of this actor")
    .option("--json", "print one JSON document");
}

/** What `dragoman runs list` is called with. */
export interface RunsListOptions extends RunsOptions {
  readonly status?: RunStatus;
  readonly session?: string;
  readonly limit?: number;
}

function addList(group: Command, { streams, finish }: CommandContext): void {
  addTo(group, "list", "List runs, the last changed first.")
    .addOption(
      new Option("--status <status>", "only those that stand so").choices([
        "running",
        "suspended",
        "completed",
        "failed",
        "cancelled",
      ]),
    )
    .option("--session <id>", "only those of this session")
    .option("--limit <count>", "how many at most", wholeNumber, 20)
    .action(async (options: RunsListOptions) => {
      const { runsList } = await import("./runs-list.ts");
      finish(await runsList(options, streams));
    });
}

/** What `dragoman runs show` is called with. */
export interface RunsShowOptions extends RunsOptions {
  readonly events?: boolean;
}

function addShow(group: Command, { streams, finish }: CommandContext): void {
  addTo(group, "show", "Show how a run stands, its steps and what it waits for.")
    .argument("<run>", "the run's id")
    .option("--events", "its events, too")
    .action(async (id: string, options: RunsShowOptions) => {
      const { runsShow } = await import("./runs-show.ts");
      finish(await runsShow(id, options, streams));
    });
}

/** What `dragoman runs resume` is called with. */
export interface RunsResumeOptions extends RunsOptions {
  readonly mcp: readonly string[];
  readonly server: readonly string[];
  readonly model?: string;
  readonly instructions?: string;
  readonly sessions?: string;
  readonly quiet?: boolean;
}

function addResume(group: Command, { streams, finish }: CommandContext): void {
  addTo(
    group,
    "resume",
    "Let a run of `dragoman run` go on, with the servers and the model it had.",
  )
    .argument("<run>", "the run's id")
    .addOption(
      new Option("--mcp <file>", "an mcpServers JSON file (repeatable)")
        .argParser(append)
        .default([], "none"),
    )
    .addOption(
      new Option("--server <command-or-url>", "an MCP server to use (repeatable)")
        .argParser(append)
        .default([], "none"),
    )
    .option("--model <id>", "the model for what is left to do")
    .option("--instructions <text>", "what the model is told")
    .option("--sessions <file>", "where conversations are kept, instead of your data folder")
    .option("--quiet", "print the answer only")
    .action(async (id: string, options: RunsResumeOptions) => {
      const { runsResume } = await import("./runs-resume.ts");
      finish(await runsResume(id, options, streams));
    });
}

function addCancel(group: Command, { streams, finish }: CommandContext): void {
  addTo(group, "cancel", "End a run as cancelled.")
    .argument("<run>", "the run's id")
    .action(async (id: string, options: RunsOptions) => {
      const { runsCancel } = await import("./runs-cancel.ts");
      finish(await runsCancel(id, options, streams));
    });
}

const waitingHelp = "what is decided, as `runs show` lists it; needed where it waits for several";

function addApprove(group: Command, { streams, finish }: CommandContext): void {
  addTo(group, "approve", "Say yes to what a run waits for.")
    .argument("<run>", "the run's id")
    .argument("[waiting...]", waitingHelp)
    .action(async (id: string, waiting: readonly string[], options: RunsOptions) => {
      const { runsDecide } = await import("./runs-decide.ts");
      finish(await runsDecide({ id, waiting, decision: { kind: "approve" } }, options, streams));
    });
}

function addDeny(group: Command, { streams, finish }: CommandContext): void {
  addTo(group, "deny", "Say no to what a run waits for.")
    .argument("<run>", "the run's id")
    .argument("[waiting...]", waitingHelp)
    .option("--reason <text>", "why; the model reads it")
    .action(
      async (
        id: string,
        waiting: readonly string[],
        options: RunsOptions & { readonly reason?: string },
      ) => {
        const { runsDecide } = await import("./runs-decide.ts");
        const { reason, ...others } = options;
        const decision = { kind: "deny", ...(reason === undefined ? {} : { reason }) } as const;
        finish(await runsDecide({ id, waiting, decision }, others, streams));
      },
    );
}

function addAnswer(group: Command, { streams, finish }: CommandContext): void {
  addTo(group, "answer", "Answer what a server or a tool of the client asks.")
    .argument("<run>", "the run's id")
    .argument("<waiting>", "what is answered, as `runs show` lists it")
    .argument("<value>", "the answer as JSON")
    .action(async (id: string, waiting: string, value: string, options: RunsOptions) => {
      const { runsAnswer } = await import("./runs-decide.ts");
      finish(await runsAnswer({ id, waiting, value }, options, streams));
    });
}

function wholeNumber(text: string): number {
  const value = positive(text);
  if (!Number.isInteger(value) || value > 1_000) {
    throw new InvalidArgumentError("It must be a whole number from 1 to 1000.");
  }
  return value;
}
