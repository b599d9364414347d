import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join, posix, resolve } from "node:path";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { isOwnPlace, type SandboxFolder } from "../base/sandbox-settings.ts";
import { systemFolders } from "./find-bubblewrap.ts";

/** A folder, or a file, of this machine as a sandbox shows it. */
export interface Mount {
  /** Its real path here. */
  readonly path: string;
  readonly at: string;
  readonly writable: boolean;
}

/** What a sandbox shows of this machine, and where. */
export class SandboxView {
  /** Outer folders before those within them. */
  readonly mounts: readonly Mount[];

  /**
   * @param cwd where relative paths begin.
   * @throws ConfigurationError `invalid-configuration` where there is no such folder, or two would be
   *   at one place.
   */
  constructor(folders: readonly (string | SandboxFolder)[], cwd: string) {
    this.mounts = folders
      .map((folder) => toMount(folder, cwd))
      .filter((mount) => mount !== undefined)
      .toSorted((left, right) => left.at.length - right.at.length);
    for (const [index, { at, path }] of this.mounts.entries()) {
      const other = this.mounts.slice(0, index).find((earlier) => earlier.at === at);
      if (other !== undefined && other.path !== path) {
        throw invalid(`Two folders of the sandbox, ${other.path} and ${path}, would be at ${at}.`);
      }
    }
  }

  /** Where in the sandbox a path of this machine is; undefined where it does not show it. */
  placeOf(path: string): string | undefined {
    if (systemFolders.some((folder) => isWithin(path, folder))) {
      return path;
    }
    const mount = this.mounts.findLast((candidate) => isWithin(path, candidate.path));
    return mount === undefined ? undefined : posix.join(mount.at, path.slice(mount.path.length));
  }

  /**
   * A program by the path that it has in the sandbox.
   *
   * @param path the PATH in which it is looked up here.
   * @throws ConfigurationError where it is here, but not shown there; what the system throws (`ENOENT`)
   *   where it is nowhere.
   */
  findProgram(program: string, path: string, cwd: string): string {
    const file = program.includes("/")
      ? resolve(cwd, program)
      : path
          .split(delimiter)
          .map((folder) => resolve(cwd, join(folder, program)))
          .find(isExecutable);
    if (file === undefined || !isExecutable(file)) {
      if (this.#isPlace(program)) {
        return program; // as the sandbox knows it
      }
      throw Object.assign(new Error(`There is no program ${JSON.stringify(program)}.`), {
        code: "ENOENT",
      });
    }
    const real = realpathSync(file);
    const realPlace = this.placeOf(real);
    if (realPlace === undefined) {
      throw invalid(
        `The program ${JSON.stringify(program)} is ${real}, which the sandbox does not show. Add its folder, with all that it needs, to "folders" of the sandbox.`,
      );
    }
    return this.placeOf(file) ?? realPlace;
  }

  /** The folders of a PATH that are there. */
  pathWithin(path: string): string {
    const places = path
      .split(delimiter)
      .filter((folder) => isAbsolute(folder))
      .map((folder) => this.placeOf(folder) ?? (this.#isPlace(folder) ? folder : undefined))
      .filter((place) => place !== undefined);
    return [...new Set([...places, ...usualPath])].join(":");
  }

  /** Whether a path is one of the sandbox's own, in a folder that it is given. */
  #isPlace(path: string): boolean {
    return this.mounts.some(({ at }) => isWithin(path, at));
  }
}

const usualPath = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"];

/** Undefined for what is shown as it is. */
function toMount(folder: string | SandboxFolder, cwd: string): Mount | undefined {
  const { path, at, writable = false } = typeof folder === "string" ? { path: folder } : folder;
  const given = resolve(cwd, path);
  if (statSync(given, { throwIfNoEntry: false }) === undefined) {
    throw invalid(`The folder ${given}, which the sandbox is to show, does not exist.`);
  }
  const place = at ?? given;
  const isSystem = systemFolders.some((system) => isWithin(given, system));
  if (isSystem && at === undefined && !writable) {
    return undefined;
  }
  if (at === undefined && isOwnPlace(place)) {
    throw invalid(
      `The sandbox cannot show ${place} at its own place, where the sandbox has its own. Say another by "at".`,
    );
  }
  return { path: realpathSync(given), at: place, writable };
}

const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(`${folder}/`);

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

const invalid = (message: string): ConfigurationError =>
  new ConfigurationError(message, { code: "invalid-configuration" });
