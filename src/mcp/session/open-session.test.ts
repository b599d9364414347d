import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runningChildren } from "../../../test/fixtures/mcp/servers.ts";
import { manualClock } from "../../testing/manual-clock.ts";
import { resolveLimits } from "../wire/mcp-limits.ts";
import { SpokenProtocols } from "../wire/spoken-protocols.ts";
import { openSession } from "./open-session.ts";
import { ServerRequests } from "./server-requests.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-open-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** What is said of a program of that name that stays silent. */
async function adviceFor(program: string): Promise<string> {
  const command = join(folder, program);
  await writeFile(command, `#!${process.execPath}\nsetInterval(() => {}, 1000);\n`);
  await chmod(command, 0o755);
  const clock = manualClock();
  const transport = { type: "stdio", command } as const;
  const requests = new ServerRequests({ server: "s", callbacks: {}, limits: resolveLimits() });
  const spoken = new SpokenProtocols();
  const session = { server: "s", transport, timeoutMs: 5, clock, requests, spoken };
  const opening = openSession(session).then(
    () => "it opened",
    (thrown: unknown) => String(thrown),
  );
  await expect.poll(() => runningChildren().length).toBe(1);
  clock.advance(5);
  const said = await opening;
  expect(runningChildren()).toEqual([]);
  return said;
}

test.each(["npx", "uvx"])("a first start by %s is said to be downloading", async (launcher) => {
  const said = await adviceFor(launcher);
  expect(said).toContain("did not finish the handshake within 5 ms");
  expect(said).toContain(`At its first start ${launcher} downloads the server`);
  expect(said).toContain("raise timeoutMs");
});

test("another program that stays silent is asked whether it is a server", async () => {
  expect(await adviceFor("my-npx-tool")).toContain("Is it an MCP server?");
});
