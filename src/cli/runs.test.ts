import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CliFolder, runInProcess } from "../../test/cli-fixture.ts";
import { fakeStdio } from "../../test/fixtures/mcp/servers.ts";
import { owner, run, step, suspended } from "../../test/run-fixture.ts";
import type { Json } from "../base/json.ts";
import { sqliteRuns } from "../stores/sqlite-runs.ts";

/** A file with two runs of the application "desk": one that has ended, one of Ann's that waits. */
async function desk(folder: CliFolder, ...waiting: readonly string[]): Promise<string> {
  const file = join(folder.path, "runs.db");
  await using store = sqliteRuns({ file });
  await store.create({ ...run, id: "done", input: "Count\u001b[31m to ten" }, owner);
  await store.write({ app: "desk", id: "done" }, owner, { status: "completed", text: "Ten." });
  await store.create({ ...run, id: "waits", actor: "ann" }, owner);
  await store.write({ app: "desk", id: "waits" }, owner, {
    ...suspended(...waiting),
    steps: [{ kind: "finished", key: "model#1", value: "x" }],
    events: [step(1)],
  });
  return file;
}

const runs = (file: string, command: string, ...args: readonly string[]) =>
  runInProcess(["runs", command, ...args, "--store", file, "--app", "desk"]);

async function jsonOf(file: string, command: string, ...args: readonly string[]) {
  const { code, stdout } = await runs(file, command, ...args, "--json");
  return { code, document: JSON.parse(stdout) as { readonly [key: string]: Json } };
}

test("runs are listed, the last changed first, by what they are", async () => {
  using folder = new CliFolder();
  const file = await desk(folder, "a");
  const { code, stdout } = await runs(file, "list");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^waits {2}suspended .*tester for ann {2}Go\ndone {2}completed/);
  expect(stdout).not.toContain("\u001b");
  expect((await jsonOf(file, "list", "--status", "completed")).document).toMatchObject({
    ok: true,
    runs: [{ id: "done", text: "Ten." }],
  });
  expect((await runs(file, "list", "--actor", "bob")).stdout).toBe("No runs.\n");
  expect((await runs(file, "list", "--limit", "1")).stdout).toContain("more than 1");
});

test("a run is shown with its steps, what it waits for and its events", async () => {
  using folder = new CliFolder();
  const file = await desk(folder, "a");
  const { stdout } = await runs(file, "show", "waits", "--events");
  expect(stdout).toMatch(/\? a {2}may it call refund \{\}\?/);
  expect(stdout).toMatch(/✓ model#1/);
  expect(stdout).toMatch(/1 {2}\S+ {2}step-start/);
  expect((await jsonOf(file, "show", "done")).document).toMatchObject({
    run: { status: "completed" },
    steps: [],
  });
  const missing = await jsonOf(file, "show", "nobody");
  expect(missing).toMatchObject({ code: 2, document: { error: { code: "run-not-found" } } });
});

test("what a run waits for is decided once, and by its actor alone", async () => {
  using folder = new CliFolder();
  const file = await desk(folder, "a");
  const eve = await jsonOf(file, "approve", "waits", "--actor", "eve");
  expect(eve).toMatchObject({ code: 2, document: { error: { code: "run-not-found" } } });
  const yes = await runs(file, "approve", "waits", "--actor", "ann");
  expect(yes).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Decided: approve a\n/) });
  const no = await jsonOf(file, "deny", "waits", "a", "--reason", "too late");
  expect(no).toMatchObject({
    code: 2,
    document: { error: { code: "decision-refused", message: expect.stringContaining("approve") } },
  });
  expect((await runs(file, "show", "waits")).stdout).toContain("resume it");
  expect((await runs(file, "deny", "done")).stderr).toMatch(/waits for no decision.*completed/);
});

test("of several that are waited for those must be named that are decided", async () => {
  using folder = new CliFolder();
  const file = await desk(folder, "a", "b", "c");
  const vague = await runs(file, "approve", "waits");
  expect(vague).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/3 decisions.*a {2}may/s),
  });
  const denied = await runs(file, "deny", "waits", "a", "c", "--reason", "no");
  expect(denied.stdout).toMatch(/It waits still for b/);
  const { document } = await jsonOf(file, "approve", "waits");
  expect(document["run"]).toMatchObject({
    decisions: {
      a: { kind: "deny", reason: "no" },
      b: { kind: "approve" },
      c: { kind: "deny", reason: "no" },
    },
  });
});

test("an answer must be JSON, and fit what is asked", async () => {
  using folder = new CliFolder();
  const file = await desk(folder, "a");
  expect(await jsonOf(file, "answer", "waits", "a", "yes")).toMatchObject({
    code: 2,
    document: { error: { code: "invalid-usage" } },
  });
  expect(await jsonOf(file, "answer", "waits", "a", '"yes"')).toMatchObject({
    code: 2,
    document: { error: { code: "decision-refused" } },
  });
});

test("a run is cancelled once", async () => {
  using folder = new CliFolder();
  const file = await desk(folder, "a");
  expect(await runs(file, "cancel", "waits")).toMatchObject({ code: 0 });
  expect(await jsonOf(file, "cancel", "waits")).toMatchObject({
    code: 2,
    document: { error: { code: "run-finished" } },
  });
  expect((await jsonOf(file, "show", "waits", "--events")).document).toMatchObject({
    run: { status: "cancelled", waitingFor: [] },
    events: [{ kind: "step-start" }, { kind: "run-end", status: "cancelled" }],
  });
});

test("a run of the command line is kept where it is told to, and goes on from where it was left", async () => {
  using folder = new CliFolder();
  const file = join(folder.path, "runs.db");
  const servers = folder.servers({ fake: fakeStdio() });
  const env = { PATH: process.env["PATH"], DRAGOMAN_STORE: file, XDG_DATA_HOME: folder.path };
  const asked = await runInProcess(["run", "Echo hello", "--model", "offline", "--mcp", servers], {
    env,
  });
  expect(asked.code).toBe(0);
  await using store = sqliteRuns({ file });
  const [kept] = (await store.list({ app: "dragoman" })).runs;
  expect(kept).toMatchObject({ agent: "dragoman", status: "completed", input: "Echo hello" });
  // As a process leaves it that ends right after it has begun.
  await store.create(
    { app: "dragoman", id: "left", agent: "dragoman", input: "Echo hello" },
    owner,
  );
  const resume = ["runs", "resume", "left", "--model", "offline", "--mcp", servers, "--quiet"];
  const resumed = await runInProcess(resume, { env });
  expect(resumed.code).toBe(0);
  // The server says what it was called with, and so that each call has its own key.
  expect(resumed.stdout).toContain("dragoman/idempotency-key: left:tool:echo#call_1");
  expect(kept?.text).toContain(`dragoman/idempotency-key: ${kept?.id}:tool:echo#call_1`);
  expect(await runInProcess(resume, { env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("has ended"),
  });
});

test("a run of another agent is resumed by its own application only", async () => {
  using folder = new CliFolder();
  const file = await desk(folder, "a");
  expect(await jsonOf(file, "resume", "waits")).toMatchObject({
    code: 2,
    document: { error: { message: expect.stringMatching(/"tester" of the application "desk"/) } },
  });
});

test("the password of a database is not printed", async () => {
  const url = "postgres://ann:hunter2@127.0.0.1:1/desk";
  const args = ["runs", "list", "--store", `${url}?connect_timeout=1`, "--json"];
  const { stdout, stderr } = await runInProcess(args);
  expect(stdout + stderr).toContain("store-unavailable");
  expect(stdout + stderr).not.toContain("hunter2");
}, 60_000);

test("a store that is not there is told, and not made", async () => {
  using folder = new CliFolder();
  const file = join(folder.path, "rnus.db");
  expect(await runs(file, "list")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(file),
  });
  expect(existsSync(file)).toBe(false);
});
