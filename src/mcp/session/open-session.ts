import { untilAborted } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import type { ActiveSpan } from "../../base/tracing.ts";
import type { McpProtocol, McpTransport } from "../../tool/mcp-server-config.ts";
import { createLink, createOlderLink } from "../links/create-link.ts";
import { isCustomTransport, type McpCustomTransport } from "../wire/custom-link.ts";
import { McpError } from "../wire/mcp-error.ts";
import { spokenOver } from "../wire/protocol-version.ts";
import type { ServerLink } from "../wire/server-link.ts";
import type { SpokenProtocols } from "../wire/spoken-protocols.ts";
import { McpSession } from "./mcp-session.ts";
import { retrying } from "./retrying.ts";
import type { McpLogLevel } from "./server-log.ts";
import type { ServerRequests } from "./server-requests.ts";
import { SessionTracing } from "./session-tracing.ts";

/** How a session is opened. */
export interface OpenSessionOptions {
  /** The alias of the server. */
  readonly server: string;
  readonly transport: McpTransport | McpCustomTransport;
  /** Which revisions are spoken. Default: as is usual for the transport. */
  readonly protocol?: McpProtocol | undefined;
  /** What is known of servers that were asked before; what is found is added. */
  readonly spoken: SpokenProtocols;
  /** What the server may ask of us. */
  readonly requests: ServerRequests;
  readonly logLevel?: McpLogLevel | undefined;
  readonly onNotice?: ((code: string, message: string) => void) | undefined;
  /** Whose tokens are sent, where they belong to somebody. */
  readonly actor?: string | undefined;
  /** What the session is opened for, where somebody traces. */
  readonly span?: ActiveSpan | undefined;
  /** For the start of the server and the handshake together, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly clock: Clock;
  readonly onNotification?: ((method: string, params: JsonObject) => void) | undefined;
}

/** Silence for this part of the time that there is shows a server that does not know the question. */
const patience = 1 / 3;

/**
 * Starts or reaches a server and greets it: by the handshake, or by the question that takes its place
 * since 2026-07-28. Whoever opens the session closes it; what was opened before a failure is closed.
 *
 * @throws McpError, or the signal's reason when it aborts
 */
export async function openSession(options: OpenSessionOptions): Promise<McpSession> {
  const { transport, timeoutMs, signal, clock, spoken } = options;
  signal?.throwIfAborted();
  const late = new AbortController();
  const cancelTimer = clock.startTimer(() => late.abort(), timeoutMs);
  const ended = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
  const until = clock.now() + timeoutMs;
  const wanted = spokenOver(transport, options.protocol);
  const protocol = wanted === "auto" ? (spoken.of(transport) ?? wanted) : wanted;
  try {
    const session = await retrying({ clock, signal: ended, until }, () =>
      openAs(protocol, options, ended),
    );
    if (wanted === "auto") {
      spoken.keep(transport, session.isStateless ? "auto" : "legacy");
    }
    return session;
  } catch (error) {
    if (protocol === "legacy" && wanted === "auto") {
      spoken.forget(transport); // it may be another server by now
    }
    throw error;
  } finally {
    cancelTimer();
  }
}

/** Opens the session on the transport as configured, else on the older one in its place. */
async function openAs(
  protocol: McpProtocol,
  options: OpenSessionOptions,
  ended: AbortSignal,
): Promise<McpSession> {
  const { transport } = options;
  const open = async (spoken: McpProtocol): Promise<McpSession> =>
    openOn(await createLink(options), { ...options, protocol: spoken }, ended);
  try {
    return await open(protocol).catch((error: unknown) => {
      if (protocol === "auto" && isGone(error, transport) && !ended.aborted) {
        return open("legacy"); // a program may end over a question that it does not know
      }
      throw error;
    });
  } catch (error) {
    const older =
      protocol !== "2026-07-28" && speaksOlder(error) ? await createOlderLink(options) : undefined;
    if (older === undefined || ended.aborted) {
      throw error;
    }
    return await openOn(older, { ...options, protocol: "legacy" }, ended).catch(
      (second: unknown) => {
        throw ended.aborted ? second : error; // what the configured transport met says more
      },
    );
  }
}

async function openOn(
  link: ServerLink,
  options: OpenSessionOptions & { readonly protocol: McpProtocol },
  ended: AbortSignal,
): Promise<McpSession> {
  const { signal, clock, onNotification, onNotice, requests, logLevel, protocol, span } = options;
  const tracing = new SessionTracing(span, link, options.transport);
  const own = { onNotification, onNotice, requests, logLevel, tracing };
  const session = new McpSession({ link, clock, ...own });
  const patienceMs = protocol === "auto" ? options.timeoutMs * patience : undefined;
  try {
    await untilAborted(session.open({ protocol, patienceMs }), ended);
    return session;
  } catch (error) {
    await session.abandon();
    signal?.throwIfAborted();
    throw ended.aborted ? tooLate(link, options) : error;
  }
}

const isGone = (error: unknown, transport: OpenSessionOptions["transport"]): boolean =>
  !isCustomTransport(transport) &&
  transport.type === "stdio" &&
  McpError.is(error) &&
  error.code === "mcp-connection-closed";

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
  const facts = link.diagnosis?.() ?? "";
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
