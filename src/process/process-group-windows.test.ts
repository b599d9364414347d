import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { groupEnding } from "./process-group.ts";

const host = fileURLToPath(new URL("../../test/fixtures/mcp/windows-host.ts", import.meta.url));

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-windows-"));
  const printer = `#!${process.execPath}\nconsole.log(JSON.stringify(process.argv.slice(2)));\n`;
  await writeProgram("npx.CMD", "@echo off");
  await symlink(process.execPath, join(folder, "tool.EXE"));
  await writeProgram("comspec", printer);
});
afterAll(() => rm(folder, { recursive: true }));

async function writeProgram(name: string, content: string): Promise<void> {
  await writeFile(join(folder, name), content);
  await chmod(join(folder, name), 0o755);
}

/** What is started, as far as it can be told on another system than Windows. */
async function startedOnWindows(path: string, ...command: readonly string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [host, path, ...command], {
    env: { PATH: "/nowhere", comspec: join(folder, "comspec") },
  });
  return JSON.parse(stdout);
}

const args = ["-y", "a b", "x&calc", "%PATH%", 'say "hi"', "C:\\end\\"];

test("on Windows a script such as npx is run by its interpreter, which takes nothing in the arguments for its own", async () => {
  const quoted = ['^"-y^"', '^"a^ b^"', '^"x^&calc^"', '^"^%PATH^%^"'];
  const special = ['^"say^ \\^"hi\\^"^"', '^"C:\\end\\\\^"'];
  expect(await startedOnWindows(folder, "npx", ...args)).toEqual([
    "/d",
    "/s",
    "/c",
    `"${["npx", ...quoted, ...special].join(" ")}"`,
  ]);
});

test("on Windows a program is started as it is", async () => {
  const print = "console.log(JSON.stringify(process.argv.slice(1)))";
  expect(await startedOnWindows(folder, "tool.EXE", "-e", print, "--", ...args)).toEqual(args);
});

const windows = { platform: "win32", env: { SystemRoot: "D:\\Windows" } } as const;

test("on Windows the tree of a process is ended by the system's own program, as long as the process lives", () => {
  expect(groupEnding({ pid: 7, hasExited: false }, "SIGTERM", windows)).toEqual({
    kind: "program",
    file: "D:\\Windows\\System32\\taskkill.exe",
    args: ["/pid", "7", "/T", "/F"],
  });
  // Its number may be another program's by now.
  expect(groupEnding({ pid: 7, hasExited: true }, "SIGKILL", windows)).toEqual({ kind: "nothing" });
});

test("elsewhere the group gets the signal, also when its leader is gone", () => {
  const linux = { platform: "linux", env: {} } as const;
  expect(groupEnding({ pid: 7, hasExited: true }, "SIGKILL", linux)).toEqual({
    kind: "signal",
    target: -7,
    signal: "SIGKILL",
  });
});
