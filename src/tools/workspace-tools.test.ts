import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { agentOf, collect, modelOf } from "../../test/agent-fixture.ts";
import { runningChildren } from "../../test/fixtures/mcp/servers.ts";
import type { Json } from "../base/json.ts";
import { unsandboxedRunner } from "../process/unsandboxed-runner.ts";
import type { ToolResult } from "../tool/tool-result.ts";
import { createWorkspace, type Workspace } from "./workspace.ts";
import { workspaceTools } from "./workspace-tools.ts";

let folder = "";
let workspace: Workspace;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-tools-"));
  await mkdir(join(folder, "src"));
  await writeFile(join(folder, "src/a.ts"), "one\ntwo\n");
  workspace = createWorkspace({ roots: { project: { path: folder, writable: true } } });
});
afterEach(async () => {
  expect(runningChildren()).toEqual([]);
  await rm(folder, { recursive: true });
});

const sandbox = unsandboxedRunner({ timeoutMs: 1_000 });

/** What an agent gets that calls a tool of the workspace. */
async function call(name: string, input: { readonly [key: string]: Json }): Promise<ToolResult> {
  const tools = workspaceTools(workspace, { sandbox });
  const agent = agentOf({ model: modelOf({ calls: [{ name, arguments: input }] }, "ok"), tools });
  const events = await collect(agent.stream("Go."));
  const end = events.find(({ kind }) => kind === "tool-end");
  return end?.kind === "tool-end" ? end.result : expect.unreachable("the tool was called");
}

const textOf = ({ content }: Exclude<ToolResult, undefined>): string =>
  content.map((part) => (part.kind === "text" ? part.text : part.kind)).join();

test("P9: an agent is given a workspace and a runner in one line, and has tools for it", async () => {
  const names = workspaceTools(workspace, { sandbox }).map(({ name }) => name);
  expect(names).toEqual([
    ...["read_file", "list_files", "search_files"],
    ...["write_file", "edit_file", "run_command"],
  ]);
  const readable = createWorkspace({ roots: { project: folder } });
  expect(workspaceTools(readable).map(({ name }) => name)).toEqual([
    "read_file",
    "list_files",
    "search_files",
  ]);
});

test("P9: approval rules tell tools that change something from those that do not", () => {
  const tools = workspaceTools(workspace, { sandbox });
  const changing = tools.filter(({ annotations }) => annotations?.destructive === true);
  const reading = tools.filter(({ annotations }) => annotations?.readOnly === true);
  expect(changing.map(({ name }) => name)).toEqual(["write_file", "edit_file", "run_command"]);
  expect(reading).toHaveLength(3);
  expect(tools.at(-1)?.annotations?.openWorld).toBe(true);
  const isolated = { ...sandbox, network: "none" } as const;
  expect(workspaceTools(workspace, { sandbox: isolated }).at(-1)?.annotations?.openWorld).toBe(
    false,
  );
});

test("read_file gives a text whole, or lines of it with where to go on", async () => {
  expect(textOf(await call("read_file", { path: "project/src/a.ts" }))).toBe("one\ntwo\n");
  expect(textOf(await call("read_file", { path: "project/src/a.ts", maxLines: 1 }))).toBe(
    "[Lines 1 to 1. Go on with fromLine 2]\none\n",
  );
  expect(textOf(await call("read_file", { path: "project/src/a.ts", fromLine: 2 }))).toBe(
    "[Lines 2 to 2, the end of the file]\ntwo\n",
  );
  await writeFile(join(folder, "empty"), "");
  expect(textOf(await call("read_file", { path: "project/empty" }))).toBe("[The file is empty.]");
});

test("read_file gives a picture and a PDF as what they are, whatever their names say", async () => {
  const png = Buffer.from("\u0089PNG\r\n\u001a\nrest", "latin1");
  await writeFile(join(folder, "shot.txt"), png);
  const result = await call("read_file", { path: "project/shot.txt" });
  expect(result).toMatchObject({ value: { mediaType: "image/png", size: png.length } });
  expect(result.content).toContainEqual(
    expect.objectContaining({ kind: "image", mediaType: "image/png" }),
  );
  await writeFile(join(folder, "paper"), "%PDF-1.7\n\u0000");
  expect(await call("read_file", { path: "project/paper" })).toMatchObject({
    value: { mediaType: "application/pdf" },
  });
  await writeFile(join(folder, "data.png"), "just text");
  expect(textOf(await call("read_file", { path: "project/data.png" }))).toBe("just text");
});

test("write_file and edit_file change files and say what they did", async () => {
  expect(await call("write_file", { path: "project/b/c.txt", content: "x" })).toMatchObject({
    value: { path: "project/b/c.txt", size: 1, isNew: true },
  });
  expect(await call("write_file", { path: "project/b/c.txt", content: "y" })).toMatchObject({
    kind: "error",
    error: { message: expect.stringContaining('"overwrite": true') },
  });
  expect(
    await call("edit_file", { path: "project/src/a.ts", oldText: "two", newText: "2" }),
  ).toMatchObject({ value: { replaced: 1, lines: [2] } });
  expect(await readFile(join(folder, "src/a.ts"), "utf8")).toBe("one\n2\n");
});

test("list_files and search_files tell what there is", async () => {
  expect(textOf(await call("list_files", { depth: 2 }))).toBe(
    "project/src/\nproject/src/a.ts (8 bytes)",
  );
  expect(textOf(await call("search_files", { text: "two" }))).toBe(
    "[1 matches, 1 files searched]\nproject/src/a.ts:2: two",
  );
});

test("P9: what a model asks for outside is an error that it reads, without a path of the machine", async () => {
  for (const [name, input] of [
    ["read_file", { path: "project/../../etc/passwd" }],
    ["read_file", { path: "/etc/passwd" }],
    ["write_file", { path: "../x", content: "x" }],
    ["list_files", { path: "/" }],
    ["search_files", { path: "project/..", text: "x", files: "/etc/*" }],
    ["run_command", { command: "pwd", folder: "project/../.." }],
  ] as const) {
    const result = await call(name, input);
    if (name !== "search_files") {
      expect(result).toMatchObject({ kind: "error" });
    }
    expect(JSON.stringify(result)).not.toContain(folder);
  }
});

test("run_command gives exit code and outputs, in the folder that is asked for", async () => {
  const { end, stdout } = (await valueFrom("run_command", {
    command: 'echo "\u001b[31mred\u001b[0m"; cat; basename $(pwd); exit 3',
    folder: "project/src",
    input: "in;",
  })) as { readonly end: Json; readonly stdout: Json };
  expect(end).toEqual({ kind: "exited", exitCode: 3 });
  expect(stdout).toBe("red\nin;src\n");
  const failed = await call("run_command", { command: "echo oops >&2; false" });
  expect(textOf(failed)).toBe("[Exit code 1]\n[Standard error:]\noops\n");
});

test("P9: run_command ends what takes too long, and passes on no secret of ours", async () => {
  vi.stubEnv("OPENAI_API_KEY", "hunter2");
  expect(
    textOf(await call("run_command", { command: "env; sleep 99", timeoutSeconds: 600 })),
  ).toMatch(/^\[Ended, since it took longer than 1 seconds\]\n(?!.*hunter2)/s);
});

async function valueFrom(name: string, input: { readonly [key: string]: Json }): Promise<Json> {
  const result = await call(name, input);
  return result.kind === "success" ? result.value : expect.unreachable(textOf(result));
}

test("what is no workspace or no runner is refused", () => {
  // @ts-expect-error: options of a workspace are none
  expect(() => workspaceTools({ roots: { a: "." } })).toThrow("createWorkspace");
  // @ts-expect-error: a promise of a sandbox
  expect(() => workspaceTools(workspace, { sandbox: Promise.resolve(sandbox) })).toThrow("awaited");
  // @ts-expect-error: another name for it
  expect(() => workspaceTools(workspace, { runner: sandbox })).toThrow('It is called "sandbox"');
});
