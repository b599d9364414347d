import { didYouMean } from "./closest-name.ts";
import { isJsonObject } from "./json.ts";

/** What a program in a sandbox may see and use, as plain data. */
export interface SandboxSettings {
  /**
   * What it sees beside the system's programs (`/usr` and the like) and an empty `/tmp`. A path alone
   * may only be read; a relative one is looked for from the current folder.
   */
  readonly folders?: readonly (string | SandboxFolder)[];
  /** Default `"none"`. */
  readonly network?: SandboxNetwork;
  readonly limits?: SandboxLimits;
}

/**
 * `"none"`: a network of its own, without a way out. `"inherit"`: this machine's, with all that can be
 * reached from here, servers on this machine and in its network included.
 */
export type SandboxNetwork = "none" | "inherit";

/** A folder, or a file, that a program in a sandbox sees. */
export interface SandboxFolder {
  readonly path: string;
  /** Where it sees it: an absolute path. Default: at the same path. */
  readonly at?: string;
  /** Default false. */
  readonly writable?: boolean;
}

/** How much a program in a sandbox may use. Each holds for one process, save `tmpBytes`. */
export interface SandboxLimits {
  /** The data that one process may hold in memory. Default 2 GiB. */
  readonly memoryBytes?: number;
  /** The time that one process may compute. Default 300. */
  readonly cpuSeconds?: number;
  /**
   * How many processes and threads there may be. Default 512. The system does not hold root to it:
   * run as another user where this matters.
   */
  readonly processes?: number;
  /** The largest file that may be written. Default 1 GiB. */
  readonly fileBytes?: number;
  /** The size of `/tmp`, and of the shared memory; both are in memory. Default 256 MiB. */
  readonly tmpBytes?: number;
}

const mebibyte = 1024 * 1024;

/** The limits that hold where others are not given. */
export const defaultSandboxLimits: Readonly<Record<keyof SandboxLimits, number>> = {
  memoryBytes: 2048 * mebibyte,
  cpuSeconds: 300,
  processes: 512,
  fileBytes: 1024 * mebibyte,
  tmpBytes: 256 * mebibyte,
};

/** What is wrong with settings, in a sentence; `undefined` where nothing is. */
export function faultOfSandbox(value: unknown): string | undefined {
  if (!isJsonObject(value)) {
    return `"sandbox" must be an object, as in { "folders": ["."] }.`;
  }
  const { folders, network, limits } = value;
  return (
    faultOfKeys(value, ["folders", "network", "limits"], "the sandbox") ??
    faultOfFolders(folders) ??
    faultOfNetwork(network) ??
    faultOfLimits(limits)
  );
}

function faultOfKeys(value: object, known: readonly string[], where: string): string | undefined {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  return unknown === undefined
    ? undefined
    : `Unknown key "${unknown}" in ${where}.${didYouMean(unknown, known)} Allowed: ${known.join(", ")}.`;
}

function faultOfFolders(folders: unknown): string | undefined {
  if (folders === undefined) {
    return undefined;
  }
  return Array.isArray(folders)
    ? folders.map(faultOfFolder).find((fault) => fault !== undefined)
    : `"folders" of the sandbox must be a list of paths, or of { "path", "at", "writable" }.`;
}

function faultOfFolder(folder: unknown): string | undefined {
  if (typeof folder === "string") {
    return faultOfPath(folder, "path");
  }
  if (!isJsonObject(folder)) {
    return `A folder of the sandbox must be a path, or { "path", "at", "writable" }.`;
  }
  const { path, at, writable } = folder;
  if (writable !== undefined && typeof writable !== "boolean") {
    return `"writable" of a folder of the sandbox must be true or false.`;
  }
  return (
    faultOfKeys(folder, ["path", "at", "writable"], "a folder of the sandbox") ??
    faultOfPath(path, "path") ??
    (at === undefined ? undefined : faultOfPlace(at))
  );
}

function faultOfPath(path: unknown, key: string): string | undefined {
  return typeof path === "string" && path !== "" && !path.includes("\u0000")
    ? undefined
    : `"${key}" of a folder of the sandbox must be a path.`;
}

/** What the sandbox itself puts there must stay what it is. */
const ownPlaces =
  /^\/(?:(?:proc|dev|usr|bin|sbin|lib|lib32|lib64|libx32|nix\/store|gnu\/store)(?:\/.*)?|etc|tmp)?$/;

function faultOfPlace(at: unknown): string | undefined {
  const isPlace = typeof at === "string" && at.startsWith("/") && !/\/(?:\.{0,2}(?:\/|$))/.test(at);
  if (!isPlace || at.includes("\u0000")) {
    return `"at" of a folder of the sandbox must be an absolute path without ".." or a "/" at its end.`;
  }
  return isOwnPlace(at)
    ? `"at" of a folder of the sandbox is ${at}, where the sandbox has its own. Choose another place, such as /data.`
    : undefined;
}

/** Whether nothing may be put at this place, since the sandbox itself has something there. */
export const isOwnPlace = (at: string): boolean => ownPlaces.test(at);

function faultOfNetwork(network: unknown): string | undefined {
  if (network === undefined || network === "none" || network === "inherit") {
    return undefined;
  }
  return Array.isArray(network)
    ? `"network" of the sandbox is a list of hosts, which is not offered: bubblewrap cannot filter connections. It must be "none" or "inherit"; where some hosts must be reached, use "inherit" behind a firewall of yours, or give the agent a tool that asks them.`
    : `"network" of the sandbox must be "none" or "inherit".`;
}

function faultOfLimits(limits: unknown): string | undefined {
  if (limits === undefined) {
    return undefined;
  }
  if (!isJsonObject(limits)) {
    return `"limits" of the sandbox must be an object.`;
  }
  const names = Object.keys(defaultSandboxLimits);
  const wrong = Object.entries(limits).find(
    ([, limit]) => limit !== undefined && !(Number.isSafeInteger(limit) && Number(limit) > 0),
  );
  return (
    faultOfKeys(limits, names, "the limits of the sandbox") ??
    (wrong && `"${wrong[0]}" of the sandbox's limits must be a positive whole number.`)
  );
}
