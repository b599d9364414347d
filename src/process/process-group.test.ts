import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isAlive, pidFrom } from "../../test/fixtures/mcp/servers.ts";
import { spawnGroup, sweepGroup } from "./process-group.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-group-"));
});
afterAll(() => rm(folder, { recursive: true }));

const host = fileURLToPath(new URL("../../test/fixtures/mcp/group-host.ts", import.meta.url));

test.each([
  ["exit", undefined, { code: 0 }],
  ["throw", undefined, { code: 1 }],
  ["signal", "SIGINT", { signal: "SIGINT" }],
  ["signal", "SIGTERM", { signal: "SIGTERM" }],
] as const)(
  "when our process ends by %s %s, the whole group ends and the end is unchanged",
  async (way, signal, end) => {
    const file = join(folder, `${way}-${signal}.pid`);
    const process = spawn(globalThis.process.execPath, [host, way, file], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    const [line] = await once(createInterface({ input: process.stdout }), "line");
    const pids = [Number(line), await pidFrom(file)];
    expect(pids.map(isAlive)).toEqual([true, true]);
    if (signal === undefined) {
      process.stdin.write("now\n");
    } else {
      process.kill(signal);
    }
    const [code, signalCode] = await once(process, "exit");
    expect({ code, signal: signalCode }).toEqual({ code: null, signal: null, ...end });
    await expect.poll(() => pids.map(isAlive)).toEqual([false, false]);
  },
);

test("listeners on our process are there only while a group is", async () => {
  const count = (): number => process.listenerCount("exit") + process.listenerCount("SIGTERM");
  const before = count();
  const request = { command: process.execPath, args: ["-e", ""], env: {}, cwd: undefined };
  const children = await Promise.all([spawnGroup(request), spawnGroup(request)]);
  expect(count()).toBe(before + 2);
  for (const child of children) {
    if (child.exitCode === null) {
      await once(child, "exit");
    }
    await sweepGroup(child.pid ?? 0);
  }
  expect(count()).toBe(before);
});
