import { statSync } from "node:fs";
import parseArgsStringToArgv from "string-argv";
import { inheritedEnvironment } from "../mcp/links/inherited-environment.ts";
import { secretsIn } from "../mcp/secrets/secret-arguments.ts";
import type { StdioTransport } from "../tool/mcp-server-config.ts";
import { findCommand } from "./find-command.ts";
import { type Finding, finding } from "./finding.ts";
import { emptyOrPlaceholder } from "./placeholder-values.ts";

/** The machine that a program is to be started on. */
export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

/** What can be said of a program before it is started. */
export function examineProgram(transport: StdioTransport, machine: Machine): readonly Finding[] {
  const { cwd, env = {}, args = [] } = transport;
  const isFolder = cwd === undefined || statSync(cwd, { throwIfNoEntry: false })?.isDirectory();
  const folder = isFolder
    ? []
    : [
        finding("error", "folder-missing", {
          message: "The folder that it is to be started in does not exist.",
          evidence: [`cwd: ${cwd}`],
          advice: 'Correct "cwd": relative folders are looked for from where dragoman is started.',
        }),
      ];
  return [
    ...folder,
    ...(isFolder ? examineCommand(transport, machine) : []),
    ...emptyOrPlaceholder("env", env),
    ...(secretsIn(args).length === 0
      ? []
      : [
          finding("warning", "secret-in-arguments", {
            message:
              "Its arguments hold what looks like a secret, and every user of this machine can list arguments.",
            advice: 'Give it in "env", if the server takes it from there.',
          }),
        ]),
    ...examinePackage(transport),
  ];
}

function examineCommand(
  { command, cwd, env = {} }: StdioTransport,
  machine: Machine,
): readonly Finding[] {
  const inherited = inheritedEnvironment(machine.env, machine.platform);
  const path = env["PATH"] ?? inherited["PATH"] ?? "";
  const endings =
    machine.platform === "win32" ? ["", ...(inherited["PATHEXT"] ?? ".EXE;.CMD").split(";")] : [""];
  const search = findCommand({ command, cwd, path, endings });
  switch (search.kind) {
    case "found":
      return [];
    case "not-executable":
      return [
        finding("error", "command-not-executable", {
          message: `The file of the command may not be executed.`,
          evidence: [search.file],
          advice:
            'Make it executable (chmod +x), or start it through its interpreter, as in "command": "node".',
        }),
      ];
    case "missing": {
      const { searched, similar, elsewhere } = search;
      const where = env["PATH"] === undefined ? "the PATH" : "the PATH that its env sets";
      const place = /[\\/]/.test(command) ? "at that path" : `in ${where}`;
      return [
        finding("error", "command-not-found", {
          message: `There is no program ${JSON.stringify(command)} ${place}.`,
          evidence: [`looked in: ${searched.join(", ") || "(the PATH is empty)"}`],
          advice: adviceOn(command, { similar, elsewhere }),
        }),
      ];
    }
  }
}

function adviceOn(
  command: string,
  {
    similar,
    elsewhere,
  }: { readonly similar: string | undefined; readonly elsewhere: string | undefined },
): string {
  const [first = "", ...rest] = parseArgsStringToArgv(command);
  if (rest.length > 0) {
    return `Write the program and its arguments apart: "command": ${JSON.stringify(first)}, "args": ${JSON.stringify(rest)}.`;
  }
  if (elsewhere !== undefined) {
    return `It is installed as ${elsewhere}: write that path as "command", or add its folder to the PATH.`;
  }
  const origin = Object.entries(origins).find(([, names]) => names.includes(command))?.[0];
  if (origin !== undefined) {
    return `${command} comes with ${origin}: install it, or write its full path as "command".`;
  }
  const hint = similar === undefined ? "" : `Did you mean "${similar}"? Else install`;
  return `${hint || "Install"} it, or write its full path as "command".`;
}

/** What people have to install to get a program. */
const origins: Readonly<Record<string, readonly string[]>> = {
  "Node.js": ["node", "npx", "npm"],
  uv: ["uv", "uvx"],
  Bun: ["bun", "bunx"],
  Deno: ["deno"],
  Docker: ["docker"],
  Python: ["python", "python3"],
  pipx: ["pipx"],
};

/** A package that is fetched anew in whatever version is the latest may be another one tomorrow. */
function examinePackage({ command, args = [] }: StdioTransport): readonly Finding[] {
  const launcher = /(?:^|[\\/])(npx|bunx|uvx)(?:\.cmd|\.exe)?$/i.exec(command)?.[1];
  const name = args.find((argument) => !argument.startsWith("-"));
  if (launcher === undefined || name === undefined || /.[@=]|^[./~]|:\/\//.test(name)) {
    return [];
  }
  return [
    finding("info", "package-unpinned", {
      message: `${launcher} starts whatever version of ${name} is the latest on that day.`,
      advice: `Name a version that you have looked at, as in ${name}@1.2.3.`,
    }),
  ];
}
