import { expect, test } from "vitest";
import { CliFolder, runInProcess } from "../../test/cli-fixture.ts";
import { fakeStdio, referenceServer } from "../../test/fixtures/mcp/servers.ts";

test("all about a tool is shown, with a call to begin with", async () => {
  using folder = new CliFolder();
  const file = folder.servers({ everything: referenceServer("everything", { args: ["stdio"] }) });
  const args = ["mcp", "inspect", "everything", "get-structured-content", "--mcp", file];
  const json = await runInProcess([...args, "--json"]);
  expect(JSON.parse(json.stdout)).toMatchObject({
    ok: true,
    tool: {
      name: "get-structured-content",
      inputSchema: { type: "object" },
      outputSchema: { type: "object" },
      annotations: { readOnlyHint: true },
    },
  });
  const text = await runInProcess(args);
  expect(text.stdout).toMatch(
    /dragoman mcp call everything get-structured-content '\{"location":"[^"]+"\}'/,
  );
});

test("all that a server says of itself is shown", async () => {
  using folder = new CliFolder();
  const file = folder.servers({ everything: referenceServer("everything", { args: ["stdio"] }) });
  const args = ["mcp", "inspect", "everything", "--mcp", file];
  const { code, stdout } = await runInProcess([...args, "--json"]);
  const document = JSON.parse(stdout);
  expect(code).toBe(0);
  expect(document).toMatchObject({
    capabilities: { tools: {}, prompts: {}, resources: {} },
    instructions: expect.stringContaining(""),
    protocolVersion: "2025-11-25",
  });
  for (const list of ["tools", "resources", "resourceTemplates", "prompts"]) {
    expect(document[list]).not.toHaveLength(0);
  }
  expect((await runInProcess(args)).stdout).toMatch(/^prompts \(\d+\)$/m);
});

test("what had to be changed in a tool is told", async () => {
  using folder = new CliFolder();
  const description = "Adds.\u{e0049}\u{e0047}";
  const tool = { name: "add", description, inputSchema: { type: "object" } };
  const file = folder.servers({ fake: fakeStdio({ pages: { "": { tools: [tool] } } }) });
  const { stdout } = await runInProcess(["mcp", "inspect", "fake", "add", "--mcp", file]);
  expect(stdout).toMatch(/^ {2}Adds\.$/m);
  expect(stdout).toMatch(/^! .*invisible characters/m);
});
