import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CliFolder, type CliOutcome, runInProcess } from "../../test/cli-fixture.ts";
import { fakeStdio, referenceServer } from "../../test/fixtures/mcp/servers.ts";

const call = (file: string, ...args: readonly string[]): Promise<CliOutcome> =>
  runInProcess(["mcp", "call", ...args, "--mcp", file]);

test("a tool is called by hand, and the result is one document", async () => {
  using folder = new CliFolder();
  const file = folder.servers({ everything: referenceServer("everything", { args: ["stdio"] }) });
  const json = await call(file, "everything", "get-sum", '{"a": 17, "b": 25}', "--json");
  expect(json).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(json.stdout)).toMatchObject({
    ok: true,
    server: "everything",
    tool: "get-sum",
    result: { content: [{ type: "text", text: "The sum of 17 and 25 is 42." }] },
  });
  const text = await call(file, "everything", "get-sum", '{"a": 17, "b": 25}');
  expect(text).toEqual({ code: 0, stdout: "The sum of 17 and 25 is 42.\n", stderr: "" });
});

test("progress goes to standard error", async () => {
  using folder = new CliFolder();
  const file = folder.servers({ everything: referenceServer("everything", { args: ["stdio"] }) });
  const input = '{"duration": 0.2, "steps": 2}';
  const outcome = await call(file, "everything", "trigger-long-running-operation", input, "--json");
  expect(outcome.code).toBe(0);
  expect(outcome.stderr).toMatch(/^progress 1\/2/m);
  expect(JSON.parse(outcome.stdout)).toMatchObject({ ok: true });
});

test("images are written to files on demand, under names that were free", async () => {
  using folder = new CliFolder();
  const file = folder.servers({ everything: referenceServer("everything", { args: ["stdio"] }) });
  const save = join(folder.path, "media");
  const once = await call(file, "everything", "get-tiny-image", "--save", save, "--json");
  const document = JSON.parse(once.stdout);
  const [saved] = document.files;
  expect(saved).toMatchObject({ mediaType: "image/png", bytes: expect.any(Number) });
  expect(readFileSync(saved.path).subarray(1, 4).toString()).toBe("PNG");
  expect(once.stdout).not.toContain('"data"');
  const again = await call(file, "everything", "get-tiny-image", "--save", save);
  expect(again.stdout).toMatch(/wrote .*get-tiny-image-2\.png/);
  expect(existsSync(join(save, "get-tiny-image-2.png"))).toBe(true);
});

const strict = {
  name: "rename",
  description: "Renames.",
  inputSchema: {
    type: "object",
    properties: { path: { type: "string" }, count: { type: "integer" } },
    required: ["path"],
  },
};

test("arguments that do not fit the schema are not sent, and what is wrong is told place by place", async () => {
  using folder = new CliFolder();
  const file = folder.servers({ fake: fakeStdio({ pages: { "": { tools: [strict] } } }) });
  const { code, stdout } = await call(file, "fake", "rename", '{"count": "two"}', "--json");
  expect(code).toBe(2);
  const { error } = JSON.parse(stdout);
  expect(error).toMatchObject({ code: "invalid-arguments" });
  expect(error.issues.map(({ path }: { path: string }) => path).toSorted()).toEqual(["", "count"]);
  expect(error.message).toMatch(/missing required property "path"/);
  const sent = await call(file, "fake", "rename", '{"count": 2}', "--unchecked", "--json");
  expect(JSON.parse(sent.stdout)).toMatchObject({ error: { message: "no such tool" } });
});

test("an argument that the tool does not name is pointed out", async () => {
  using folder = new CliFolder();
  const file = folder.servers({ fake: fakeStdio({ pages: { "": { tools: [strict] } } }) });
  const { stderr } = await call(file, "fake", "rename", '{"path": "a", "conut": 1}');
  expect(stderr).toMatch(/no argument "conut"\. Did you mean "count"\?/);
});

test.each([
  ["{path: 1}", /not JSON/],
  ["[1]", /must be a JSON object/],
  ["@/nowhere/args.json", /nowhere/],
])("arguments such as %s are refused before anything is started", async (input, message) => {
  using folder = new CliFolder();
  const file = folder.servers({ fake: { command: "there-is-no-such-program" } });
  const { code, stdout, stderr } = await call(file, "fake", "echo", input);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(message);
});

test("arguments may stand in a file", async () => {
  using folder = new CliFolder();
  const file = folder.servers({ fake: fakeStdio() });
  const input = folder.file("args.json", { text: "from a file" });
  const { stdout } = await call(file, "fake", "echo", `@${input}`);
  expect(stdout).toContain("from a file");
});

test("an error of the tool's is the document, and the exit code is 1", async () => {
  using folder = new CliFolder();
  const file = folder.servers({ fake: fakeStdio() });
  const result = { isError: true, content: [{ type: "text", text: "boom" }] };
  const { code, stdout } = await call(file, "fake", "result", JSON.stringify({ result }), "--json");
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    ok: false,
    result,
    error: { code: "tool-error", message: "boom" },
  });
});

test("an error of the protocol's has its code and data", async () => {
  using folder = new CliFolder();
  const file = folder.servers({ fake: fakeStdio() });
  const error = { code: -32_602, message: "no", data: { field: "amount" } };
  const { code, stdout } = await call(file, "fake", "fail", JSON.stringify({ error }), "--json");
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({
    ok: false,
    error: { code: "mcp-remote-error", server: "fake", remote: error },
  });
});

test.each([
  [["fkae", "echo"], "unknown-server", /Did you mean "fake"\?/],
  [["fake", "ecko"], "unknown-tool", /Did you mean "echo"\?/],
])("%j gets the name that is meant", async (names, code, message) => {
  using folder = new CliFolder();
  const file = folder.servers({ fake: fakeStdio() });
  const { stdout } = await call(file, ...names, "--json");
  expect(JSON.parse(stdout)).toEqual({
    ok: false,
    error: { code, message: expect.stringMatching(message) },
  });
});

test("a secret that a server gives back is not printed", async () => {
  using folder = new CliFolder();
  const secret = "hush-hush-hush";
  const file = folder.servers({
    everything: referenceServer("everything", { args: ["stdio"], env: { API_TOKEN: secret } }),
  });
  for (const form of [["--json"], []]) {
    const { code, stdout } = await call(file, "everything", "get-env", ...form);
    expect(code).toBe(0);
    expect(stdout).toContain("API_TOKEN");
    expect(stdout).not.toContain(secret);
  }
});
