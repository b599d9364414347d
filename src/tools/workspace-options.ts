import { existsSync, realpathSync, statSync } from "node:fs";
import { sep } from "node:path";
import { checkObject, refuseUnknownKeys } from "../base/check-object.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import type { WorkspaceRoot } from "./workspace-walk.ts";

/** A folder of this machine that a workspace shows. */
export interface WorkspaceRootOptions {
  readonly path: string;
  /** Default false. */
  readonly writable?: boolean;
}

/** How much may be done at once. */
export interface WorkspaceLimits {
  /** How much of a file is read at once, in bytes. Default 1 MiB. */
  readonly maxReadBytes?: number;
  /** The largest file that is written or edited. Default 1 MiB. */
  readonly maxWriteBytes?: number;
  /** The largest picture or PDF that is read. Default 5 MiB. */
  readonly maxMediaBytes?: number;
  /** How many entries a listing has, and a search looks at. Default 10 000. */
  readonly maxEntries?: number;
}

/** What a workspace is made of. */
export interface WorkspaceOptions {
  /** By the name under which each is seen, such as `project`: letters, digits, `-`, `_` and `.`. */
  readonly roots: Readonly<Record<string, string | WorkspaceRootOptions>>;
  readonly limits?: WorkspaceLimits;
  /** Names of folders that are told of, but not looked into unasked. Default `.git`, `node_modules`. */
  readonly skip?: readonly string[];
}

const mebibyte = 1024 * 1024;

const defaultLimits: Readonly<Required<WorkspaceLimits>> = {
  maxReadBytes: mebibyte,
  maxWriteBytes: mebibyte,
  maxMediaBytes: 5 * mebibyte,
  maxEntries: 10_000,
};

/** @throws ConfigurationError `invalid-definition` for a key, `invalid-configuration` for a value. */
export function checkWorkspaceOptions(options: WorkspaceOptions): {
  readonly roots: readonly WorkspaceRoot[];
  readonly limits: Required<WorkspaceLimits>;
  readonly skip: ReadonlySet<string>;
} {
  checkObject(options, ["roots", "limits", "skip"], "workspace");
  checkObject(options.roots, Object.keys(options.roots ?? {}), "roots of the workspace");
  const { limits = {}, skip = [".git", "node_modules"] } = options;
  refuseUnknownKeys(limits, Object.keys(defaultLimits), "The limits of the workspace");
  for (const [key, limit] of Object.entries(limits)) {
    if (limit !== undefined && !(Number.isSafeInteger(limit) && limit > 0)) {
      throw invalid(`"${key}" of the workspace's limits must be a positive whole number.`);
    }
  }
  const roots = Object.entries(options.roots).map(([name, root]) => toRoot(name, root));
  if (roots.length === 0) {
    throw invalid('A workspace has at least one root, as in { roots: { project: "." } }.');
  }
  refuseOverlap(roots);
  return { roots, limits: { ...defaultLimits, ...limits }, skip: new Set(skip) };
}

function toRoot(name: string, root: string | WorkspaceRootOptions): WorkspaceRoot {
  if (!/^[\w-][\w.-]{0,63}$/.test(name)) {
    throw invalid(
      `The root name ${JSON.stringify(name)} is not valid: use 1 to 64 letters, digits, "_", "-" or ".".`,
    );
  }
  if (typeof root !== "string") {
    checkObject(root, ["path", "writable"], `root "${name}" of the workspace`);
  }
  const { path, writable = false } = typeof root === "string" ? { path: root } : root;
  if (typeof path !== "string" || path === "" || !existsSync(path)) {
    throw invalid(`The root "${name}" of the workspace is ${path}, which does not exist.`);
  }
  const stats = statSync(path);
  if (!stats.isDirectory()) {
    throw invalid(`The root "${name}" of the workspace is ${path}, which is no folder.`);
  }
  const { dev, ino } = stats;
  return { name, path: realpathSync(path), writable, identity: { dev, ino } };
}

/** What may be written in one must not decide what another is; and no file has two names. */
function refuseOverlap(roots: readonly WorkspaceRoot[]): void {
  for (const [index, root] of roots.entries()) {
    for (const other of roots.slice(index + 1)) {
      if (root.name.toLowerCase() === other.name.toLowerCase()) {
        throw invalid(`The roots "${root.name}" and "${other.name}" differ in case only.`);
      }
      if (isWithin(root.path, other.path) || isWithin(other.path, root.path)) {
        throw invalid(
          `The roots "${root.name}" and "${other.name}" of the workspace lie within each other. Choose folders beside each other.`,
        );
      }
    }
  }
}

const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);

const invalid = (message: string): ConfigurationError =>
  new ConfigurationError(message, { code: "invalid-configuration" });
