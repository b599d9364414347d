import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSandbox, type SandboxOptions } from "../src/process/create-sandbox.ts";
import type { ProcessCommand, ProcessOutcome } from "../src/process/process-runner.ts";
import { createWorkspace, type Workspace } from "../src/tools/workspace.ts";
import { workspaceTools } from "../src/tools/workspace-tools.ts";
import { agentOf, collect, modelOf } from "../test/agent-fixture.ts";
import { failureOf } from "../test/failure-of.ts";
import { isAlive, runningChildren } from "../test/fixtures/mcp/servers.ts";
import { startHttp } from "../test/loopback.ts";
import { nap, node, nodeFolder, processesWith } from "./sandbox-fixture.ts";
import { describeWithBubblewrap } from "./with-bubblewrap.ts";

const host = fileURLToPath(new URL("sandbox-host.ts", import.meta.url));

/** Another user than root, if we are root and it can reach what it needs: not from root's own folder. */
const nobody = { uid: 65_534, gid: 65_534 };
const nobodyCanRun =
  process.getuid?.() === 0 &&
  spawnSync(node, ["-e", "fs.readFileSync(process.argv[1])", host], nobody).status === 0;

const patiently = { timeout: 15_000 };

let folder = "";
let workspace: Workspace;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "dragoman-sandbox-")));
  await mkdir(join(folder, "project"));
  await mkdir(join(folder, "docs"));
  await writeFile(join(folder, "docs/guide"), "guide");
  await writeFile(join(folder, "secret"), "secret");
  workspace = createWorkspace({
    roots: {
      project: { path: join(folder, "project"), writable: true },
      docs: join(folder, "docs"),
    },
  });
});
afterEach(async () => {
  expect(runningChildren()).toEqual([]);
  await rm(folder, { recursive: true });
});

async function sh(
  script: string,
  options: SandboxOptions = {},
  command: Partial<ProcessCommand> = {},
): Promise<ProcessOutcome> {
  const sandbox = await createSandbox(options);
  const { folders } = workspace;
  return sandbox.run({ program: "/bin/sh", args: ["-c", script], folders, ...command });
}

/** What a script writes to both of its outputs. */
async function said(script: string, options: SandboxOptions = {}): Promise<string> {
  const { stdout, stderr } = await sh(script, options);
  return stdout.text + stderr.text;
}

describeWithBubblewrap("a sandbox", () => {
  test("P9: shows the workspace and the system's programs, and nothing else of this machine", async () => {
    expect(await said("pwd; ls /workspace; cat /workspace/docs/guide")).toBe(
      "/workspace/project\ndocs\nproject\nguide",
    );
    const places = [homedir(), "/root", "/home", "/var", "/run", "/sys", folder, process.cwd()];
    expect(await said(`ls -d ${places.join(" ")} 2>/dev/null`)).toBe("");
    expect(await said("ls /")).not.toMatch(/home|root|var|run|sys|mnt|opt|srv/);
    expect(await said("ls /tmp; cat /etc/shadow")).toMatch(/No such file/);
    expect(await said("cat /etc/passwd")).toMatch(/^sandbox:.*\nnobody:.*\n$/);
  });

  test("P9: lets nothing be changed but what is writable of the workspace", async () => {
    const made = "for f in / /usr /usr/bin /etc /bin /dev /proc /workspace /workspace/docs; do";
    expect(await said(`${made} touch $f/made 2>/dev/null && echo $f; done`)).toBe("");
    expect(await said("echo x > /workspace/docs/guide")).toMatch(/Read-only/);
    await sh("echo made > /workspace/project/made; echo x > /tmp/gone");
    expect(await readFile(join(folder, "project/made"), "utf8")).toBe("made\n");
    expect(await said("ls /tmp")).toBe("");
  });

  test("P9: has no capability, few system calls, and cannot set the kernel's settings, also for root", async () => {
    const status = await said("grep -E 'Cap|NoNewPrivs|Seccomp:' /proc/self/status");
    expect(status.match(/^Cap\w+:\t0+$/gm)).toHaveLength(5);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    expect(status).toMatch(/^Seccomp:\t2$/m);
    expect(await said("id -u; echo 60 > /proc/sys/vm/swappiness && echo done")).toMatch(
      /^1000\n.*Read-only/,
    );
    expect(await said("unshare --user true && echo done")).toMatch(/not permitted|No space/);
    expect(await said("mount -t tmpfs x /tmp && echo done")).not.toMatch(/done/);
  });

  test("P9: hides other processes, which cannot be ended from it", async () => {
    const other = spawn("/bin/sh", ["-c", `exec ${nap(1)}`]);
    const { pid = 0 } = other;
    try {
      expect(await said(`kill -9 ${pid} $PPID; cat /proc/[0-9]*/cmdline`)).not.toContain(
        nap(1).replace(" ", "\u0000"),
      );
      expect(isAlive(pid)).toBe(true);
    } finally {
      other.kill("SIGKILL");
      await once(other, "exit");
    }
  });

  test("P9: passes on what is listed of an environment, and no secret of ours", async () => {
    process.env["SOME_API_KEY"] = "hunter2";
    try {
      const environment = await said("env; cat /proc/1/environ", { env: { LISTED: "yes" } });
      expect(environment).toContain("LISTED=yes");
      expect(environment).toContain("HOME=/tmp");
      expect(environment).not.toContain("hunter2");
      expect(environment).not.toContain(homedir());
    } finally {
      delete process.env["SOME_API_KEY"];
    }
  });

  test("the machine's list of processes shows neither the environment nor the folders", async () => {
    const { abort, signal } = abortable();
    const running = failureOf(sh(nap(2), { env: { LISTED: "hunter3" } }, { signal }));
    await expect.poll(() => processesWith(nap(2)).length, patiently).toBeGreaterThan(1);
    expect([...processesWith("hunter3"), ...processesWith(folder)]).toEqual([]);
    abort();
    await running;
  });

  test("P9: reaches no network unless it inherits ours", async () => {
    let requests = 0;
    await using server = await startHttp((_incoming, response) => {
      requests += 1;
      response.end("reached");
    });
    const script = `fetch("${server.origin}").then(r => r.text()).then(console.log, e => console.log(e.cause.code))`;
    const ask = async (network: "none" | "inherit"): Promise<string> => {
      const sandbox = await createSandbox({ network, folders: [nodeFolder] });
      const { folders } = workspace;
      const { stdout } = await sandbox.run({ program: node, args: ["-e", script], folders });
      return stdout.text.trim();
    };
    expect(await ask("none")).toBe("ECONNREFUSED");
    expect(requests).toBe(0);
    expect(await ask("inherit")).toBe("reached");
    expect(await said("cat /proc/net/dev")).toMatch(/^\s*lo:/m);
    expect((await said("tail -n +3 /proc/net/dev")).trim().split("\n")).toHaveLength(1);
  });

  test("P9: holds programs to limits of memory, time, size of files and of what is temporary", async () => {
    const limits = {
      ...{ memoryBytes: 300 * 1024 ** 2, cpuSeconds: 1, fileBytes: 1_000_000, tmpBytes: 500_000 },
      processes: 77,
    };
    const listed = await said("cat /proc/self/limits", { limits });
    expect(listed).toMatch(/Max data size +314572800 /);
    expect(listed).toMatch(/Max processes +77 +77 /);
    expect(listed).toMatch(/Max core file size +0 +0 /);
    expect(await said("head -c 2000000 /dev/zero > /workspace/project/large", { limits })).toMatch(
      /limit exceeded/,
    );
    expect((await readFile(join(folder, "project/large"))).length).toBeLessThan(1_000_001);
    expect(await said("head -c 900000 /dev/zero > /tmp/x", { limits })).toMatch(/No space/);
    expect(await said("head -c 900000 /dev/zero > /dev/shm/x", { limits })).toMatch(/No space/);
    const busy = await sh("while :; do :; done", { limits });
    expect(busy.end).toMatchObject({ kind: "exited" });
    expect(busy.durationMs).toBeLessThan(10_000);
    const sandbox = await createSandbox({
      limits: { memoryBytes: 300 * 1024 ** 2 },
      folders: [nodeFolder],
    });
    const script = "const all = []; for (;;) all.push(Buffer.alloc(10_000_000, 1))";
    const grown = await sandbox.run({ program: node, args: ["-e", script] });
    expect(grown.end).not.toMatchObject({ kind: "timed-out" });
    expect(grown.end).not.toMatchObject({ exitCode: 0 });
  });

  test.runIf(nobodyCanRun)(
    "P9: holds another user than root to a number of processes",
    async () => {
      const script = "for i in 1 2 3 4 5 6 7 8 9 10; do sleep 1 & done; wait";
      const child = spawn(node, [host, script, '{ "processes": 5 }'], nobody);
      const { code, stdout } = await readAll(child);
      expect(code).toBe(0);
      expect(JSON.parse(stdout).stderr.text).toMatch(/fork/i);
    },
  );

  test("P9: ends with its whole tree when the time is over, also what has left its session", async () => {
    const script = `setsid ${nap(3)} & (setsid sh -c '${nap(3)} & exit' &); ${nap(3)}`;
    const running = sh(script, {}, { timeoutMs: 3_000 });
    await expect.poll(() => processesWith(nap(3)).length, patiently).toBeGreaterThan(3);
    expect(await running).toMatchObject({ end: { kind: "timed-out" } });
    expect(processesWith(nap(3))).toEqual([]);
    const left = await sh(`setsid ${nap(4)} & echo done`);
    expect(left.stdout.text).toBe("done\n");
    expect(processesWith(nap(4))).toEqual([]);
  });

  test("P9: ends with its whole tree when it is aborted", async () => {
    const { abort, signal } = abortable();
    const running = failureOf(sh(`setsid ${nap(5)} & wait`, {}, { signal }));
    await expect.poll(() => processesWith(nap(5)).length, patiently).toBeGreaterThan(1);
    abort();
    expect(await running).toMatchObject({ message: "stop" });
    expect(processesWith(nap(5))).toEqual([]);
  });

  test("P9: ends with our process, also where that is killed", async () => {
    const child = spawn(node, [host, `setsid ${nap(6)} & ${nap(6)}`, "{}"]);
    try {
      await expect.poll(() => processesWith(nap(6)).length, patiently).toBeGreaterThan(3);
    } finally {
      child.kill("SIGKILL");
    }
    await expect.poll(() => processesWith(nap(6)), patiently).toEqual([]);
  });

  test("P9: a link that leads out leads nowhere, neither in the sandbox nor for the tools", async () => {
    const script = `ln -s ${folder}/secret out; ln -s ../secret up; ln -s /etc/shadow away; cat out up away`;
    expect(await said(script)).not.toMatch(/^secret/m);
    for (const name of ["out", "up", "away"]) {
      expect(await failureOf(workspace.read(`project/${name}`))).toMatchObject({
        fault: "outside",
      });
    }
  });

  test("a program that is missing, or not shown, is said to be; what it exits with is given", async () => {
    const sandbox = await createSandbox();
    expect(await failureOf(sandbox.run({ program: "no-such-program" }))).toMatchObject({
      message: 'The program "no-such-program" cannot be started: ENOENT.',
    });
    const other = { program: "/bin/sh", args: ["-c", "true"], cwd: folder };
    expect(await failureOf(sandbox.run(other))).toMatchObject({
      code: "invalid-configuration",
      message: expect.stringContaining('Add it to "folders"'),
    });
    expect(await sh("exit 7")).toMatchObject({ end: { kind: "exited", exitCode: 7 } });
    expect(await sh("kill -9 $$")).toMatchObject({ end: { kind: "exited", exitCode: 137 } });
    expect(await sh("cat", {}, { input: "in" })).toMatchObject({ stdout: { text: "in" } });
  });

  test("P9: an agent works in a workspace with files and commands, which see the same", async () => {
    const tools = workspaceTools(workspace, { sandbox: await createSandbox() });
    const model = modelOf(
      {
        calls: [
          { name: "write_file", arguments: { path: "project/a.sh", content: "echo $((6*7))" } },
        ],
      },
      {
        calls: [
          { name: "run_command", arguments: { command: "sh a.sh > out; ls /workspace/project" } },
        ],
      },
      { calls: [{ name: "read_file", arguments: { path: "/workspace/project/out" } }] },
      "ok",
    );
    const events = await collect(agentOf({ model, tools }).stream("Go."));
    const results = events.filter((event) => event.kind === "tool-end").map(({ result }) => result);
    expect(results).toMatchObject([
      { kind: "success" },
      { kind: "success", value: { end: { exitCode: 0 }, stdout: "a.sh\nout\n" } },
      { kind: "success", value: { text: "42\n" } },
    ]);
    expect(JSON.stringify(results)).not.toContain(folder);
  });
});

function abortable(): { readonly abort: () => void; readonly signal: AbortSignal } {
  const controller = new AbortController();
  return { abort: () => controller.abort(new Error("stop")), signal: controller.signal };
}

async function readAll(
  child: ChildProcess,
): Promise<{ readonly code: unknown; readonly stdout: string }> {
  let stdout = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    stdout += chunk.toString("utf8");
  });
  const [code] = await once(child, "close");
  return { code, stdout };
}
