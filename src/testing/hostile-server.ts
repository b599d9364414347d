import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ConfigurationError } from "../base/dragoman-error.ts";
import type { McpTransport } from "../tool/mcp-server-config.ts";
import { type HostileCase, type HostileTransport, hostileCases } from "./hostile-cases.ts";
import { startHostileHttpServer } from "./hostile-http-server.ts";

/** A hostile MCP server, for a test to connect to. */
export interface HostileServer extends AsyncDisposable {
  /** For an `McpServerConfig` or an `mcpToolset`. Over stdio each connection starts a process. */
  readonly transport: McpTransport;
  /** Processes that run now, of all that the connections started, with what these started. */
  survivors(): Promise<readonly number[]>;
  /** Ends the server and every survivor. */
  close(): Promise<void>;
}

/**
 * Opens a hostile MCP server: see {@link hostileCases} for what each does. Whoever opens it closes it.
 *
 * @throws ConfigurationError `invalid-definition` where there is no such server over this transport.
 */
export async function openHostileServer(
  kind: HostileCase,
  over: HostileTransport,
): Promise<HostileServer> {
  const known: readonly HostileTransport[] = hostileCases[kind]?.over ?? [];
  if (!known.includes(over)) {
    throw new ConfigurationError(
      `There is no hostile server ${JSON.stringify(kind)} over ${over}. It is there over: ${known.join(", ") || "nothing"}.`,
      { code: "invalid-definition" },
    );
  }
  return over === "stdio" ? openStdio(kind) : openHttp(kind);
}

/** Lies beside this file, compiled or not. */
const program = fileURLToPath(
  new URL(`hostile-stdio-server${extname(import.meta.url)}`, import.meta.url),
);

async function openStdio(kind: HostileCase): Promise<HostileServer> {
  const folder = await mkdtemp(join(tmpdir(), "dragoman-hostile-"));
  const pidFile = join(folder, "pids");
  const survivors = async (): Promise<readonly number[]> => {
    const text = await readFile(pidFile, "utf8").catch(() => ""); // no connection yet
    const running = await Promise.all(text.split("\n").filter(Boolean).map(Number).map(ifRunning));
    return running.filter((pid) => pid !== undefined);
  };
  const close = async (): Promise<void> => {
    for (const pid of await survivors()) {
      end(pid);
    }
    await rm(folder, { recursive: true, force: true });
  };
  return {
    transport: { type: "stdio", command: process.execPath, args: [program, kind, pidFile] },
    survivors,
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function openHttp(kind: HostileCase): Promise<HostileServer> {
  const { url, close } = await startHostileHttpServer(kind);
  return {
    transport: { type: "streamable-http", url, allowInsecureHttp: true },
    survivors: async () => [],
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A process that is dead and only not yet fetched by its parent does not run. */
async function ifRunning(pid: number): Promise<number | undefined> {
  try {
    process.kill(pid, 0);
  } catch {
    return undefined;
  }
  const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => ""); // Linux only
  return /\) [ZX] /.test(status) ? undefined : pid;
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it has ended in the meantime
  }
}
