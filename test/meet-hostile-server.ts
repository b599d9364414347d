import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { HostileCase, HostileTransport } from "../src/testing/hostile-cases.ts";
import { openHostileServer } from "../src/testing/hostile-server.ts";
import { startFakeHttpServer } from "./fixtures/mcp/fake-http-server.ts";
import type { HostileMeeting, HostileOutcome } from "./fixtures/mcp/hostile-client.ts";
import { fakeStdio } from "./fixtures/mcp/servers.ts";

const program = fileURLToPath(new URL("./fixtures/mcp/hostile-client.ts", import.meta.url));

/** What came of a meeting, and what was left of the server. */
export interface HostileReport extends HostileOutcome {
  readonly survivors: readonly number[];
}

/**
 * Lets an application, in a process of its own, meet a hostile server. It rejects where that process
 * does not end by itself.
 */
export async function meetHostileServer(
  kind: HostileCase,
  over: HostileTransport,
  { timeoutMs, withinMs }: { readonly timeoutMs: number; readonly withinMs: number },
): Promise<HostileReport> {
  await using hostile = await openHostileServer(kind, over);
  const far = over === "http" ? await startFakeHttpServer() : undefined;
  const healthy: HostileMeeting["healthy"] =
    far === undefined ? fakeStdio() : { type: "http", url: far.url, allowInsecureHttp: true };
  const meeting: HostileMeeting = { healthy, hostile: hostile.transport, timeoutMs };
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--expose-gc", program, JSON.stringify(meeting)],
      { timeout: withinMs + 30_000, killSignal: "SIGKILL" },
    );
    return { ...JSON.parse(stdout), survivors: await hostile.survivors() };
  } finally {
    await far?.close();
  }
}
