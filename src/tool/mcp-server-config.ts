import type { McpLimits } from "./mcp-limits.ts";

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
}

/** An MCP server behind a URL. */
export interface HttpTransport {
  /** `http` is another word for `streamable-http`. */
  readonly type: "streamable-http" | "http";
  readonly url: string;
  /** Sent with every request to this server and to no other origin. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Short for an `Authorization: Bearer` header. */
  readonly token?: string;
  /** Allows `http:` URLs. Default false: only `https:`. */
  readonly allowInsecureHttp?: boolean;
  /** The longest answer, or event of a stream of events, that is read. Default 10 MiB. */
  readonly maxResponseBytes?: number;
}

/** How an MCP server is reached. */
export type McpTransport = StdioTransport | HttpTransport;

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
}
