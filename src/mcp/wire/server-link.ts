import type { McpError } from "./mcp-error.ts";
import type { RpcId, RpcMessage } from "./rpc-message.ts";

/** Lines that are no messages. */
export interface StrayOutput {
  readonly lines: number;
  /** The last of them, without secrets. */
  readonly last: string;
}

/**
 * The way to one server. It carries messages, knows why it ended, and what to say about the other
 * side. It is started once, and of no use after its end.
 */
export interface ServerLink {
  /** The alias of the server. */
  readonly server: string;
  /** The server as the beginning of a sentence, such as `The MCP server "a" at https://a.example/`. */
  readonly label: string;
  /** Called with each message; set before the start. */
  onmessage: ((message: RpcMessage) => void) | undefined;
  /** Called once when nothing can come any more, whoever ended it; set before the start. */
  onclose: (() => void) | undefined;
  /** Starts or reaches the server. @throws McpError */
  start(): Promise<void>;
  /**
   * Sends a message. Where each request has an exchange of its own (HTTP), it settles with the
   * exchange, and rejects where that ends without the answer; else it settles once it is written.
   * `headers` go beside it where the wire has such.
   *
   * @throws McpError
   */
  send(message: RpcMessage, headers?: Readonly<Record<string, string>>): Promise<void>;
  /** The id that the server has given the session, once it has. */
  readonly sessionId?: string | undefined;
  /** Whether each request has an exchange of its own, whose end tells the server that nobody waits. */
  readonly hasExchanges?: boolean;
  /** Nobody waits any longer for the answer to this request. */
  forget?(id: RpcId): void;
  /** What is sent from now on is of this revision, without a handshake; `undefined`: one follows. */
  speak?(protocolVersion: string | undefined): void;
  /** The server has said what it is: this revision is spoken from now on. */
  ready?(protocolVersion: string): void;
  /** The handshake is done: the server may now speak of its own accord. */
  listen?(): void;
  /** Why the connection ended, where it was not we who closed it. */
  failure(): McpError | undefined;
  /** What is known of the other side and helps whoever reads an error, where there is such; it may be empty. */
  diagnosis?(): string;
  /** What a program wrote to its standard output that is not JSON-RPC, where it did. */
  strayOutput?(): StrayOutput | undefined;
  /** A text of the server's without the credentials that were given to it. */
  hide(text: string): string;
  /** Ends it in good order and resolves when nothing of it is left. Never rejects. */
  close(): Promise<void>;
  /** Ends it with little patience, for a connection that did not come about. Never rejects. */
  abandon(): Promise<void>;
}
