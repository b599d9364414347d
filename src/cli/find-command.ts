import { accessSync, constants, readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { closestName } from "../base/closest-name.ts";

/** What is looked for, and where. */
export interface CommandPlace {
  readonly command: string;
  /** The folder that it is started in. */
  readonly cwd: string | undefined;
  /** The PATH that the program gets. */
  readonly path: string;
  /** The endings that a program may have, on Windows (`PATHEXT`). */
  readonly endings?: readonly string[];
}

/** The outcome of {@link findCommand}. */
export type CommandSearch =
  | { readonly kind: "found"; readonly file: string }
  | { readonly kind: "not-executable"; readonly file: string }
  | {
      readonly kind: "missing";
      /** The folders that were looked into. */
      readonly searched: readonly string[];
      /** The program in those folders whose name is closest. */
      readonly similar: string | undefined;
      /** Where it is installed all the same. */
      readonly elsewhere: string | undefined;
    };

/** Looks for a program as the system does when it is started: by the PATH, or by the path that it has. */
export function findCommand({ command, cwd, path, endings = [""] }: CommandPlace): CommandSearch {
  const isPath = /[\\/]/.test(command);
  const folders = isPath ? [] : path.split(delimiter).filter((folder) => folder !== "");
  const candidates = isPath
    ? [resolve(cwd ?? ".", command)]
    : folders.map((folder) => resolve(cwd ?? ".", folder, command));
  const files = candidates.flatMap((file) => endings.map((ending) => file + ending)).filter(isFile);
  const found = files.find(isExecutable);
  if (found !== undefined) {
    return { kind: "found", file: found };
  }
  const [file] = files;
  if (file !== undefined) {
    return { kind: "not-executable", file };
  }
  return {
    kind: "missing",
    searched: isPath ? candidates : folders,
    similar: isPath ? undefined : closestName(command, folders.flatMap(namesIn)),
    elsewhere: isPath
      ? undefined
      : usualFolders()
          .map((folder) => join(folder, command))
          .find(isExecutable),
  };
}

/** Where programs of the trade are installed that a PATH often lacks. */
function usualFolders(): readonly string[] {
  const home = homedir();
  const own = [".local/bin", ".cargo/bin", ".bun/bin", ".deno/bin", ".volta/bin"];
  const versions = join(home, ".nvm", "versions", "node");
  return [
    ...own.map((folder) => join(home, folder)),
    ...namesIn(versions).map((version) => join(versions, version, "bin")),
    "/usr/local/bin",
    "/opt/homebrew/bin",
  ];
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // a PATH may name folders that are not there
  }
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return isFile(file);
  } catch {
    return false;
  }
}
