import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { failureOf } from "../../test/failure-of.ts";
import { openByDescriptor, openByPath } from "./open-folder.ts";
import { Workspace } from "./workspace.ts";
import { WorkspaceError } from "./workspace-error.ts";

const isLinux = process.platform === "linux";
const swapper = fileURLToPath(new URL("../../test/fixtures/swap-folder.ts", import.meta.url));

let folder = "";
let root = "";
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "dragoman-hostile-")));
  root = join(folder, "root");
  await mkdir(join(root, "inner"), { recursive: true });
  await mkdir(join(folder, "outside"));
  await writeFile(join(root, "inner/file"), "inside");
  await writeFile(join(folder, "outside/file"), "secret");
});
afterEach(() => rm(folder, { recursive: true }));

describe.each([
  ["descriptors", isLinux ? openByDescriptor : openByPath],
  ["paths", openByPath],
])("where folders are held by %s", (_way, opener) => {
  const open = (): Workspace =>
    new Workspace({ roots: { r: { path: root, writable: true } } }, opener);

  test.each([
    "..",
    "r/..",
    "r/../..",
    "r/../../outside/file",
    "r/inner/../../../outside/file",
    "/etc/passwd",
    "//etc/passwd",
    "C:/Windows",
    "/workspace",
    "/workspace/../etc/passwd",
    "r/a\u0000b",
    "",
    ".",
    "R/inner/file",
  ])("P9: the path %j leads nowhere", async (path) => {
    const workspace = open();
    for (const attempt of [
      () => workspace.read(path),
      () => workspace.write(path, "x", { overwrite: true }),
      () => workspace.edit(path, { oldText: "s", newText: "x" }),
    ]) {
      const error = await failureOf(attempt());
      expect(error).toMatchObject({ name: "WorkspaceError" });
      expect(String(error)).not.toContain(folder);
    }
    expect(await readFile(join(folder, "outside/file"), "utf8")).toBe("secret");
  });

  test.each([
    ["a link to a file outside", "leak", "../outside/file", "r/leak"],
    ["a link to a folder outside", "leak", "../outside", "r/leak/file"],
    ["an absolute link", "leak", "/etc/hostname", "r/leak"],
    ["a link to the root's parent", "leak", "..", "r/leak/outside/file"],
    ["a link to itself", "leak", "leak", "r/leak"],
    ["a link that only begins like the root", "leak", "ROOT-outside", "r/leak"],
    ["a link into /proc", "leak", "/proc/self/root/etc", "r/leak/hostname"],
  ])("P9: %s is not followed out", async (_name, name, target, path) => {
    await symlink(target.replace("ROOT", root), join(root, name));
    const workspace = open();
    for (const attempt of [
      () => workspace.read(path),
      () => workspace.write(path, "x", { overwrite: true }),
      () => workspace.list(path),
      () => workspace.locate(path),
    ]) {
      const error = await failureOf(attempt());
      expect(error).toMatchObject({ fault: "outside" });
      expect(String(error)).not.toContain(folder);
    }
    expect(await readFile(join(folder, "outside/file"), "utf8")).toBe("secret");
  });

  test("a link within the root is followed, and what it names is written, not the link replaced", async () => {
    await symlink("inner", join(root, "relative"));
    await symlink(join(root, "inner"), join(root, "absolute"));
    await symlink("/workspace/r/inner/file", join(root, "of-sandbox"));
    await symlink("../inner/../inner/file", join(root, "inner/winding"));
    const workspace = open();
    const paths = ["r/relative/file", "r/absolute/file", "r/of-sandbox", "r/inner/winding"];
    for (const path of paths) {
      expect(Buffer.from(await workspace.read(path)).toString()).toBe("inside");
    }
    await workspace.write("r/of-sandbox", "written", { overwrite: true });
    expect(await readFile(join(root, "inner/file"), "utf8")).toBe("written");
    await symlink("inner/none-yet", join(root, "dangling"));
    await workspace.write("r/dangling", "new");
    expect(await readFile(join(root, "inner/none-yet"), "utf8")).toBe("new");
  });

  test("listings tell of links and do not go through them", async () => {
    await symlink("../outside", join(root, "out"));
    await symlink(".", join(root, "loop"));
    const { entries } = await open().list("r", { depth: 9 });
    expect(entries.map(({ path, kind }) => [path, kind])).toEqual([
      ["r/inner", "folder"],
      ["r/inner/file", "file"],
      ["r/loop", "link"],
      ["r/out", "link"],
    ]);
  });

  test.runIf(isLinux)("P9: pipes, sockets and devices are not opened, nor waited for", async () => {
    execFileSync("/bin/sh", ["-c", 'mkfifo "$0"', join(root, "pipe")]);
    const server = createServer().listen(join(root, "socket"));
    await once(server, "listening");
    await symlink("/dev/zero", join(root, "device"));
    const workspace = open();
    try {
      for (const [path, fault] of [
        ["r/pipe", "wrong-kind"],
        ["r/socket", "wrong-kind"],
        ["r/device", "outside"],
      ] as const) {
        expect(await failureOf(workspace.read(path))).toMatchObject({ fault });
        expect(await failureOf(workspace.write(path, "x", { overwrite: true }))).toMatchObject({
          fault,
        });
      }
      const { entries } = await workspace.list("r");
      expect(entries).toContainEqual({ path: "r/pipe", kind: "other" });
    } finally {
      server.close();
    }
  });

  test("P9: a root that is exchanged for a link, or for another folder, is not used", async () => {
    const workspace = open();
    await rename(root, `${root}.aside`);
    await symlink(join(folder, "outside"), root);
    expect(await failureOf(workspace.read("r/file"))).toMatchObject({ name: "WorkspaceError" });
    await rm(root);
    await mkdir(root);
    await writeFile(join(root, "file"), "other");
    expect(await failureOf(workspace.read("r/file"))).toMatchObject({ fault: "changed" });
  });

  test("a name with hidden characters, or a long one, is shown on one short line", async () => {
    for (const length of [2_000, 5_000]) {
      const error = await failureOf(open().read(`r/a\n\u202eb${"c".repeat(length)}`));
      expect(String(error)).toMatch(/^.{1,500}$/);
      expect(String(error)).not.toContain("\u202e");
    }
  });
});

test.runIf(isLinux)(
  "P9: who exchanges a folder for a link again and again gets nothing read or written outside",
  async () => {
    const workspace = new Workspace({ roots: { r: { path: root, writable: true } } });
    const link = join(folder, "link");
    await symlink(join(folder, "outside"), link);
    const attacker = spawn(process.execPath, [swapper, join(root, "inner"), link]);
    const exited = once(attacker, "exit");
    await once(attacker.stdout, "data");
    const faults = new Set<string>();
    let reads = 0;
    const note = (error: unknown): void => {
      faults.add(WorkspaceError.is(error) ? error.fault : String(error));
    };
    try {
      const until = performance.now() + 10_000;
      const isEnough = (): boolean => reads > 20 && faults.has("outside");
      for (let turn = 0; (turn < 200 || !isEnough()) && performance.now() < until; turn += 1) {
        const text = await workspace.read("r/inner/file").catch(note);
        if (text !== undefined) {
          reads += 1;
          expect(Buffer.from(text).toString()).toBe("inside");
        }
        if (turn % 5 === 0) {
          await workspace.write("r/inner/new", "x", { overwrite: true }).catch(note);
        }
      }
    } finally {
      attacker.kill("SIGKILL");
      await exited;
    }
    expect(await readdir(join(folder, "outside"))).toEqual(["file"]);
    // Both were met: the folder as it should be, and the link in its place.
    expect(reads).toBeGreaterThan(0);
    expect([...faults]).toContain("outside");
    const known = ["outside", "not-found", "changed", "wrong-kind"];
    expect([...faults].filter((fault) => !known.includes(fault))).toEqual([]);
  },
);
