import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { McpError } from "./mcp-error.ts";

/** A JSON-RPC message. */
export type RpcMessage = JSONRPCMessage;

/**
 * The way to one server: a transport of the SDK, which also knows why it ended and what to say about
 * the other side. It is started once.
 */
export interface ServerLink extends Transport {
  /** The alias of the server. */
  readonly server: string;
  /** The server as the beginning of a sentence, such as `The MCP server "a" at https://a.example/`. */
  readonly label: string;
  /** Why the connection ended, where it was not we who closed it. */
  failure(): McpError | undefined;
  /** What is known of the other side and helps whoever reads an error; it may be empty. */
  diagnosis(): string;
  /** A text of the server's without the credentials that were given to it. */
  hide(text: string): string;
  /** Ends it in good order and resolves when nothing of it is left. Never rejects. */
  close(): Promise<void>;
  /** Ends it with little patience, for a connection that did not come about. Never rejects. */
  abandon(): Promise<void>;
}
