import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { failureOf } from "../../test/failure-of.ts";
import { createWorkspace, type Workspace } from "./workspace.ts";

let folder = "";
let workspace: Workspace;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-workspace-"));
  await mkdir(join(folder, "project/src"), { recursive: true });
  await mkdir(join(folder, "docs"));
  await writeFile(join(folder, "project/src/a.ts"), "one\ntwo\nthree\n");
  await writeFile(join(folder, "docs/guide.md"), "# Guide\n");
  workspace = createWorkspace({
    roots: {
      project: { path: join(folder, "project"), writable: true },
      docs: join(folder, "docs"),
    },
  });
});
afterEach(() => rm(folder, { recursive: true }));

const inProject = (name: string): string => join(folder, "project", name);

test("P9: a workspace reads files by the names of its roots", async () => {
  expect(Buffer.from(await workspace.read("project/src/a.ts")).toString()).toBe(
    "one\ntwo\nthree\n",
  );
  expect(await workspace.readLines("docs/guide.md")).toMatchObject({ text: "# Guide\n" });
  expect(await workspace.readLines("/workspace/docs/./x/../guide.md")).toMatchObject({
    text: "# Guide\n",
  });
  expect(workspace.roots).toEqual([
    { name: "project", writable: true },
    { name: "docs", writable: false },
  ]);
});

test("lines are read in ranges, and it is said where they end", async () => {
  const read = (fromLine: number, maxLines: number): ReturnType<Workspace["readLines"]> =>
    workspace.readLines("project/src/a.ts", { fromLine, maxLines });
  expect(await read(1, 2)).toMatchObject({ text: "one\ntwo\n", toLine: 2, isEnd: false });
  expect(await read(3, 9)).toMatchObject({ text: "three\n", fromLine: 3, toLine: 3, isEnd: true });
  expect(await read(9, 9)).toMatchObject({ text: "", toLine: 8, isEnd: true });
});

test("of a large file what fits is read, and a line that does not fit is cut between characters", async () => {
  const small = createWorkspace({
    roots: { project: join(folder, "project") },
    limits: { maxReadBytes: 10 },
  });
  await writeFile(inProject("lines"), "1234\n5678\n9\n");
  expect(await small.readLines("project/lines")).toMatchObject({
    text: "1234\n5678\n",
    toLine: 2,
    isEnd: false,
    isCut: false,
  });
  await writeFile(inProject("long"), `a\n${"é".repeat(9)}\nb`);
  expect(await small.readLines("project/long", { fromLine: 2 })).toMatchObject({
    text: "é".repeat(5),
    toLine: 2,
    isCut: true,
  });
  expect(await small.readLines("project/long", { fromLine: 3 })).toMatchObject({ text: "b" });
  expect(await failureOf(small.read("project/long"))).toMatchObject({ fault: "too-large" });
});

test("what is no text is said to be none", async () => {
  await writeFile(inProject("binary"), Buffer.from([0x61, 0, 0x62]));
  await writeFile(inProject("latin"), Buffer.from([0x61, 0xe9, 0x62]));
  for (const name of ["binary", "latin"]) {
    expect(await failureOf(workspace.readLines(`project/${name}`))).toMatchObject({
      fault: "not-text",
      message: `"project/${name}" is no text in UTF-8.`,
    });
  }
});

test("a file that is missing is said to be, with what may have been meant and no path of the machine", async () => {
  const error = await failureOf(workspace.read("project/src/A.js"));
  expect(error).toMatchObject({
    code: "tool-failed",
    fault: "not-found",
    message: '"project/src/A.js" does not exist. Did you mean "a.ts"?',
  });
  expect(await failureOf(workspace.read("projet/a"))).toMatchObject({
    fault: "outside",
    message: expect.stringContaining('Did you mean "project"? Its roots are: project, docs.'),
  });
});

test("P9: a file is written whole, with the folders that it needs, and nothing is left beside it", async () => {
  expect(await workspace.write("project/new/deep/b.ts", "x\n")).toEqual({ isNew: true, size: 2 });
  expect(await readFile(inProject("new/deep/b.ts"), "utf8")).toBe("x\n");
  expect(await failureOf(workspace.write("project/new/deep/b.ts", "y"))).toMatchObject({
    fault: "exists",
  });
  await chmod(inProject("new/deep/b.ts"), 0o750);
  const overwritten = await workspace.write("project/new/deep/b.ts", "y", { overwrite: true });
  expect(overwritten.isNew).toBe(false);
  expect((await stat(inProject("new/deep/b.ts"))).mode & 0o777).toBe(0o750);
  expect(await readdir(inProject("new/deep"))).toEqual(["b.ts"]);
});

test("P9: what may only be read, and what is too large, is not written", async () => {
  expect(await failureOf(workspace.write("docs/new.md", "x"))).toMatchObject({
    fault: "read-only",
    message: '"docs/new.md" cannot be changed: the root "docs" can only be read.',
  });
  expect(
    await failureOf(workspace.edit("docs/guide.md", { oldText: "Guide", newText: "x" })),
  ).toMatchObject({ fault: "read-only" });
  const large = "x".repeat(workspace.limits.maxWriteBytes + 1);
  expect(await failureOf(workspace.write("project/large", large))).toMatchObject({
    fault: "too-large",
  });
  expect(await readdir(join(folder, "docs"))).toEqual(["guide.md"]);
  expect(await failureOf(workspace.write("project/src", "x", { overwrite: true }))).toMatchObject({
    fault: "wrong-kind",
  });
});

test("of two who write a new file at once one is told that it exists", async () => {
  const other = createWorkspace({
    roots: { p: { path: join(folder, "project"), writable: true } },
  });
  const settled = await Promise.allSettled([
    workspace.write("project/race", "a"),
    other.write("p/race", "b"),
  ]);
  expect(settled.filter(({ status }) => status === "rejected")).toHaveLength(1);
});

test("edits that are made at once are all made", async () => {
  const words = Array.from({ length: 20 }, (_unused, index) => `word${index};`);
  await writeFile(inProject("many"), words.join("\n"));
  await Promise.all(
    words.map((word) =>
      workspace.edit("project/many", { oldText: word, newText: word.toUpperCase() }),
    ),
  );
  expect(await readFile(inProject("many"), "utf8")).toBe(words.join("\n").toUpperCase());
});

test("a folder is listed in the order of names, as deep as is asked, without looking into what is skipped", async () => {
  await mkdir(inProject("node_modules/left-pad"), { recursive: true });
  expect(await workspace.list("project", { depth: 3 })).toEqual({
    isAll: true,
    entries: [
      { path: "project/node_modules", kind: "folder" },
      { path: "project/src", kind: "folder" },
      { path: "project/src/a.ts", kind: "file", size: 14 },
    ],
  });
  expect((await workspace.list("project/node_modules")).entries).toHaveLength(1);
  const everything = await workspace.list("");
  expect(everything.entries.map(({ path }) => path)).toEqual([
    "project/node_modules",
    "project/src",
    "docs/guide.md",
  ]);
  expect(await failureOf(workspace.list("docs/guide.md"))).toMatchObject({ fault: "wrong-kind" });
});

test("P9: a listing ends at its limit and says so", async () => {
  const few = createWorkspace({
    roots: { project: join(folder, "project"), docs: join(folder, "docs") },
    limits: { maxEntries: 2 },
  });
  expect(await few.list("", { depth: 9 })).toMatchObject({
    isAll: false,
    entries: [{ path: "project/src" }, { path: "project/src/a.ts" }],
  });
  const controller = new AbortController();
  controller.abort(new Error("stop"));
  expect(await failureOf(workspace.list("", { signal: controller.signal }))).toMatchObject({
    message: "stop",
  });
});

test("what is no workspace is refused when it is made", () => {
  const make =
    (roots: Record<string, string>): (() => Workspace) =>
    () =>
      createWorkspace({ roots });
  expect(make({})).toThrow("at least one root");
  expect(make({ "a/b": folder })).toThrow("root name");
  expect(make({ "..": folder })).toThrow("root name");
  expect(make({ a: join(folder, "none") })).toThrow("does not exist");
  expect(make({ a: join(folder, "docs/guide.md") })).toThrow("no folder");
  expect(make({ a: folder, b: join(folder, "docs") })).toThrow("lie within each other");
  expect(make({ a: join(folder, "docs"), A: join(folder, "project") })).toThrow("in case only");
  // @ts-expect-error: a key that is none
  expect(() => createWorkspace({ roots: { a: folder }, root: "." })).toThrow('"root"');
});
