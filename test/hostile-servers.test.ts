import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { ConfigurationError } from "../src/base/dragoman-error.ts";
import { type HostileCase, hostileCases } from "../src/testing/hostile-cases.ts";
import { openHostileServer } from "../src/testing/hostile-server.ts";
import { meetHostileToolset } from "./fixtures/mcp/meet-hostile-toolset.ts";
import { runningChildren } from "./fixtures/mcp/servers.ts";
import { expectOutcome, hostileTable } from "./hostile-table.ts";

/** Those that take time or memory are met in e2e/hostile-servers.test.ts, in a process of their own. */
const heavy = /^(huge|endless|never|ten-thousand)|flood|wrong-id/;

const kinds = (Object.keys(hostileCases) as HostileCase[]).filter((kind) => !heavy.test(kind));
const overHttp = kinds.filter((kind) => hostileCases[kind].over.includes("http"));
const overStdioOnly = kinds.filter((kind) => !hostileCases[kind].over.includes("http"));

test.each([
  ...overHttp.map((kind) => ({ kind, over: "http" as const, does: hostileCases[kind].does })),
  ...overStdioOnly.map((kind) => ({ kind, over: "stdio" as const, does: hostileCases[kind].does })),
])("$kind over $over: a server that $does does no harm", async ({ kind, over }) => {
  await using server = await openHostileServer(kind, over);
  const { facts, close } = await meetHostileToolset(server.transport, 10_000);
  await close();
  expectOutcome(facts, kind, over);
  expect(await server.survivors()).toEqual([]);
  expect(runningChildren()).toEqual([]);
});

test("the table has a row for every kind", () => {
  expect(Object.keys(hostileTable)).toEqual(Object.keys(hostileCases));
});

test("a server that does not exist over a transport is a mistake that is told", async () => {
  const opening = openHostileServer("stderr-flood", "http");
  await expect(opening).rejects.toThrow(ConfigurationError);
  await expect(opening).rejects.toThrow("It is there over: stdio.");
});

test("the kit finds and ends what a client leaves behind", async () => {
  const server = await openHostileServer("ignores-end", "stdio");
  const { transport } = server;
  if (transport.type !== "stdio") {
    throw new Error("it is reached over stdio");
  }
  const child = spawn(transport.command, transport.args ?? [], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  await once(child.stdout, "data");
  expect(await server.survivors()).toEqual([child.pid]);
  const gone = once(child, "exit");
  await server.close();
  await gone;
  expect(child.signalCode).toBe("SIGKILL");
});
