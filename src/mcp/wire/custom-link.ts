import { messageOf } from "../../base/dragoman-error.ts";
import { McpError, type McpErrorCode } from "./mcp-error.ts";
import { type RpcMessage, toRpcMessages } from "./rpc-message.ts";
import type { ServerLink } from "./server-link.ts";

/**
 * A way to a server that the application makes itself, of the shape that the transports of the
 * official SDK have. It is started once, so it serves one connection; it is closed with that.
 */
export interface McpCustomTransport {
  /** Called before any message is sent; the callbacks below are set by then. */
  start(): Promise<void>;
  /** Sends a message of JSON-RPC 2.0. */
  send(message: object): Promise<void>;
  close(): Promise<void>;
  // As properties they take whatever functions a transport declares; we set ones that take anything.
  onmessage?: ((message: never) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  /** Told of the revision that is spoken. */
  setProtocolVersion?: ((version: string) => void) | undefined;
}

/** A server behind a transport of the application's. */
export class CustomLink implements ServerLink {
  onmessage: ServerLink["onmessage"];
  onclose: ServerLink["onclose"];

  readonly server: string;
  readonly label: string;
  readonly #transport: McpCustomTransport;
  #failure: McpError | undefined;
  #lastError: Error | undefined;
  #isClosing = false;
  #finished = false;

  constructor(server: string, transport: McpCustomTransport) {
    this.server = server;
    this.label = `The MCP server "${server}"`;
    this.#transport = transport;
  }

  async start(): Promise<void> {
    const transport = this.#transport;
    transport.onmessage = (message: unknown) => {
      for (const checked of toRpcMessages(message)) {
        this.onmessage?.(checked);
      }
    };
    transport.onerror = (error) => {
      this.#lastError = error;
    };
    transport.onclose = () => this.#finish();
    await this.#calling("mcp-connect-failed", "cannot be reached", () => transport.start());
  }

  send(message: RpcMessage): Promise<void> {
    return this.#calling("mcp-connection-closed", "cannot be sent a message", () =>
      this.#transport.send(message),
    );
  }

  ready(protocolVersion: string): void {
    this.#transport.setProtocolVersion?.(protocolVersion);
  }

  failure(): McpError | undefined {
    return this.#failure;
  }

  diagnosis(): string {
    return this.#lastError === undefined
      ? ""
      : `Its transport reported: ${messageOf(this.#lastError)}`;
  }

  hide(text: string): string {
    return text;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#transport.close().catch(() => {}); // what is left of it is the application's
    this.#finish();
  }

  abandon(): Promise<void> {
    return this.close();
  }

  async #calling(code: McpErrorCode, what: string, call: () => Promise<void>): Promise<void> {
    try {
      await call();
    } catch (cause) {
      throw new McpError(`${this.label} ${what}: ${messageOf(cause)}`, {
        code,
        server: this.server,
        cause,
      });
    }
  }

  #finish(): void {
    if (this.#finished) {
      return;
    }
    this.#finished = true;
    if (!this.#isClosing) {
      this.#failure = new McpError(`${this.label} closed the connection. ${this.diagnosis()}`, {
        code: "mcp-connection-closed",
        server: this.server,
      });
    }
    this.onclose?.();
  }
}

/** Whether `value` is a transport of the application's, rather than the description of one. */
export function isCustomTransport(value: unknown): value is McpCustomTransport {
  const { start, send, close }: Partial<Record<string, unknown>> =
    typeof value === "object" && value !== null ? { ...methodsOf(value) } : {};
  return [start, send, close].every((method) => typeof method === "function");
}

const methodsOf = (value: object): Record<string, unknown> => ({
  start: Reflect.get(value, "start"),
  send: Reflect.get(value, "send"),
  close: Reflect.get(value, "close"),
});
