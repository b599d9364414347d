import { afterEach, expect, test, vi } from "vitest";
import { failureOf } from "../../test/failure-of.ts";
import {
  type FakeHttpServer,
  startFakeHttpServer,
} from "../../test/fixtures/mcp/fake-http-server.ts";
import { fakeStdio, runningChildren } from "../../test/fixtures/mcp/servers.ts";
import type { Clock } from "../base/clock.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { McpClient } from "./client/mcp-client.ts";

const servers: FakeHttpServer[] = [];
const clients: McpClient[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.disconnect()));
  await Promise.all(servers.splice(0).map((server) => server.close()));
  expect(runningChildren()).toEqual([]);
});

async function clientOfServer(name: string, hangs: boolean, clock: Clock): Promise<McpClient> {
  const server = await startFakeHttpServer(hangs ? { intercept: () => true } : {});
  servers.push(server);
  const transport = { type: "http", url: server.url, allowInsecureHttp: true } as const;
  const client = new McpClient({ name, transport, timeoutMs: 3000 }, { clock });
  clients.push(client);
  return client;
}

test("of 20 servers the 19 that answer are ready although one hangs, which fails at its time limit", async () => {
  const clock = manualClock();
  const names = Array.from({ length: 20 }, (_unused, index) => `s${index}`);
  const all = await Promise.all(names.map((name) => clientOfServer(name, name === "s7", clock)));
  const connecting = all.map((client) => client.tryConnect());
  await Promise.all(connecting.filter((_promise, index) => index !== 7));
  const lists = await Promise.all(
    all.filter(({ name }) => name !== "s7").map((client) => client.listTools()),
  );
  expect(lists.every((tools) => tools.length > 0)).toBe(true);
  expect(all[7]?.connected).toBe(false);
  clock.advance(3000);
  expect(await connecting[7]).toBe(false);
  expect(all[7]?.connectError).toMatchObject({ code: "mcp-timeout", server: "s7" });
});

const activeKinds = (): ReadonlySet<string> => new Set(process.getActiveResourcesInfo());

test("R18: many programs are served without a thread or a loop, each call by its own", async () => {
  const loops = [vi.spyOn(globalThis, "setInterval"), vi.spyOn(globalThis, "setImmediate")];
  const kinds = activeKinds();
  const all = Array.from({ length: 8 }, (_unused, index) => {
    const client = new McpClient({ name: `p${index}`, transport: fakeStdio(), timeoutMs: 20_000 });
    clients.push(client);
    return client;
  });
  await Promise.all(all.map((client) => client.connect()));
  const own = ["PipeWrap", "ProcessWrap"]; // of the programs; nothing else is alive at rest
  expect([...activeKinds()].filter((kind) => !kinds.has(kind) && !own.includes(kind))).toEqual([]);
  const before = process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  const calls = all.flatMap((client) =>
    Array.from({ length: 20 }, (_unused, word) => client.callTool("echo", { word })),
  );
  const timers = process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  expect(timers - before).toBeLessThanOrEqual(all.length); // one for all calls of a connection
  const answers = await Promise.all(calls);
  for (const [index, answer] of answers.entries()) {
    expect(JSON.stringify(answer)).toContain(`\\"word\\":${index % 20}}`);
  }
  expect(loops.flatMap(({ mock }) => mock.calls)).toEqual([]);
});

test("a server that ends does no harm to the calls on another", async () => {
  const [one, other] = ["one", "other"].map((name) => {
    const client = new McpClient({ name, transport: fakeStdio(), timeoutMs: 20_000 });
    clients.push(client);
    return client;
  });
  await Promise.all([one?.connect(), other?.connect()]);
  const hanging = other?.callTool("hang");
  expect(
    await failureOf(one?.callTool("exit", { code: 1, words: "bye" }) ?? Promise.resolve()),
  ).toMatchObject({
    code: "mcp-connection-closed",
    server: "one",
  });
  await other?.callTool("finish");
  expect(await hanging).toHaveProperty("content");
});
