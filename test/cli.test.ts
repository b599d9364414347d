import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunEvent } from "../src/agent/run-event.ts";
import {
  dragoman,
  everything,
  expectClean,
  file,
  folder,
  inFolderOfItsOwn,
  killAfterwards,
  node,
  noted,
  serverPath,
  start,
  survivors,
} from "./command-line.ts";

inFolderOfItsOwn();

test("a message is answered through a real server over stdio, with a line for the call", async () => {
  const outcome = await dragoman("run", "What is 17 plus 25?", "--server", everything);
  expect(outcome).toMatchObject({ code: 0, stderr: "" });
  const lines = outcome.stdout.trim().split("\n");
  expect(lines[0]).toMatch(/^! .*no language model/i);
  expect(outcome.stdout).toMatch(/^✓ get-sum\(a: 17, b: 25\) ok, \d+ ms$/m);
  expect(lines.at(-1)).toMatch(/42/);
});

test("the words of a message may stand without quotes", async () => {
  const outcome = await dragoman(
    "run",
    "echo",
    "message:",
    "hi",
    "--server",
    everything,
    "--quiet",
  );
  expect(outcome).toMatchObject({ code: 0, stdout: expect.stringContaining("Echo: hi") });
});

test("a message is answered through a real server over streamable HTTP", async () => {
  const port = await freePort();
  const env = { ...process.env, PORT: String(port) };
  const server = spawn(node, [serverPath("everything"), "streamableHttp"], { env, stdio: "pipe" });
  killAfterwards(server);
  await new Promise<void>((resolve) => {
    server.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (text.includes("listening")) {
        resolve();
      }
    });
  });
  const url = `http://127.0.0.1:${port}/mcp`;
  const outcome = await dragoman("run", 'Echo "good morning"', "--server", url);
  expect(outcome).toMatchObject({ code: 0, stderr: "" });
  expect(outcome.stdout).toMatch(/^✓ echo\(message: "good morning"\) ok/m);
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const { port } = probe.address() as { port: number }; // a TCP server's address is an object
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

test("--json prints every event as a line, and nothing else", async () => {
  const { code, stdout } = await dragoman("run", "2 plus 3", "--server", everything, "--json");
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as RunEvent);
  expect(code).toBe(0);
  expect(events[0]).toMatchObject({ kind: "run-start", sequence: 1 });
  expect(events.at(-1)).toMatchObject({ kind: "run-end", status: "completed" });
  expect(events.find(({ kind }) => kind === "tool-end")).toMatchObject({ name: "get-sum" });
});

test("--quiet prints the answer only, and on standard error that no language model gave it", async () => {
  const quiet = ["run", "2 plus 3", "--server", everything, "--quiet"];
  const { code, stdout, stderr } = await dragoman(...quiet);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^warning: No model was chosen, so the offline model is used.*\n$/);
  expect(await dragoman(...quiet, "--model", "offline")).toMatchObject({ code: 0, stderr: "" });
  expect(stdout).toMatch(/\b5\b/);
  expect(stdout).not.toMatch(/^[✓!·]/m);
});

test("an mcpServers file gives servers, and one that fails leaves the others alone", async () => {
  const config = file("mcp.json", {
    mcpServers: {
      calc: {
        command: `\${NODE_FOR_TEST:-${node}}`,
        args: [serverPath("everything"), "stdio"],
      },
      gone: { command: "no-such-command-anywhere" },
    },
  });
  const outcome = await dragoman("run", "2 plus 3", "--mcp", config);
  expect(outcome.code).toBe(0);
  expect(outcome.stdout).toMatch(/^✗ gone: .*no-such-command-anywhere/m);
  expect(outcome.stdout).toMatch(/^✓ get-sum/m);
});

test("an odd server of a file is reported with its line, and the others are used", async () => {
  const config = file(
    "mcp.json",
    `{ "mcpServers": {
      "typo": { "comand": "x" },
      "calc": ${JSON.stringify({ command: node, args: [serverPath("everything"), "stdio"], autoApprove: ["echo"] })}
    } }`,
  );
  const outcome = await dragoman("run", "2 plus 3", "--mcp", config);
  expect(outcome).toMatchObject({ code: 0, stderr: "" });
  expect(outcome.stdout).toMatch(/^✗ typo: .*mcp\.json:2: .*comand.*command/m);
  expect(outcome.stdout).toMatch(/^✓ get-sum/m);
});

test("where some servers of a file are odd and the rest fail, standard error names each", async () => {
  const config = file("mcp.json", {
    mcpServers: { typo: { comand: "x" }, gone: { command: "no-such-command-anywhere" } },
  });
  const outcome = await dragoman("run", "Hi", "--mcp", config, "--quiet");
  expect(outcome.code).toBe(2);
  expect(outcome.stderr).toMatch(/^ {2}typo: .*mcp\.json:4/m);
  expect(outcome.stderr).toMatch(/^ {2}gone: .*no-such-command-anywhere/m);
  expectClean(outcome);
});

test("servers of two files may have the same name", async () => {
  const calc = { command: node, args: [serverPath("everything"), "stdio"] };
  const files = ["one.json", "two.json"].flatMap((name) => [
    "--mcp",
    file(name, { mcpServers: { calc } }),
  ]);
  const { code, stdout } = await dragoman("run", "2 plus 3", ...files);
  expect(code).toBe(0);
  expect(stdout).toMatch(/calc: connected/);
  expect(stdout).toMatch(/calc-2: connected/);
});

test("a server called on the command line twice has two names", async () => {
  const twice = ["--server", everything, "--server", everything];
  const { code, stdout } = await dragoman("run", "2 plus 3", ...twice);
  expect(code).toBe(0);
  expect(stdout).toMatch(/everything: connected/);
  expect(stdout).toMatch(/everything-2: connected/);
});

test("--session goes on with a conversation, in the user's data folder or in a file", async () => {
  const ask = async (...args: readonly string[]): Promise<readonly RunEvent[]> => {
    const { code, stdout } = await dragoman("run", "2 plus 3", "--json", ...args);
    expect(code).toBe(0);
    return stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as RunEvent);
  };
  const saved = (events: readonly RunEvent[]) => events.find(({ kind }) => kind === "session-save");
  expect(saved(await ask())).toBeUndefined();
  expect(existsSync(join(folder(), ".local"))).toBe(false);
  expect(saved(await ask("--session", "sums"))).toMatchObject({ session: "sums", length: 2 });
  expect(saved(await ask("--session", "sums"))).toMatchObject({ messages: 2, length: 4 });
  expect(existsSync(join(folder(), ".local/share/dragoman/sessions.db"))).toBe(true);
  const other = join(folder(), "other.db");
  expect(saved(await ask("--session", "sums", "--sessions", other))).toMatchObject({ length: 2 });
});

/** Bad input: what is called, and what must be said. */
const mistakes: Readonly<Record<string, { args: () => readonly string[]; says: RegExp }>> = {
  "an unknown model": {
    args: () => ["run", "Hi", "--model", "gpt5"],
    says: /no model "gpt5".*"offline".*OPENAI_BASE_URL/,
  },
  "a provider without a model": {
    args: () => ["run", "Hi", "--model", "openai:"],
    says: /no model/,
  },
  "a model without its key": {
    args: () => ["run", "Hi", "--model", "openai:gpt-5"],
    says: /set OPENAI_API_KEY/,
  },
  "a missing file": {
    args: () => ["run", "Hi", "--mcp", join(folder(), "none.json")],
    says: /none\.json/,
  },
  "JSON that is not": {
    args: () => ["run", "Hi", "--mcp", file("bad.json", '{\n  "mcpServers": {\n    "a": {,}\n')],
    says: /bad\.json:3/,
  },
  "an unknown key in a file": {
    args: () => [
      "run",
      "Hi",
      "--mcp",
      file("typo.json", '{\n  "mcpServers": {\n    "a": {\n      "comand": "node"\n    }\n  }\n}'),
    ],
    says: /typo\.json:4.*comand.*command/,
  },
  "a file nested without end": {
    args: () => ["run", "Hi", "--mcp", file("deep.json", "[".repeat(20_000))],
    says: /deep\.json:1: .*nested/,
  },
  "a variable that is not set": {
    args: () => [
      "run",
      "Hi",
      "--mcp",
      file("v.json", { mcpServers: { a: { command: `\${NOPE}` } } }),
    ],
    says: /NOPE/,
  },
  "a command that does not exist": {
    args: () => ["run", "Hi", "--server", "no-such-command-anywhere --flag"],
    says: /no-such-command-anywhere/,
  },
  "an http: URL that is not loopback": {
    args: () => ["run", "Hi", "--server", "http://me:pa55word@mcp.example/rpc"],
    says: /^(?!.*pa55word).*--server http:\/\/mcp\.example\/rpc: .*https:.*--mcp/,
  },
  "a ws: URL that is not loopback": {
    args: () => ["run", "Hi", "--server", "ws://mcp.example/rpc"],
    says: /--server ws:.*wss:.*--mcp/,
  },
  "a URL that is none": { args: () => ["run", "Hi", "--server", "http://"], says: /not valid/ },
  "a URL of another kind": { args: () => ["run", "Hi", "--server", "ftp://x"], says: /"ftp:"/ },
  "a file of conversations without one": {
    args: () => ["run", "Hi", "--sessions", "x.db"],
    says: /--session ID/,
  },
  "an empty conversation's id": { args: () => ["run", "Hi", "--session", ""], says: /needs an id/ },
  "a file that holds no conversations": {
    args: () => ["run", "Hi", "--session", "s", "--sessions", file("notes.txt", "no pages")],
    says: /notes\.txt is damaged, or no SQLite database/,
  },
  "an empty message": { args: () => ["run", " "], says: /nothing to ask/ },
  "no message": { args: () => ["run"], says: /missing required argument/ },
  "an unknown flag": { args: () => ["run", "Hi", "--jsn"], says: /unknown option.*--json/s },
  "an unknown command": { args: () => ["rum", "Hi"], says: /unknown command 'rum'.*run/s },
  "two forms of output": { args: () => ["run", "Hi", "--json", "--quiet"], says: /cannot be used/ },
  "a timeout of nothing": { args: () => ["run", "Hi", "--timeout", "0"], says: /above 0/ },
};

test.each(Object.entries(mistakes))(
  "%s is told in words, with exit code 2",
  async (_, { args, says }) => {
    const outcome = await dragoman(...args());
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toMatch(says);
    expectClean(outcome);
  },
);

test("a server that exits at once is told with its exit code and last lines", async () => {
  const script = `console.error("ModuleNotFoundError: chalk"); process.exit(3)`;
  const config = file("mcp.json", { mcpServers: { broken: noted(script) } });
  const outcome = await dragoman("run", "Hi", "--mcp", config);
  expect(outcome.code).toBe(2);
  expect(outcome.stdout).toMatch(/broken: .*\b3\b.*ModuleNotFoundError: chalk/);
  expectClean(outcome);
});

test("a server that never answers is given up after its time", async () => {
  const silent = { ...noted("setInterval(() => {}, 1000)"), timeoutMs: 300 };
  const config = file("mcp.json", { mcpServers: { silent } });
  const outcome = await dragoman("run", "Hi", "--mcp", config);
  expect(outcome.code).toBe(2);
  expect(outcome.stdout).toMatch(/silent: .*300 ms/);
  expectClean(outcome);
});

test("standard error that nobody reads any more changes nothing", async () => {
  const running = start("run", "Hi", "--jsn");
  running.child.stderr?.destroy();
  expect(await running.outcome).toMatchObject({ code: 2, stderr: "" });
});

test.each(["SIGINT", "SIGTERM"] as const)("%s stops a run in good order", async (signal) => {
  const stubborn = noted(`process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)`);
  const config = file("mcp.json", { mcpServers: { stubborn } });
  const running = start("run", "Hi", "--mcp", config, "--json");
  await running.printed("run-start");
  running.child.kill(signal);
  const outcome = await running.outcome;
  expect(outcome.code).toBe(2);
  expect(outcome.stderr).toMatch(/stopped before it was done/);
  expect(outcome.stdout).toMatch(/"status":"cancelled"/);
  expectClean(outcome);
});

test("what a server says cannot steer the terminal", async () => {
  const evil = noted(
    `process.stderr.write("\\x1b[2J\\x1b]0;owned\\x07\\u202egnp"); process.exit(1)`,
  );
  const config = file("mcp.json", { mcpServers: { evil } });
  const { stdout } = await dragoman("run", "Hi", "--mcp", config);
  expect(stdout).toMatch(/evil: /);
  expect([..."\u001b\u0007\u202e"].filter((sign) => stdout.includes(sign))).toEqual([]);
});

test("dragoman mcp … --json leaves one document on standard output and nothing else, also on failure", async () => {
  const loud = noted(`console.log("Server ready"); console.error("a log line"); process.exit(3)`);
  const config = file("mcp.json", {
    mcpServers: { everything: { command: node, args: [serverPath("everything"), "stdio"] }, loud },
  });
  const listed = await dragoman("mcp", "list", "--mcp", config, "--json");
  expect(listed.code).toBe(2);
  expect(JSON.parse(listed.stdout)).toMatchObject({
    ok: false,
    servers: [
      { name: "everything", state: "connected" },
      { name: "loud", state: "failed" },
    ],
  });
  const sum = ["mcp", "call", "everything", "get-sum", '{"a": 1, "b": 2}', "--mcp", config];
  const called = await dragoman(...sum, "--json");
  expect(called).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(called.stdout)).toMatchObject({ ok: true, tool: "get-sum" });
  const failed = await dragoman("mcp", "call", "loud", "x", "--mcp", config, "--json");
  expect(failed.code).toBe(2);
  expect(JSON.parse(failed.stdout)).toMatchObject({
    ok: false,
    error: { code: "mcp-connection-closed", message: expect.stringContaining("exit code 3") },
  });
  expect(survivors()).toEqual([]);
});

test("a file of servers may say that tools must be as they were pinned", async () => {
  const args = [serverPath("everything"), "stdio"];
  const lock = join(folder(), "lock.json");
  const pins = { mode: "enforce", lock };
  const config = file("mcp.json", { mcpServers: { everything: { command: node, args, pins } } });
  const before = await dragoman("run", "What is 17 plus 25?", "--mcp", config);
  expect(before.stdout).toMatch(/✗ everything: .*there is no file .*lock\.json.*dragoman mcp pin/);
  expect((await dragoman("mcp", "pin", "--mcp", config, "--lock", lock)).code).toBe(0);
  const after = await dragoman("run", "What is 17 plus 25?", "--mcp", config);
  expect(after.stdout).toMatch(/^✓ get-sum/m);
});

test("--help and --version go to standard output with exit code 0", async () => {
  expect(await dragoman("--help")).toMatchObject({ code: 0, stderr: "" });
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  expect(await dragoman("--version")).toMatchObject({ code: 0, stdout: `${version}\n` });
});
