import type { ProtocolError, SdkError, SdkHttpError } from "@modelcontextprotocol/client";
import { messageOf } from "../base/dragoman-error.ts";
import { isJsonObject, toJson } from "../base/json.ts";
import { McpError, type McpErrorCode, type McpErrorOptions } from "./mcp-error.ts";
import type { ServerLink } from "./protocol-transport.ts";
import { visibleLine } from "./visible-text.ts";

/** The SDK's classes of errors, given by whoever has loaded it. */
export interface ErrorClasses {
  readonly ProtocolError: typeof ProtocolError;
  readonly SdkError: typeof SdkError;
  readonly SdkHttpError: typeof SdkHttpError;
}

/** What an error is about. */
export interface ErrorScope {
  readonly link: ServerLink;
  /** Whether the handshake was under way. */
  readonly connecting: boolean;
}

/** Whatever a request or the handshake failed with, as an {@link McpError} that says what to do. */
export function toMcpError(error: unknown, scope: ErrorScope, classes: ErrorClasses): McpError {
  if (McpError.is(error)) {
    return error;
  }
  if (classes.ProtocolError.isInstance(error)) {
    return McpError.is(error.data) ? error.data : remoteError(error, scope);
  }
  if (classes.SdkHttpError.isInstance(error)) {
    return httpError(error, scope);
  }
  if (classes.SdkError.isInstance(error)) {
    return sdkError(error, scope);
  }
  if (messageOf(error) === "Not connected") {
    return closed(error, scope); // the SDK has no code for it
  }
  if (error instanceof Error && /Zod/.test(error.name)) {
    return make("mcp-protocol", "sent what is not a message of JSON-RPC 2.0", scope, error);
  }
  const systemCode = systemCodeOf(error);
  return systemCode === undefined && !(error instanceof TypeError)
    ? make(
        "mcp-protocol",
        `sent what is not MCP: ${excerpt(messageOf(error), scope)}`,
        scope,
        error,
      )
    : networkError(error, systemCode, scope);
}

function remoteError(error: ProtocolError, scope: ErrorScope): McpError {
  const { code, message, data } = error;
  const remote = { code, message, ...(data === undefined ? {} : { data: toJson(data) }) };
  return new McpError(message, {
    code: "mcp-remote-error",
    server: scope.link.server,
    cause: error,
    remote,
  });
}

function httpError(error: SdkHttpError, scope: ErrorScope): McpError {
  const { status } = error;
  const body = typeof error.data["text"] === "string" ? excerpt(error.data["text"], scope) : "";
  return new McpError(
    `${scope.link.label} ${wordsForStatus(status, error, scope)}.${body && ` It says: ${body}`}`,
    {
      code: "mcp-http",
      server: scope.link.server,
      cause: error,
      status,
    },
  );
}

function wordsForStatus(status: number, error: SdkHttpError, { connecting }: ErrorScope): string {
  switch (status) {
    case 401:
      return `wants credentials, or does not accept those that were given (HTTP 401). Set "token" or "headers" of its transport`;
    case 403:
      return "does not allow this with the given credentials (HTTP 403)";
    case 404:
      return connecting
        ? "is not there (HTTP 404). Check the path of the URL; often it ends with /mcp"
        : "no longer knows the session (HTTP 404). Connect again";
    case 405:
      return "takes no POST there (HTTP 405). Check the path of the URL; it may speak an older transport";
    case 429:
      return "has had too many requests (HTTP 429). Wait before the next one";
    default:
      return status >= 300 && status < 400
        ? `redirects elsewhere (HTTP ${status}). ${visibleLine(error.message.replace(/^[^:]*: /, ""), 300)}`
        : `answered HTTP ${status}`;
  }
}

function sdkError(error: SdkError, scope: ErrorScope): McpError {
  switch (error.code as string) {
    case "CONNECTION_CLOSED":
    case "NOT_CONNECTED":
      return closed(error, scope);
    case "CLIENT_HTTP_UNEXPECTED_CONTENT": {
      const type = isJsonObject(error.data)
        ? visibleLine(String(error.data["contentType"]), 100)
        : "";
      return make(
        "mcp-protocol",
        `answered with the content type ${JSON.stringify(type)} instead of MCP. Check that the URL is that of an MCP endpoint; often it ends with /mcp`,
        scope,
        error,
      );
    }
    default:
      return make(
        "mcp-protocol",
        `broke the protocol: ${excerpt(error.message, scope)}`,
        scope,
        error,
      );
  }
}

function closed(error: unknown, scope: ErrorScope): McpError {
  const reason = scope.connecting ? "closed the connection before it answered" : "is not connected";
  return scope.link.failure() ?? make("mcp-connection-closed", reason, scope, error);
}

function networkError(error: unknown, code: string | undefined, scope: ErrorScope): McpError {
  const isCertificate = code !== undefined && /CERT|SELF_SIGNED|ISSUER|ALTNAME/.test(code);
  const broke = scope.connecting ? "mcp-connect-failed" : "mcp-connection-closed";
  const why = code === undefined ? excerpt(innermostMessage(error), scope) : wordsForCode(code);
  return isCertificate
    ? make("mcp-certificate", `has a certificate that is not to be trusted (${code})`, scope, error)
    : make(broke, `cannot be reached: ${why}`, scope, error);
}

function wordsForCode(code: string): string {
  switch (code) {
    case "ECONNREFUSED":
      return "the connection was refused. Is the server running, and is the port right?";
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "the host name is not known. Check the URL and the network";
    case "ECONNRESET":
    case "EPIPE":
    case "UND_ERR_SOCKET":
      return "it closed the connection without an answer";
    default:
      return `the network reports ${code}`;
  }
}

/** The code of the system or of TLS that lies at the bottom of an error of `fetch`. */
function systemCodeOf(error: unknown): string | undefined {
  const { code, cause } = (error instanceof Error ? error : {}) as {
    code?: unknown;
    cause?: unknown;
  };
  const inner = cause === undefined ? undefined : systemCodeOf(cause);
  return inner ?? (typeof code === "string" ? code : undefined);
}

const innermostMessage = (error: unknown): string =>
  error instanceof Error && error.cause !== undefined
    ? innermostMessage(error.cause)
    : messageOf(error);

const excerpt = (text: string, { link }: ErrorScope): string =>
  visibleLine(link.hide(text.slice(0, 2000)), 200);

function make(code: McpErrorCode, what: string, { link }: ErrorScope, cause: unknown): McpError {
  const facts = link.diagnosis();
  const options: McpErrorOptions = { code, server: link.server, cause };
  const end = /[.?!]$/.test(what) ? "" : ".";
  return new McpError(`${link.label} ${what}${end}${facts && `\n${facts}`}`, options);
}
