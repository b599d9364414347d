import { stripVTControlCharacters } from "node:util";
import type { ProcessEnd, ProcessOutcome, ProcessRunner } from "../process/process-runner.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { Tool } from "../tool/tool.ts";
import { type ToolResult, toolSuccess } from "../tool/tool-result.ts";
import type { Workspace } from "./workspace.ts";

type Input = {
  readonly command: string;
  readonly folder?: string;
  readonly input?: string;
  readonly timeoutSeconds?: number;
};

/** How commands are run. */
export interface RunCommandOptions {
  readonly runner: ProcessRunner;
  /** The program that a command is given to, with its arguments before it. */
  readonly shell: readonly [program: string, ...args: string[]];
}

/** The tool `run_command`: a command line, run in a folder of the workspace. */
export function runCommandTool(workspace: Workspace, { runner, shell }: RunCommandOptions): Tool {
  const [first = { name: "" }] = workspace.roots;
  const seconds = runner.timeoutMs / 1000;
  const [program, ...args] = shell;
  return defineTool({
    name: "run_command",
    description: `Runs a command line by ${shell.join(" ")} in a folder of the workspace and gives its exit code and what it wrote. ${surroundings(runner)} It is ended after ${seconds} seconds, with all that it has started.`,
    inputSchema: {
      type: "object",
      properties: {
        command: { type: "string", minLength: 1, maxLength: 65_536 },
        folder: {
          type: "string",
          description: `Where it runs, from a root on. Default: ${first.name}`,
        },
        input: { type: "string", description: "What it reads on its standard input." },
        timeoutSeconds: { type: "integer", minimum: 1, description: `At most ${seconds}.` },
      },
      required: ["command"],
      additionalProperties: false,
    },
    annotations: {
      readOnly: false,
      destructive: true,
      openWorld: runner.network !== "none",
    },
    idempotent: false,
    async execute(given, { signal }) {
      const { command, folder = first.name, input, timeoutSeconds } = given as Input; // checked
      const outcome = await runner.run({
        program,
        args: [...args, command],
        cwd: await workspace.locate(folder),
        folders: workspace.folders,
        timeoutMs: Math.min((timeoutSeconds ?? seconds) * 1000, runner.timeoutMs),
        signal,
        ...(input === undefined ? {} : { input }),
      });
      return toResult(outcome);
    },
  }) as Tool;
}

function surroundings({ isolation, network }: ProcessRunner): string {
  const reach = network === "none" ? "no network" : "the network";
  return isolation === "none"
    ? "It is not in a sandbox."
    : `It sees the workspace at /workspace, the system's programs and an empty /tmp, and has ${reach}.`;
}

/** A program that fails has told something, too: the call has succeeded. */
function toResult({ end, stdout, stderr, durationMs }: ProcessOutcome): ToolResult {
  const [output, errors] = [stdout, stderr].map(({ text }) => stripVTControlCharacters(text));
  const parts = [
    `[${wordsFor(end)}]`,
    ...(output === "" ? [] : [output]),
    ...(errors === "" ? [] : ["[Standard error:]", errors]),
  ];
  return toolSuccess(
    { end, stdout: output, stderr: errors, durationMs },
    { content: [{ kind: "text", text: parts.join("\n") }] },
  );
}

function wordsFor(end: ProcessEnd): string {
  switch (end.kind) {
    case "exited":
      return `Exit code ${end.exitCode}`;
    case "signalled":
      return `Ended by the signal ${end.signal}`;
    case "timed-out":
      return `Ended, since it took longer than ${end.timeoutMs / 1000} seconds`;
    case "flooded":
      return `Ended, since it wrote more than ${end.bytes} bytes`;
  }
}
