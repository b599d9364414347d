import type { McpConnection } from "../connection/mcp-connection.ts";
import { McpError } from "../wire/mcp-error.ts";

/** What a toolset uses of a connection to its server. */
export type UsedServer = Pick<
  McpConnection,
  "listTools" | "currentTools" | "callTool" | "serverInfo" | "instructions"
>;

/**
 * A connection with what a transport function gave for it. When the server does not take that any more,
 * a token that has expired above all, whoever keeps the connection should ask the function again.
 */
export class GivenCredentials implements UsedServer {
  /** Whether the server has answered that it does not take them (HTTP 401). */
  areRefused = false;
  readonly #connection: McpConnection;

  constructor(connection: McpConnection) {
    this.#connection = connection;
  }

  get serverInfo(): McpConnection["serverInfo"] {
    return this.#connection.serverInfo;
  }

  get instructions(): string | undefined {
    return this.#connection.instructions;
  }

  listTools: McpConnection["listTools"] = (scope) =>
    this.#noting(this.#connection.listTools(scope));

  currentTools: McpConnection["currentTools"] = (scope) =>
    this.#noting(this.#connection.currentTools(scope));

  callTool: McpConnection["callTool"] = (...call) =>
    this.#noting(this.#connection.callTool(...call));

  async #noting<Value>(work: Promise<Value>): Promise<Value> {
    try {
      return await work;
    } catch (error) {
      this.areRefused ||= McpError.is(error) && error.status === 401;
      throw error;
    }
  }
}
