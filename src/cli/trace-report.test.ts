import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { runInProcess } from "../../test/cli-fixture.ts";
import { referenceServer } from "../../test/fixtures/mcp/servers.ts";

const { command, args = [] } = referenceServer("filesystem", { args: ["docs"] });
const server = [command, ...args].map((word) => JSON.stringify(word)).join(" ");
const ask = (...flags: readonly string[]) =>
  runInProcess(["run", "List the folder docs", "--server", server, "--model", "offline", ...flags]);

test("G-O2: --trace prints the tree of a run's spans with their durations on standard error", async () => {
  const { code, stderr, stdout } = await ask("--trace", "--quiet");
  expect(code).toBe(0);
  const tree = stripVTControlCharacters(stderr);
  expect(tree).toMatch(/^invoke_agent dragoman \d/m);
  expect(tree).toMatch(/^ {2}dragoman\.open_server \S+ \d[\d.]* m?s/m);
  expect(tree).toMatch(/^ {4}tools\/list \d[\d.]* m?s$/m);
  expect(tree).toMatch(/^ {2}execute_tool list_directory \d[\d.]* m?s$/m);
  expect(stdout).not.toContain("execute_tool");
});

test("--trace=json prints the same spans as lines of JSON", async () => {
  const { code, stderr } = await ask("--trace=json", "--quiet");
  expect(code).toBe(0);
  const spans = stderr
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
  const run = spans.find(({ name }) => name === "invoke_agent dragoman");
  expect(run).toMatchObject({ kind: "internal", parent: null, status: "unset" });
  expect(spans.find(({ name }) => name === "execute_tool list_directory")).toMatchObject({
    kind: "client",
    parent: run.spanId,
    traceId: run.traceId,
    status: "unset",
    durationMs: expect.any(Number),
    attributes: { "gen_ai.operation.name": "execute_tool", "mcp.method.name": "tools/call" },
  });
  expect(stderr).not.toContain("List the folder");
});

test("a question may follow --trace", async () => {
  const { code, stderr } = await runInProcess(["run", "--trace", "Hello", "--model", "offline"]);
  expect(code).toBe(0);
  expect(stripVTControlCharacters(stderr)).toMatch(/^invoke_agent dragoman \d/m);
});

test("--trace takes no other format", async () => {
  expect((await ask("--trace=xml")).code).toBe(2);
});
