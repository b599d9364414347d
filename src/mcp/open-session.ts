import { untilAborted } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import type { JsonObject } from "../base/json.ts";
import type { McpTransport } from "../tool/mcp-server-config.ts";
import { createLink, createOlderLink } from "./create-link.ts";
import { isCustomTransport, type McpCustomTransport } from "./custom-link.ts";
import { McpError } from "./mcp-error.ts";
import { McpSession } from "./mcp-session.ts";
import { retrying } from "./retrying.ts";
import type { ServerLink } from "./server-link.ts";

/** How a session is opened. */
export interface OpenSessionOptions {
  /** The alias of the server. */
  readonly server: string;
  readonly transport: McpTransport | McpCustomTransport;
  /** Whose tokens are sent, where they belong to somebody. */
  readonly actor?: string | undefined;
  /** For the start of the server and the handshake together, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly clock: Clock;
  readonly onNotification?: ((method: string, params: JsonObject) => void) | undefined;
}

/**
 * Starts or reaches a server and shakes hands. Whoever opens the session closes it; what was opened
 * before a failure is closed.
 *
 * @throws McpError, or the signal's reason when it aborts
 */
export async function openSession(options: OpenSessionOptions): Promise<McpSession> {
  const { timeoutMs, signal, clock } = options;
  signal?.throwIfAborted();
  const late = new AbortController();
  const cancelTimer = clock.startTimer(() => late.abort(), timeoutMs);
  const ended = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
  const scope = { clock, signal: ended, until: clock.now() + timeoutMs };
  const open = (link: ServerLink): Promise<McpSession> => openOn(link, options, ended);
  try {
    return await retrying(scope, async () => open(await createLink(options)));
  } catch (error) {
    const older = speaksOlder(error) ? await createOlderLink(options) : undefined;
    if (older === undefined || ended.aborted) {
      throw error;
    }
    return await open(older).catch((second: unknown) => {
      throw ended.aborted ? second : error; // what the configured transport met says more
    });
  } finally {
    cancelTimer();
  }
}

async function openOn(
  link: ServerLink,
  options: OpenSessionOptions,
  ended: AbortSignal,
): Promise<McpSession> {
  const { signal, clock, onNotification } = options;
  const session = new McpSession({ link, clock, onNotification });
  try {
    await untilAborted(session.open(), ended);
    return session;
  } catch (error) {
    await session.abandon();
    signal?.throwIfAborted();
    throw ended.aborted ? tooLate(link, options) : error;
  }
}

/** The statuses by which a server shows that it knows only the older transport. */
const olderStatuses = new Set([400, 404, 405]);

const speaksOlder = (error: unknown): boolean =>
  McpError.is(error) && error.code === "mcp-http" && olderStatuses.has(error.status ?? 0);

function tooLate(
  link: ServerLink,
  { timeoutMs, transport }: Pick<OpenSessionOptions, "timeoutMs" | "transport">,
): McpError {
  const command =
    isCustomTransport(transport) || transport.type !== "stdio" ? undefined : transport.command;
  const facts = link.diagnosis();
  return new McpError(
    `${link.label} did not finish the handshake within ${timeoutMs} ms. ${adviceOn(command)}${facts && `\n${facts}`}`,
    { code: "mcp-timeout", server: link.server },
  );
}

function adviceOn(command: string | undefined): string {
  const launcher = /(?:^|[\\/])(npx|pnpx|bunx|uvx|pipx)(?:\.cmd|\.exe)?$/i.exec(command ?? "")?.[1];
  return launcher === undefined
    ? "Is it an MCP server? If it is slow to start, raise timeoutMs of its configuration."
    : `At its first start ${launcher} downloads the server, which may still be going on: install the server beforehand, or raise timeoutMs of its configuration. If the download needs more of your environment than PATH, certificates and proxies without a password, name it in "env".`;
}
