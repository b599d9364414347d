import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { failureOf } from "../../test/failure-of.ts";
import { isAlive, pidFrom, runningChildren } from "../../test/fixtures/mcp/servers.ts";
import type { ProcessCommand, ProcessOutcome } from "./process-runner.ts";
import { unsandboxedRunner } from "./unsandboxed-runner.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-run-"));
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(() => expect(runningChildren()).toEqual([]));

const runner = unsandboxedRunner({ env: { OWN: "1" } });

const shell = (script: string, command: Partial<ProcessCommand> = {}): Promise<ProcessOutcome> =>
  runner.run({ program: "/bin/sh", args: ["-c", script], cwd: folder, ...command });

test("a program's exit code and both outputs are given", async () => {
  expect(await shell("echo out; echo err >&2; exit 3")).toMatchObject({
    end: { kind: "exited", exitCode: 3 },
    stdout: { text: "out\n", bytes: 4, omittedBytes: 0 },
    stderr: { text: "err\n" },
  });
  expect(await shell("kill -TERM $$")).toMatchObject({
    end: { kind: "signalled", signal: "SIGTERM" },
  });
});

test("a program reads its input, and need not", async () => {
  expect(await shell("cat", { input: "a\nb" })).toMatchObject({ stdout: { text: "a\nb" } });
  expect(await shell("cat")).toMatchObject({ stdout: { text: "" } });
  const much = "x".repeat(1_000_000);
  expect(await shell("exit 0", { input: much })).toMatchObject({ end: { exitCode: 0 } });
});

test("P9: a program's environment is what is listed and no secret of ours", async () => {
  vi.stubEnv("SOME_API_KEY", "hunter2");
  const { stdout } = await shell("env", { env: { MORE: "2" } });
  const names = stdout.text.split("\n").map((line) => line.split("=")[0]);
  expect(names).toEqual(expect.arrayContaining(["PATH", "OWN", "MORE"]));
  expect(names).not.toContain("SOME_API_KEY");
});

test("P9: a program that takes too long is ended with all that it started", async () => {
  const files = ["child", "session"].map((name) => join(folder, name));
  const script = `sleep 99 & echo -n $! > ${files[0]}; (sleep 99 & echo -n $! > ${files[1]}); wait`;
  const running = shell(script, { timeoutMs: 500 });
  const pids = await Promise.all(files.map(pidFrom));
  expect(pids.map(isAlive)).toEqual([true, true]);
  expect(await running).toMatchObject({ end: { kind: "timed-out", timeoutMs: 500 } });
  expect(pids.map(isAlive)).toEqual([false, false]);
});

test("an abort ends a program, and is what the call rejects with", async () => {
  const file = join(folder, "aborted");
  const controller = new AbortController();
  const running = shell(`echo -n $$ > ${file}; sleep 99`, { signal: controller.signal });
  const pid = await pidFrom(file);
  const reason = new Error("stop");
  controller.abort(reason);
  expect(await failureOf(running)).toBe(reason);
  expect(isAlive(pid)).toBe(false);
  expect(await failureOf(shell("echo late > never", { signal: controller.signal }))).toBe(reason);
  expect(await failureOf(readFile(join(folder, "never")))).toMatchObject({ code: "ENOENT" });
});

test("of a long output the beginning and the end are kept, and a flood ends the program", async () => {
  const long = await shell("i=0; while [ $i -lt 2000 ]; do echo line $i; i=$((i+1)); done", {
    maxOutputBytes: 1_000,
  });
  expect(long.stdout.text).toMatch(/^line 0\n.*bytes are left out here.*line 1999\n$/s);
  expect(long.stdout.omittedBytes).toBe(long.stdout.bytes - 1_000);
  const flood = await shell("yes", { maxOutputBytes: 1_000 });
  expect(flood.end).toMatchObject({ kind: "flooded" });
  expect(flood.stdout.text.length).toBeLessThan(1_100);
});

test("a program that is not there is a tool's failure", async () => {
  expect(await failureOf(runner.run({ program: "no-such-program", cwd: folder }))).toMatchObject({
    name: "ToolError",
    message: 'The program "no-such-program" cannot be started: ENOENT.',
  });
});

test("a background process that holds the outputs open does not hold up the end", async () => {
  const began = performance.now();
  expect(await shell("sleep 99 & echo done")).toMatchObject({ stdout: { text: "done\n" } });
  expect(performance.now() - began).toBeLessThan(5_000);
});
