import { execFile } from "node:child_process";
import { accessSync, constants, lstatSync, readlinkSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import { ConfigurationError, messageOf } from "../base/dragoman-error.ts";
import { isJsonObject } from "../base/json.ts";

/** Bubblewrap as it is on this machine. */
export interface Bubblewrap {
  /** The full path of `bwrap`. */
  readonly program: string;
  /** Whether it has an option that older versions lack, and can use it here. */
  has(option: "--size" | "--disable-userns"): boolean;
  /** The arguments that show the system's programs. */
  readonly systemArguments: readonly string[];
}

/** What makes a name space of each kind, and what a sandbox cannot do without. */
export const isolationArguments: readonly string[] = [
  "--unshare-user",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try", // not every kernel has these, and files of control groups are not shown
  "--die-with-parent",
  "--new-session",
  ...["--cap-drop", "ALL"],
];

/** Folders of a system's programs and libraries. None holds what belongs to a person. */
export const systemFolders: readonly string[] = [
  ...["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"],
  ...["/nix/store", "/gnu/store"],
];

/** What was found to work, by the program's path. It is asked once. */
const working = new Map<string, Promise<Bubblewrap>>();

/**
 * Looks for bubblewrap in the PATH, and tries whether it can make a sandbox here.
 *
 * @throws ConfigurationError `sandbox-unavailable` that says what to install or to allow.
 */
export async function findBubblewrap(): Promise<Bubblewrap> {
  if (process.platform !== "linux") {
    throw unavailable(
      `Sandboxes are made by bubblewrap, which runs on Linux only, and this is ${process.platform}. Run this on Linux (a virtual machine, WSL 2)`,
    );
  }
  const program = whereIs("bwrap");
  if (program === undefined) {
    throw unavailable(
      "Sandboxes are made by bubblewrap, and there is no bwrap in the PATH. Install it (apt-get install bubblewrap, dnf install bubblewrap, apk add bubblewrap)",
    );
  }
  const found = working.get(program) ?? tryOut(program);
  working.set(program, found);
  try {
    return await found;
  } catch (error) {
    working.delete(program); // it may be mended meanwhile
    throw error;
  }
}

/** The full path of a program in our PATH; undefined where there is none. */
function whereIs(name: string): string | undefined {
  // biome-ignore lint/style/noProcessEnv: where this machine's programs are
  const folders = (process.env["PATH"] ?? "").split(":").filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

async function tryOut(program: string): Promise<Bubblewrap> {
  const run = promisify(execFile);
  const options = { timeout: 10_000, env: {} };
  const systemArguments = systemFolders.flatMap(shown);
  const places = [...systemArguments, "--proc", "/proc", "--dev", "/dev"];
  const probe = [...isolationArguments, "--unshare-net", ...places];
  const works = (...further: readonly string[]): Promise<unknown> =>
    run(program, [...probe, ...further, "--", "/bin/sh", "-c", "exit 0"], options);
  try {
    const { stdout } = await run(program, ["--help"], options);
    const known = optionalOptions.filter((option) => stdout.includes(`${option} `));
    await works();
    // It is refused where bubblewrap is installed setuid; the filter of system calls does the same.
    const canDisable =
      known.includes("--disable-userns") && (await succeeds(works("--disable-userns")));
    const usable = known.filter((option) => option !== "--disable-userns" || canDisable);
    return { program, systemArguments, has: (option) => usable.includes(option) };
  } catch (cause) {
    throw unavailable(
      `bubblewrap (${program}) cannot make a sandbox here: ${saidBy(cause)}`,
      cause,
    );
  }
}

/** What a sandbox is better with, and older versions lack. */
const optionalOptions = ["--size", "--disable-userns"] as const;

const succeeds = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

/** What it wrote says more than that it failed. */
function saidBy(error: unknown): string {
  const written = isJsonObject(error) ? String(error["stderr"] ?? "").trim() : "";
  const [line = ""] = written.split("\n");
  const said = (line || messageOf(error)).slice(0, 300).replace(/\.$/, "");
  return `${said}. ${adviceOn(said)}`;
}

function adviceOn(said: string): string {
  if (/mount proc|Can't mount/i.test(said)) {
    return "Its own /proc is refused to it, as in containers whose /proc is masked: start the container with --security-opt systempaths=unconfined";
  }
  if (/namespace|uid map|Operation not permitted|Permission denied|user\.max/i.test(said)) {
    return "Unprivileged user name spaces are switched off: allow them (sysctl kernel.unprivileged_userns_clone=1, user.max_user_namespaces above 0; on Ubuntu an AppArmor profile for bwrap; in a container a seccomp profile that lets them be made)";
  }
  return "Try it by hand: bwrap --unshare-all --ro-bind / / --proc /proc true";
}

const unavailable = (why: string, cause?: unknown): ConfigurationError =>
  new ConfigurationError(
    `${why}. Nothing is run without a sandbox unless you say so: unsandboxedRunner() for commands, no "sandbox" for MCP servers.`,
    { code: "sandbox-unavailable", ...(cause === undefined ? {} : { cause }) },
  );

/** A folder as it is here: where `/bin` is a link to `usr/bin`, so it is in the sandbox. */
function shown(folder: string): readonly string[] {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink()) {
    return ["--symlink", readlinkSync(folder), folder];
  }
  return stats?.isDirectory() ? ["--ro-bind", folder, folder] : [];
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
