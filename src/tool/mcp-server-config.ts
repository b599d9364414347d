import type { SandboxSettings } from "../base/sandbox-settings.ts";
import type { McpLimits } from "./mcp-limits.ts";
import type { McpOAuth } from "./mcp-oauth.ts";
import type { PinsSetting } from "./tool-pins.ts";

/** An MCP server that is started as a child process and spoken to over its standard streams. */
export interface StdioTransport {
  readonly type: "stdio";
  /** The program; looked up in the child's own PATH. No shell is involved. */
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to the small safe set that the child inherits (PATH, HOME, …); nothing else is passed on. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the current folder. */
  readonly cwd?: string;
  /**
   * Starts it in a sandbox (Linux, with bubblewrap installed): it sees the system's programs and the
   * folders that are named here, and has no network unless it inherits ours. Of our environment it has
   * no more than the part of PATH that it sees, and proxies where it has the network. Where no sandbox can be
   * made, it is not started.
   */
  readonly sandbox?: SandboxSettings;
  /** The longest message that is read, in bytes. Default 10 MiB. */
  readonly maxResponseBytes?: number;
}

/** What the transports behind a URL have in common. */
export interface UrlTransport {
  readonly url: string;
  /** Sent with every request to this server and to no other origin. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Short for an `Authorization: Bearer` header. */
  readonly token?: string;
  /** The same for a token that changes: it is asked for with every request, or had by OAuth. */
  readonly auth?: TokenSource | McpOAuth;
  /** Called last with every request, redirects included; what it returns is added to the headers. */
  readonly signer?: RequestSigner;
  /** Allows `http:` (and `ws:`) URLs. Default false: only `https:` and `wss:`. */
  readonly allowInsecureHttp?: boolean;
  /** The longest answer, event of a stream of events, or WebSocket message that is read. Default 10 MiB. */
  readonly maxResponseBytes?: number;
  /** The `http:` or `https:` URL of a proxy that every request goes through. */
  readonly proxy?: string;
  /** How the server's certificate is checked, and what it is shown. */
  readonly tls?: TransportTls;
}

/** Gives the token of a request. */
export interface TokenSource {
  token(): string | Promise<string>;
}

/** Makes headers of a request as it goes out, a signature above all. */
export type RequestSigner = (
  request: RequestToSign,
) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;

/** A request as it goes out. */
export interface RequestToSign {
  readonly method: string;
  readonly url: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The very bytes that are sent; empty where there is no body. */
  readonly body: Uint8Array;
}

/** Settings of TLS, for servers whose certificate comes from an authority of one's own. */
export interface TransportTls {
  /** Certificates (PEM) that are trusted instead of the well-known ones. */
  readonly ca?: string | readonly string[];
  /** Our own certificate (PEM), for a server that asks for one. */
  readonly cert?: string;
  /** The private key (PEM) of `cert`. */
  readonly key?: string;
  /** Whether a certificate that cannot be trusted ends the connection. Default true. */
  readonly rejectUnauthorized?: boolean;
}

/**
 * An MCP server behind one HTTP endpoint (MCP 2025-11-25, basic/transports). Where it answers the
 * handshake with 400, 404 or 405, the older transport {@link SseTransport} is tried at the same URL.
 */
export interface HttpTransport extends UrlTransport {
  /** `http` is another word for `streamable-http`. */
  readonly type: "streamable-http" | "http";
  /**
   * Whether the server is told, by an HTTP DELETE, that its session ends when the connection is
   * closed. Default true. Since revision 2026-07-28 there are no sessions to end.
   */
  readonly terminateSession?: boolean;
}

/**
 * An MCP server of revision 2024-11-05: a stream of events to read from, and an endpoint to post to,
 * which the stream names. Where there is no stream at `url`, it is looked for at `<url>/sse`.
 */
export interface SseTransport extends UrlTransport {
  readonly type: "sse";
  /** Where to post, of the same origin as `url`, for a server behind a gateway that names it wrongly. */
  readonly messagesUrl?: string;
}

/** An MCP server on a WebSocket of the subprotocol `mcp`: one JSON-RPC message a text message. */
export interface WebSocketTransport extends UrlTransport {
  /** `websocket` is another word for `ws`. */
  readonly type: "ws" | "websocket";
}

/** How an MCP server is reached. */
export type McpTransport = StdioTransport | HttpTransport | SseTransport | WebSocketTransport;

/**
 * Which revisions of MCP are spoken with a server: those up to 2025-11-25, which begin with a
 * handshake (`"legacy"`); the one without, in which each request stands for itself (`"2026-07-28"`);
 * or what the server turns out to speak, the newer one where it knows both (`"auto"`).
 */
export type McpProtocol = "auto" | "legacy" | "2026-07-28";
/** What is done with what a server says on its use: a stranger's text for the system prompt. */
export type InstructionsPolicy = "off" | "include";

/** An MCP server as plain data. The kernel only carries it; `dragoman/mcp` makes a toolset of it. */
export interface McpServerConfig {
  /** Unique alias of the server in this application. */
  readonly name: string;
  /** What the server is about; discovery scores it. */
  readonly description?: string;
  readonly transport: McpTransport;
  /** For connecting and for each request, in milliseconds. Default 15 000. */
  readonly timeoutMs?: number;
  /** How much is taken of the server. */
  readonly limits?: McpLimits;
  /**
   * Default: `"auto"` over streamable HTTP, else `"legacy"`, since some programs end when they are
   * asked for what they do not know.
   */
  readonly protocol?: McpProtocol;
  /** Tools that the server publishes and that are not had, by its own names. */
  readonly disabledTools?: readonly string[];
  /** Whether its tools must be as they were pinned. Default: what is configured for all, else `"off"`. */
  readonly pins?: PinsSetting;
  /** Whether the model is told what the server says on its use, in a fence. Default `"off"`. */
  readonly instructions?: InstructionsPolicy;
}
