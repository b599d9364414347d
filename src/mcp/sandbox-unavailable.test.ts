import { expect, test, vi } from "vitest";
import { agentOf, modelOf } from "../../test/agent-fixture.ts";
import { fakeStdio, runningChildren } from "../../test/fixtures/mcp/servers.ts";
import type { RunResult } from "../agent/run-result.ts";
import type { UnavailablePolicy } from "../tool/toolset.ts";
import { mcpToolset } from "./toolset/mcp-toolset.ts";

/** A run with a server whose sandbox cannot be made, since there is no bubblewrap in the PATH. */
async function runWith(onUnavailable: UnavailablePolicy): Promise<RunResult> {
  vi.stubEnv("PATH", "/nowhere");
  const transport = { ...fakeStdio(), sandbox: {} };
  const server = mcpToolset({ name: "boxed", transport, onUnavailable });
  return agentOf({ model: modelOf("done"), mcp: [server] }).ask("Go.");
}

test("P9: a server whose sandbox cannot be made is not started, and recorded", async () => {
  const { status, failedServers } = await runWith("record");
  expect(status).toBe("completed");
  expect(failedServers).toMatchObject([{ name: "boxed" }]);
  expect(JSON.stringify(failedServers)).toMatch(/bubblewrap/);
  expect(runningChildren()).toEqual([]);
});

test.each(["ignore", "fail"] as const)(
  "P9: where a server's failure means %o, a sandbox that cannot be made ends the run",
  async (onUnavailable) => {
    expect(await runWith(onUnavailable)).toMatchObject({
      status: "failed",
      error: { code: "sandbox-unavailable" },
    });
    expect(runningChildren()).toEqual([]);
  },
);
