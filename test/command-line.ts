import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect } from "vitest";

const main = fileURLToPath(new URL("../src/cli/main.ts", import.meta.url));
/** The main module of a reference server. */
export const serverPath = (name: string): string =>
  fileURLToPath(import.meta.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`));
/** The program that runs the tests. */
export const node: string = process.execPath;
/** A command line of the everything server. */
export const everything: string = `${node} ${serverPath("everything")} stdio`;

let current = "";
let started: ChildProcess[] = [];

/**
 * Gives each test of the calling file a folder of its own, and ends what it has started. Called by each
 * file: files share their modules, and hooks are those of the file that adds them.
 */
export function inFolderOfItsOwn(): void {
  beforeEach(() => {
    current = mkdtempSync(join(tmpdir(), "dragoman-cli-"));
    started = [];
  });

  afterEach(() => {
    for (const child of started) {
      child.kill("SIGKILL");
    }
    rmSync(current, { recursive: true });
  });
}

/** How a command ended. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that runs. */
export interface Running {
  readonly child: ChildProcess;
  readonly outcome: Promise<Outcome>;
  /** Resolves as soon as standard output holds the text. */
  printed(text: string): Promise<void>;
}

/** Starts the command line in a process of its own, with nothing of this machine. */
export function start(...args: readonly string[]): Running {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, HOME: current, OLLAMA_HOST: "http://127.0.0.1:1" };
  const child = spawn(node, [main, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  killAfterwards(child);
  let stdout = "";
  let stderr = "";
  const watchers: (() => void)[] = [];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    for (const look of watchers) {
      look();
    }
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const outcome = new Promise<Outcome>((resolve) => {
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
  const printed = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => void (stdout.includes(text) && resolve());
      watchers.push(look);
      look();
      child.once("close", () => reject(new Error(`never printed: ${stdout}${stderr}`)));
    });
  return { child, outcome, printed };
}

/** The same to its end. */
export const dragoman = (...args: readonly string[]): Promise<Outcome> => start(...args).outcome;

/** Writes a file into the test's folder. */
export function file(name: string, content: unknown): string {
  const path = join(current, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content, null, 2));
  return path;
}

/** A command that notes its pid, so that a test can see whether it is still there. */
export function noted(script: string): {
  readonly command: string;
  readonly args: readonly string[];
} {
  const note = `require("fs").appendFileSync(${JSON.stringify(join(current, "pids"))}, process.pid + "\\n");`;
  return { command: node, args: ["-e", note + script] };
}

/** Those that still run. */
export function survivors(): readonly number[] {
  const notes = join(current, "pids");
  const pids = existsSync(notes) ? readFileSync(notes, "utf8").trim().split("\n").map(Number) : [];
  return pids.filter((pid) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  });
}

/** Nothing is left, and nothing of the inside is shown. */
export function expectClean({ stdout, stderr }: Outcome): void {
  expect(stderr).not.toMatch(/mcpToolset|openAiCompatible|configure\(|defineAgent|dragoman\//); // calls of a library
  expect(stdout + stderr).not.toMatch(/\n\s+at .*[:(]/); // no stack trace
  expect(survivors()).toEqual([]);
}

/** The folder of the test that runs. */
export const folder = (): string => current;

/** Ends a process with the test, however that ends. */
export function killAfterwards(child: ChildProcess): void {
  started.push(child);
}
