import { expect, test } from "vitest";
import { CliFolder, runInProcess } from "../../test/cli-fixture.ts";
import { fakeStdio, referenceServer } from "../../test/fixtures/mcp/servers.ts";

const secret = "hush-hush-hush";

test("all servers are connected side by side, and each is shown with its state", async () => {
  using folder = new CliFolder();
  const file = folder.servers({
    files: referenceServer("filesystem", { args: [folder.path] }),
    broken: { command: "there-is-no-such-program" },
    envless: { command: "node", env: { KEY: `\${NOT_SET_HERE}` } },
  });
  const { code, stdout } = await runInProcess(["mcp", "list", "--mcp", file, "--json"]);
  const document = JSON.parse(stdout);
  expect(code).toBe(2);
  expect(document).toMatchObject({
    ok: false,
    servers: [
      {
        name: "files",
        state: "connected",
        protocolVersion: "2025-11-25",
        serverInfo: { name: "secure-filesystem-server" },
        transport: { type: "stdio" },
      },
      { name: "broken", state: "failed", error: { code: "mcp-connect-failed" } },
      { name: "envless", state: "misconfigured", error: { code: "invalid-configuration" } },
    ],
  });
  expect(document.servers[0].tools).toContainEqual(
    expect.objectContaining({ name: "read_text_file", description: expect.any(String) }),
  );
});

test("where every server is there, the exit code is 0 and people get a line for each tool", async () => {
  using folder = new CliFolder();
  const file = folder.servers({ fake: fakeStdio() });
  const { code, stdout, stderr } = await runInProcess(["mcp", "list", "--mcp", file]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^● fake {2}stdio {2}/);
  expect(stdout).toMatch(/connected in \d+ ms · MCP 2025-11-25 · fake 1\.2\.3 · \d+ tools/);
  expect(stdout).toMatch(/^ {4}echo/m);
});

test("no secret of a configuration is printed: of headers and variables there are the names", async () => {
  using folder = new CliFolder();
  const { type: _type, ...fake } = fakeStdio();
  const file = folder.servers({
    local: { ...fake, args: [...(fake.args ?? []), "--api-key", secret], env: { TOKEN: secret } },
    remote: {
      url: `https://user:${secret}@127.0.0.1:1/mcp?api_key=${secret}`,
      headers: { "X-Api-Key": secret },
    },
  });
  for (const form of [["--json"], []]) {
    const { stdout, stderr } = await runInProcess(["mcp", "list", "--mcp", file, ...form]);
    expect(stdout + stderr).not.toContain(secret);
    expect(stdout).toContain("remote");
  }
});

test.each([
  [["mcp", "list", "--json"], "invalid-usage", /--mcp FILE/],
  [["mcp", "list", "--mcp", "/nowhere/mcp.json", "--json"], "invalid-configuration", /nowhere/],
  [["mcp", "list", "--jso", "--json"], "invalid-usage", /--jso/],
  [["mcp", "call", "--json"], "invalid-usage", /server/],
])("%j fails with one JSON document that says what failed", async (args, code, message) => {
  const outcome = await runInProcess(args);
  expect(outcome.code).toBe(2);
  const document = JSON.parse(outcome.stdout);
  expect(document).toEqual({ ok: false, error: { code, message: expect.stringMatching(message) } });
  expect(outcome.stderr).not.toBe("");
});

test("a stop is told in the document, too", async () => {
  using folder = new CliFolder();
  const file = folder.servers({ fake: fakeStdio({ silent: true }) });
  const stop = new AbortController();
  const running = runInProcess(["mcp", "list", "--mcp", file, "--json"], { signal: stop.signal });
  stop.abort("SIGINT");
  const { code, stdout } = await running;
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ ok: false, error: { code: "stopped" } });
});

test("what a server hides in its texts is seen in the JSON, as escapes, and not in the text", async () => {
  using folder = new CliFolder();
  const banner = "fake\u202e\u{e0041}";
  const serverInfo = { name: banner, version: "1" };
  const tool = { name: "odd\u200bname", description: "x", inputSchema: { type: "object" } };
  const file = folder.servers({
    fake: fakeStdio({ initialize: { serverInfo }, pages: { "": { tools: [tool] } } }),
  });
  const json = await runInProcess(["mcp", "list", "--mcp", file, "--json"]);
  expect(json.stdout).toContain("odd\\u200bname");
  const text = await runInProcess(["mcp", "list", "--mcp", file]);
  expect(json.stdout + text.stdout).not.toMatch(/[\u200b\u202e\u{e0041}]/u);
});
