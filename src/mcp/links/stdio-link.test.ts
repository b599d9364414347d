import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { StdioBehaviour } from "../../../test/fixtures/mcp/fake-stdio-server.ts";
import {
  fakeStdio,
  isAlive,
  pidFrom,
  runningChildren,
} from "../../../test/fixtures/mcp/servers.ts";
import type { JsonObject } from "../../base/json.ts";
import type { StdioTransport } from "../../tool/mcp-server-config.ts";
import { McpError } from "../wire/mcp-error.ts";
import type { RpcMessage } from "../wire/rpc-message.ts";
import { StdioLink, type StdioLinkOptions } from "./stdio-link.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-stdio-"));
});
afterAll(() => rm(folder, { recursive: true }));

const open: StdioLink[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((link) => link.abandon()));
  expect(runningChildren()).toEqual([]);
});

interface Seen {
  readonly link: StdioLink;
  readonly messages: RpcMessage[];
  readonly closed: Promise<void>;
}

function linkTo(transport: StdioTransport, options: Partial<StdioLinkOptions> = {}): Seen {
  const link = new StdioLink({
    server: "s",
    transport,
    inheritedEnv: {},
    ...options,
  });
  open.push(link);
  const messages: RpcMessage[] = [];
  link.onmessage = (message) => void messages.push(message);
  const closed = new Promise<void>((resolve) => {
    link.onclose = resolve;
  });
  return { link, messages, closed };
}

const fake = (behaviour: StdioBehaviour, options: Partial<StdioLinkOptions> = {}): Seen =>
  linkTo(fakeStdio(behaviour), options);

const initialize: RpcMessage = { jsonrpc: "2.0", id: 0, method: "initialize", params: {} };
const initialized: RpcMessage = { jsonrpc: "2.0", method: "notifications/initialized" };
const call = (name: string, input: JsonObject = {}): RpcMessage => ({
  jsonrpc: "2.0",
  id: name,
  method: "tools/call",
  params: { name, arguments: input },
});

async function answer({ messages }: Seen, id: string | number): Promise<unknown> {
  const find = (): RpcMessage | undefined =>
    messages.find((message) => "id" in message && message.id === id);
  await expect.poll(find).toBeDefined();
  return find();
}

async function failureOf({ link, closed }: Seen): Promise<McpError> {
  await closed;
  const failure = link.failure();
  if (!McpError.is(failure)) {
    throw new Error("the link has no failure");
  }
  return failure;
}

test("messages go there and back, and all of one turn arrive in order", async () => {
  const seen = fake({});
  await seen.link.start();
  await Promise.all([
    seen.link.send(initialize),
    seen.link.send(call("echo", { text: "北京 🌍" })),
  ]);
  expect(await answer(seen, 0)).toMatchObject({ result: { serverInfo: { name: "fake" } } });
  expect(JSON.stringify(await answer(seen, "echo"))).toContain("北京 🌍");
  await seen.link.close();
  expect(seen.link.failure()).toBeUndefined();
});

test("what is not JSON-RPC is skipped and told in the diagnosis", async () => {
  const banner =
    'Server v1.2 ready\n[db] ok\n{"level":"info"}\n42\n\n\u001b[32mgreen\u001b[0m\n[1,2]\nglued: ';
  const seen = fake({ banner });
  await seen.link.start();
  await seen.link.send(initialize);
  expect(await answer(seen, 0)).toHaveProperty("result");
  expect(seen.messages).toHaveLength(1);
  expect(seen.link.diagnosis?.()).toContain("It wrote 6 line(s)");
});

test("a batch of messages on one line is taken apart", async () => {
  const batch = [{ jsonrpc: "2.0", method: "a" }, 3, { jsonrpc: "2.0", method: "b" }];
  const seen = fake({ banner: `${JSON.stringify(batch)}\n` });
  await seen.link.start();
  await expect.poll(() => seen.messages).toEqual([batch[0], batch[2]]);
});

test("a package that npx may not install is told with what to do", async () => {
  const stderr = 'npm error npx canceled due to missing packages and no YES option: ["x@1.0.0"]\n';
  const seen = fake({ exitCode: 1, stderr });
  await seen.link.start();
  await seen.closed;
  expect(seen.link.failure()?.message).toContain(
    'exit code 1: npx installs a package only with "-y"',
  );
});

test("the end of the child is an error with exit code and last words", async () => {
  const seen = fake({ exitCode: 3, stderr: "one\nModuleNotFoundError: x\n" });
  await seen.link.start();
  const failure = await failureOf(seen);
  expect(failure.code).toBe("mcp-connection-closed");
  expect(failure.message).toContain('The MCP server "s"');
  expect(failure.message).toContain(process.execPath);
  expect(failure.message).toContain("ended with exit code 3");
  expect(failure.message).toContain("ModuleNotFoundError: x");
  await expect(seen.link.send(initialize)).rejects.toBe(failure);
});

test("the end by a signal is told as such", async () => {
  const seen = fake({});
  await seen.link.start();
  process.kill(seen.link.pid ?? 0, "SIGABRT");
  expect((await failureOf(seen)).message).toContain("was ended by the signal SIGABRT");
});

test("only the last words of a flood on standard error are kept", async () => {
  const seen = fake({ exitCode: 0, noise: 200_000, stderr: "last words\n" });
  await seen.link.start();
  const { message } = await failureOf(seen);
  expect(message).toContain("last words");
  expect(message.length).toBeLessThan(1000);
});

test("secrets of the child's environment are hidden in what it said", async () => {
  const transport = fakeStdio({ exitCode: 1, stderr: "bad key sk-12345678\n" });
  const seen = linkTo({ ...transport, env: { KEY: "sk-12345678" } });
  await seen.link.start();
  expect((await failureOf(seen)).message).toContain("bad key [hidden]");
});

test("secrets among the child's arguments are hidden in what it said", async () => {
  const transport = fakeStdio({
    exitCode: 1,
    stderr: "usage: --token sk-12345678 --port 3000000\n",
  });
  const args = [...(transport.args ?? []), "--token", "sk-12345678", "--port", "3000000"];
  const seen = linkTo({ ...transport, args });
  await seen.link.start();
  expect((await failureOf(seen)).message).toContain("usage: --token [hidden] --port 3000000");
});

test("a message that is too long ends the connection and the child", async () => {
  const transport = fakeStdio({ flood: 2000, stubborn: true });
  const seen = linkTo({ ...transport, maxResponseBytes: 1000 });
  await seen.link.start();
  await seen.link.send(initialized);
  const failure = await failureOf(seen);
  expect(failure.code).toBe("mcp-limit");
  expect(failure.message).toContain("more than 1000 bytes and was ended. Raise maxResponseBytes");
  await expect.poll(() => isAlive(seen.link.pid ?? 0)).toBe(false);
});

test("a child that closes its output and lives on is ended", async () => {
  const seen = fake({ muteAfterStart: true, stubborn: true });
  await seen.link.start();
  await seen.link.send(initialized);
  expect((await failureOf(seen)).message).toContain("closed its standard output");
  await expect.poll(() => isAlive(seen.link.pid ?? 0)).toBe(false);
});

test("what is sent just before closing still arrives", async () => {
  const seen = fake({});
  await seen.link.start();
  const sent = seen.link.send(call("exit", { code: 0, words: "it has arrived" }));
  await seen.link.close();
  await sent;
  expect(seen.link.diagnosis?.()).toContain("it has arrived");
});

test("the child's end is noticed although a grandchild holds the pipes, and the grandchild is ended", async () => {
  const grandchildPidFile = join(folder, "exit.pid");
  const seen = fake({ grandchildPidFile });
  await seen.link.start();
  const grandchild = await pidFrom(grandchildPidFile);
  await seen.link.send(call("exit", { code: 4, words: "bye" }));
  expect((await failureOf(seen)).message).toContain("exit code 4");
  await seen.link.close();
  expect(isAlive(grandchild)).toBe(false);
});

test.each(["close", "abandon"] as const)(
  "%s leaves neither a stubborn child nor a grandchild",
  async (way) => {
    const grandchildPidFile = join(folder, `${way}.pid`);
    const seen = fake({ stubborn: true, grandchildPidFile });
    await seen.link.start();
    const grandchild = await pidFrom(grandchildPidFile);
    const { pid = 0 } = seen.link;
    expect([isAlive(pid), isAlive(grandchild)]).toEqual([true, true]);
    await seen.link[way]();
    expect([isAlive(pid), isAlive(grandchild)]).toEqual([false, false]);
    expect(seen.link.failure()).toBeUndefined();
  },
);

test("closing twice, before the start has ended and after the end does no harm", async () => {
  const seen = fake({ stubborn: true });
  const starting = seen.link.start();
  await Promise.all([seen.link.abandon(), seen.link.close(), starting.catch(() => {})]);
  expect(isAlive(seen.link.pid ?? 0)).toBe(false);
  await seen.link.close();
  const never = fake({});
  await never.link.close();
});

test("a command that does not exist is said to be missing", async () => {
  const { link } = linkTo({ type: "stdio", command: "no-such-command-here" });
  const error = await link.start().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "mcp-connect-failed", server: "s" });
  expect(String(error)).toContain('"no-such-command-here"');
  expect(String(error)).toContain("was not found in the PATH");
});

test("a file that may not be executed and a folder that is missing are told apart", async () => {
  const file = join(folder, "plain.sh");
  await writeFile(file, "#!/bin/sh\n");
  await expect(linkTo({ type: "stdio", command: file }).link.start()).rejects.toThrow(
    "may not be executed",
  );
  const cwd = join(folder, "gone");
  await expect(linkTo({ ...fakeStdio(), cwd }).link.start()).rejects.toThrow(
    /its folder ".*gone" does not exist/,
  );
});

test("the command is looked up in the child's own PATH, and in no other", async () => {
  const file = join(folder, "own-tool");
  await writeFile(file, `#!${process.execPath}\nprocess.exit(9)\n`);
  await chmod(file, 0o755);
  const found = linkTo({ type: "stdio", command: "own-tool", env: { PATH: folder } });
  await found.link.start();
  expect((await failureOf(found)).message).toContain("exit code 9");

  const inherited = { inheritedEnv: { PATH: folder } };
  const hidden = linkTo(
    { type: "stdio", command: "own-tool", env: { PATH: "/nowhere" } },
    inherited,
  );
  await expect(hidden.link.start()).rejects.toThrow("the PATH that its env sets");
  const empty = linkTo({ type: "stdio", command: "own-tool", env: { PATH: "" } }, inherited);
  await expect(empty.link.start()).rejects.toThrow("the PATH that its env sets");
});

test("the child starts in the given folder", async () => {
  const program = "process.stderr.write(process.cwd()); process.exit(1)";
  const transport = { type: "stdio", command: process.execPath, args: ["-e", program] } as const;
  const seen = linkTo({ ...transport, cwd: folder });
  await seen.link.start();
  expect((await failureOf(seen)).message).toContain(folder);
});
