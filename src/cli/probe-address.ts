import { redactUrl } from "../base/redact-url.ts";
import { openMcpConnection } from "../mcp/connection/open-mcp-connection.ts";
import { McpError } from "../mcp/wire/mcp-error.ts";
import type { McpServerConfig, McpTransport, UrlTransport } from "../tool/mcp-server-config.ts";
import { type Finding, finding } from "./finding.ts";

/** How long each other way is tried, at the most. */
const longestProbeMs = 5_000;

/** A way that a server may be reached by instead. */
interface Candidate {
  readonly type: "streamable-http" | "sse" | "ws";
  readonly url: string;
}

/** Whether a failure is of the kind that a wrong path or transport has. */
export function mayBeElsewhere(thrown: unknown): boolean {
  return (
    McpError.is(thrown) &&
    (thrown.code === "mcp-protocol" ||
      thrown.code === "mcp-connection-closed" ||
      [400, 404, 405, 406, 415, 426, 501].includes(thrown.status ?? 0))
  );
}

/**
 * Looks whether an MCP server answers at the same origin by another transport, or at one of the usual
 * paths. Only that origin is asked, with the credentials that it was to have anyway.
 */
export async function probeAddress(
  config: McpServerConfig & { readonly transport: Exclude<McpTransport, { type: "stdio" }> },
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const { transport } = config;
  const found = await Promise.all(
    candidatesFor(transport).map(async (candidate) =>
      (await answers(config, candidate, signal)) ? [candidate] : [],
    ),
  );
  const [first] = found.flat();
  return first === undefined
    ? []
    : [
        finding("info", "found-elsewhere", {
          message: `An MCP server answers by ${first.type} at ${redactUrl(first.url)}.`,
          advice: `Write "type": "${first.type}" and "url": "${redactUrl(first.url)}".`,
        }),
      ];
}

function candidatesFor({
  type,
  url,
}: UrlTransport & { readonly type: string }): readonly Candidate[] {
  const web = new URL(url);
  web.protocol = web.protocol.replace("ws", "http");
  const socket = new URL(web);
  socket.protocol = socket.protocol.replace("http", "ws");
  const at = (path: string): string => {
    const other = new URL(web);
    other.pathname = path;
    return other.href;
  };
  const base = web.pathname.replace(/\/(?:mcp|sse)?\/?$/, "");
  const all: readonly Candidate[] = [
    { type: "streamable-http", url: web.href },
    { type: "sse", url: web.href },
    { type: "streamable-http", url: at(`${base}/mcp`) },
    { type: "sse", url: at(`${base}/sse`) },
    { type: "ws", url: socket.href },
  ];
  const kind = type === "http" ? "streamable-http" : type === "websocket" ? "ws" : type;
  return all.filter((one) => one.type !== kind || one.url !== new URL(url).href);
}

async function answers(
  config: McpServerConfig & { readonly transport: Exclude<McpTransport, { type: "stdio" }> },
  { type, url }: Candidate,
  signal: AbortSignal,
): Promise<boolean> {
  const { headers, token, auth, signer, allowInsecureHttp, proxy, tls } = config.transport;
  const shared = { headers, token, auth, signer, allowInsecureHttp, proxy, tls };
  const given = Object.fromEntries(
    Object.entries(shared).filter(([, value]) => value !== undefined),
  );
  try {
    const connection = await openMcpConnection(
      {
        name: config.name,
        transport: { type, url, ...given },
        timeoutMs: Math.min(config.timeoutMs ?? longestProbeMs, longestProbeMs),
      },
      { signal },
    );
    await connection.close();
    return true;
  } catch {
    return false; // why not is of no interest: what was configured has failed, and that is told
  }
}
