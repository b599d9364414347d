import { messageOf } from "../../base/dragoman-error.ts";
import { isJsonObject, parseJson } from "../../base/json.ts";
import { ToolError } from "../../base/tool-error.ts";
import { visibleLine } from "../text/visible-text.ts";
import { McpError, type McpErrorCode } from "./mcp-error.ts";
import { toRemoteError } from "./remote-error.ts";
import type { ServerLink } from "./server-link.ts";

/** What a failure is about. */
export interface FailureScope {
  readonly link: Pick<ServerLink, "server" | "label" | "hide">;
  /** Whether the handshake is not done yet. */
  readonly connecting: boolean;
}

/** An answer that is not a success, as far as it was read. */
export interface Refusal {
  readonly status: number;
  readonly text: string;
  readonly retryAfterMs?: number | undefined;
  /** The request was part of a session. */
  readonly inSession?: boolean;
}

/** What a request on the network failed with, as an {@link McpError} that says what to do. */
export function toLinkFailure(error: unknown, { link, connecting }: FailureScope): McpError {
  if (McpError.is(error)) {
    return error;
  }
  const make = (code: McpErrorCode, what: string): McpError =>
    new McpError(`${link.label} ${what}`, { code, server: link.server, cause: error });
  if (ToolError.is(error) && error.code === "tool-response-too-large") {
    const [limit = "is allowed"] = /\d+ (?:bytes|characters)/.exec(error.message) ?? [];
    return make(
      "mcp-limit",
      `sent more than ${limit.replace("characters", "bytes")} at once. Raise maxResponseBytes of its transport if that is expected.`,
    );
  }
  const code = systemCodeOf(error);
  if (ToolError.is(error) && error.code === "tool-certificate") {
    return make(
      "mcp-certificate",
      `has a certificate that is not to be trusted (${code}). Give the authority that it comes from as "tls": { "ca": … } of its transport.`,
    );
  }
  const why =
    code === undefined ? visibleLine(link.hide(messageOf(error)), 200) : wordsForCode(code);
  return make(
    connecting ? "mcp-connect-failed" : "mcp-connection-closed",
    `cannot be reached: ${why}${/[.?!]$/.test(why) ? "" : "."}`,
  );
}

/** An answer that is not a success, as an {@link McpError} that says what to do. */
export function toRefusal(refusal: Refusal, { link, connecting }: FailureScope): McpError {
  const { status, text, retryAfterMs, inSession = false } = refusal;
  const said = visibleLine(link.hide(text.slice(0, 2000)), 200);
  const words = wordsForStatus(status, connecting, inSession);
  const sent = parseJson(text);
  const isRemote = isJsonObject(sent) && isJsonObject(sent["error"]);
  return new McpError(`${link.label} ${words}.${said && ` It says: ${said}`}`, {
    code: isLostSession(refusal) ? "mcp-session-expired" : "mcp-http",
    server: link.server,
    status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(isRemote
      ? { remote: toRemoteError(sent["error"] ?? null, (said) => link.hide(said)) }
      : {}),
  });
}

/**
 * Whether a server says that it does not know the session: by HTTP 404, whatever is in it, and many that
 * were restarted by a 400 that says so. Neither has run what it was asked.
 */
export function isLostSession({ status, text, inSession = false }: Refusal): boolean {
  if (!inSession || status !== 400) {
    return inSession && status === 404;
  }
  const sent = parseJson(text);
  const error = isJsonObject(sent) ? sent["error"] : undefined;
  const isOfCall = isJsonObject(error) && error["code"] === invalidParams;
  return !isOfCall && lostSessionWords.test(text);
}

const invalidParams = -32_602;

const lostSessionWords =
  /\b(?:no|not|unknown|invalid|missing|expired)\b[^.:]{0,24}\bsession|\bsession\b[^.:]{0,24}\b(?:not|no|expired|invalid|unknown|terminated|closed|required|missing)\b/i;

/** What `Retry-After` asks for (RFC 9110, 10.2.3), in milliseconds. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) {
    return undefined;
  }
  const at = /^\d+$/.test(header) ? now + Number(header) * 1000 : Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

function wordsForStatus(status: number, connecting: boolean, inSession: boolean): string {
  switch (status) {
    case 401:
      return `wants credentials, or does not accept those that were given (HTTP 401). Set "token", "headers" or "auth" of its transport`;
    case 403:
      return "does not allow this with the given credentials (HTTP 403)";
    case 404:
      return inSession
        ? "no longer knows the session (HTTP 404). Connect again"
        : "is not there (HTTP 404). Check the path of the URL; often it ends with /mcp";
    case 405:
      return "does not take this kind of request there (HTTP 405). Check the path of the URL";
    case 429:
      return "has had too many requests (HTTP 429). Wait before the next one";
    default:
      return connecting ? `answered the handshake with HTTP ${status}` : `answered HTTP ${status}`;
  }
}

function wordsForCode(code: string): string {
  switch (code) {
    case "ECONNREFUSED":
      return "the connection was refused. Is the server running, and is the port right?";
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return 'the host name is not known. Check the URL and the network; a proxy is gone by only where "proxy" of the transport names it';
    case "ECONNRESET":
    case "EPIPE":
      return "it closed the connection without an answer. Does the URL have the right scheme (https:, http:) and port?";
    default:
      return `the network reports ${code}`;
  }
}

/** The code of the system or of TLS that lies at the bottom of an error. */
function systemCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) {
    return undefined;
  }
  const inner = systemCodeOf(error.cause);
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  return inner ?? (code !== undefined && /^[A-Z][A-Z0-9_]+$/.test(code) ? code : undefined);
}
