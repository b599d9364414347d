// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such placeholders are what is tested
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ConfigurationError } from "../../base/dragoman-error.ts";
import type { McpServerConfig } from "../../tool/mcp-server-config.ts";
import type { ReadMcpConfigOptions } from "./desktop-entry.ts";
import { readMcpConfig } from "./read-mcp-config.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-mcp-config-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function read(
  text: string,
  options: Partial<ReadMcpConfigOptions> = {},
): Promise<readonly McpServerConfig[]> {
  const file = join(folder, "mcp.json");
  await writeFile(file, text);
  return readMcpConfig(file, { env: {}, ...options });
}

async function faultOf(text: string, options: Partial<ReadMcpConfigOptions> = {}): Promise<string> {
  const error = await read(text, options).catch((thrown: unknown) => thrown);
  if (!ConfigurationError.is(error)) {
    throw new Error("the file was accepted", { cause: error });
  }
  return error.message.replace(`${folder}/`, "");
}

const one = (entry: object): string => JSON.stringify({ mcpServers: { one: entry } });

test("servers of both forms are read, with comments and trailing commas", async () => {
  const configs = await read(`\ufeff{
    // another program's
    "globalShortcut": "",
    "mcpServers": {
      "files": { "command": "npx", "args": ["-y", "files@1.0.0"], "env": { "A": "b" }, "cwd": "/x" },
      "remote": { "url": "https://h/mcp", "headers": { "x-a": "b" }, "description": "Far", "timeoutMs": 5 },
      "typed": { "type": "streamableHttp", "url": "https://h/mcp", "timeout": 60000, "token": "t" }, /* end */
      "off": { "command": "\${UNSET}", "disabled": true },
    },
  }`);
  expect(configs).toEqual([
    {
      name: "files",
      transport: {
        type: "stdio",
        command: "npx",
        args: ["-y", "files@1.0.0"],
        env: { A: "b" },
        cwd: "/x",
      },
    },
    {
      name: "remote",
      description: "Far",
      timeoutMs: 5,
      transport: { type: "streamable-http", url: "https://h/mcp", headers: { "x-a": "b" } },
    },
    {
      name: "typed",
      timeoutMs: 60_000,
      transport: { type: "streamable-http", url: "https://h/mcp", token: "t" },
    },
  ]);
});

test("variables come from the given environment, or from their default", async () => {
  const [config] = await read(
    one({
      url: "https://${HOST:-h}/${EMPTY:-x}${EMPTY}",
      headers: { authorization: "Bearer ${TOKEN}" },
    }),
    { env: { TOKEN: "${HOST}", EMPTY: "" } },
  );
  expect(config?.transport).toEqual({
    type: "streamable-http",
    url: "https://h/x",
    headers: { authorization: "Bearer ${HOST}" },
  });
});

test("an unset variable is named with its server, key, file and line", async () => {
  const message = await faultOf(`{
    "mcpServers": {
      "github": {
        "command": "npx",
        "env": {
          "TOKEN": "\${GITHUB_TOKEN}"
        }
      }
    }
  }`);
  expect(message).toContain("mcp.json:6: ");
  expect(message).toContain('Server "github"');
  expect(message).toContain("GITHUB_TOKEN");
  expect(message).toContain('"env.TOKEN"');
});

test("another kind of placeholder is refused by name", async () => {
  expect(await faultOf(one({ command: "x", args: ["${input:key}"] }))).toContain("${input:key}");
});

test.each([
  ['{\n "mcpServers": {\n  "a": { "command" "x" }\n }\n}', "mcp.json:3: This is not JSON: colon"],
  ["", "mcp.json:1: This is not JSON"],
  ['{\n "servers": {} }', 'There is no "mcpServers" in the file, but "servers": rename it'],
  ["[]", 'There is no "mcpServers"'],
  ['{\n\n "mcpServers": [] }', 'mcp.json:3: "mcpServers" must be an object'],
  ['{"mcpServers": {\n"a": 1}}', 'mcp.json:2: Server "a": a server must be an object'],
  ['{"mcpServers": {\n"a": {}}}', 'mcp.json:2: Server "a": There is neither a "command"'],
  [
    '{"mcpServers": {"a": {"command": "x"},\n"a": {"command": "y"}}}',
    'mcp.json:2: There are two servers of the name "a"',
  ],
])("%j is refused", async (text, part) => {
  expect(await faultOf(text)).toContain(part);
});

test.each([
  [{ command: "x", url: "https://h" }, "Give one of them"],
  [{ command: "x", headers: {} }, 'Unknown key "headers" in the stdio transport'],
  [{ command: "x", arg: [] }, 'Unknown key "arg" in the server. Did you mean "args"?'],
  [{ command: "x", env: { PORT: 1 } }, '"PORT" in "env" must be a text, got a number'],
  [{ type: "pigeon", url: "https://h" }, "Invalid transport type: pigeon"],
  [{ command: "x", timeout: 60 }, '"timeoutMs": 60000'],
  [{ command: "x", timeout: 2000, timeoutMs: 2000 }, 'both "timeout" and "timeoutMs"'],
  [{ command: "x", disabled: "yes" }, '"disabled" must be true or false'],
  [
    { url: "http://127.0.0.1/" },
    'mcp.json:1: Server "one": "url" is http://127.0.0.1/, and what goes over http: is not encrypted, so it must be allowed, also on this machine: write "allowInsecureHttp": true beside "url".',
  ],
])("the server %j is refused", async (entry, part) => {
  expect(await faultOf(one(entry))).toContain(part);
});

test("the line is that of the key which is at fault", async () => {
  const text = '{ "mcpServers": { "a": {\n"command": "x",\n"args": [\n"y",\n3]\n} } }';
  expect(await faultOf(text)).toContain('mcp.json:5: Server "a": "args"[1]');
});

test("http: is allowed for this machine only where the caller says so", async () => {
  const allow = { allowInsecureLoopback: true };
  for (const url of ["http://localhost:3/mcp", "http://127.0.0.2/", "http://[::1]:3/"]) {
    const [config] = await read(one({ url }), allow);
    expect(config?.transport).toEqual({ type: "streamable-http", url, allowInsecureHttp: true });
  }
  expect(await faultOf(one({ url: "http://localhost.evil.example/" }), allow)).toContain("http:");
  expect(
    await faultOf(one({ url: "http://localhost/", allowInsecureHttp: false }), allow),
  ).toContain("http:");
});

test("a file that is not there is named", async () => {
  const missing = join(folder, "missing.json");
  await expect(readMcpConfig(missing, { env: {} })).rejects.toThrow("missing.json cannot be read");
});

test("limits of a server are read and checked", async () => {
  const limits = { maxTools: 5 };
  const transport = { type: "stdio", command: "x" };
  expect(await read(one({ command: "x", limits }))).toEqual([{ name: "one", transport, limits }]);
  expect(await faultOf(one({ command: "x", limits: { maxTool: 5 } }))).toContain('mean "maxTools"');
});

test("whether tools must be as they were pinned, and instructions are told, stands with the server", async () => {
  const trust = { pins: { mode: "enforce", lock: "a.json" }, instructions: "include" };
  expect(await read(one({ command: "a", ...trust }))).toMatchObject([trust]);
  expect(await read(one({ command: "a", pins: "warn" }))).toMatchObject([{ pins: "warn" }]);
  expect(await faultOf(one({ command: "a", pins: "yes" }))).toMatch(
    /mcp\.json:1: .*"pins" must be/,
  );
  expect(await faultOf(one({ command: "a", instructions: true }))).toMatch(/"off" or "include"/);
});

test("where faults are listened for, each is told with its server and line, and the others are given", async () => {
  const text = `{ "mcpServers": {
    "typo": { "comand": "x" },
    "good": { "command": "x" },
    "unset": { "command": "\${UNSET}" },
    "odd": 1,
    "good": { "command": "y" },
    "last": { "command": "z" }
  } }`;
  const told: string[] = [];
  const onFault: ReadMcpConfigOptions["onFault"] = ({ name, error }) =>
    told.push(`${name} ${error.message.replace(`${folder}/`, "").slice(0, 10)}`);
  const configs = await read(text, { onFault });
  expect(configs.map(({ name }) => name)).toEqual(["good", "last"]);
  expect(told).toEqual([
    "typo mcp.json:2",
    "unset mcp.json:4",
    "odd mcp.json:5",
    "good mcp.json:6",
  ]);
});

test.each(['{ "mcpServers": [] }', "{", '{ "servers": {} }'])(
  "a fault of the file as a whole is thrown although faults are listened for: %s",
  async (text) => {
    expect(await faultOf(text, { onFault: () => {} })).toContain("mcp.json:1");
  },
);

test("disabled tools of a server are read, and it has a longest message", async () => {
  const disabledTools = ["delete_file"];
  expect(await read(one({ command: "x", disabledTools, maxResponseBytes: 5 }))).toEqual([
    {
      name: "one",
      transport: { type: "stdio", command: "x", maxResponseBytes: 5 },
      disabledTools,
    },
  ]);
  expect(await faultOf(one({ command: "x", disabledTools: "all" }))).toContain("list of texts");
});

test.each([
  ...["autoApprove", "alwaysAllow", "trust"],
  ...["icon", "iconPath", "displayName", "gallery", "version", "watchPaths"],
])("%s, which a desktop client writes for itself, is passed over", async (key) => {
  const transport = { type: "stdio", command: "x" };
  const entry = { command: "x", [key]: ["${UNSET}"] };
  expect(await read(one(entry))).toEqual([{ name: "one", transport }]);
});

test.each(["[", '{"a":', '{ "mcpServers": { "a": { "args": ['])(
  "a file that is nested without end is refused with its line: %s",
  async (opening) => {
    const brackets = opening.slice(-1) === "[" ? "[" : opening;
    const text = `\n${opening}${brackets.repeat(20_000)}`;
    expect(await faultOf(text)).toContain("mcp.json:2: This is nested more than 100 levels deep");
  },
);
