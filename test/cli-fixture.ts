import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import type { ExitCode } from "../src/cli/exit-code.ts";
import { runCli } from "../src/cli/run-cli.ts";

/** What a command left behind. */
export interface CliOutcome {
  readonly code: ExitCode;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder of its own for the files of a test; leaving its scope removes it. */
export class CliFolder implements Disposable {
  readonly path: string = mkdtempSync(join(tmpdir(), "dragoman-cli-"));

  /** Writes a file; what is no text is written as JSON. */
  file(name: string, content: unknown): string {
    const path = join(this.path, name);
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content, null, 2));
    return path;
  }

  /** Writes a file of servers. */
  servers(servers: Readonly<Record<string, unknown>>): string {
    return this.file("mcp.json", { mcpServers: servers });
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true });
  }
}

/** Runs the command line in this process, with an environment of its own. */
export async function runInProcess(
  args: readonly string[],
  {
    env = { PATH: process.env["PATH"] },
    signal = new AbortController().signal,
  }: {
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly signal?: AbortSignal;
  } = {},
): Promise<CliOutcome> {
  const stdout = new Sink();
  const stderr = new Sink();
  const code = await runCli(args, { stdout, stderr, env, signal });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

class Sink extends Writable {
  text = "";

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
