import type { Clock } from "../base/clock.ts";
import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import { version } from "../base/version.ts";
import type { ToolProgress } from "../tool/tool.ts";
import { McpError, type McpErrorCode, type RemoteError } from "./mcp-error.ts";
import { isProtocolVersion, newestCommonVersion, protocolVersions } from "./protocol-version.ts";
import { RateLimit } from "./rate-limit.ts";
import { toRemoteError } from "./remote-error.ts";
import { type RequestOptions, RequestTable } from "./request-table.ts";
import {
  isRpcAnswer,
  isRpcRequest,
  type RpcAnswer,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
} from "./rpc-message.ts";
import type { ServerLink } from "./server-link.ts";
import { visibleLine } from "./visible-text.ts";

/** What a session is made of. */
export interface McpSessionOptions {
  readonly link: ServerLink;
  readonly clock: Clock;
  /** Hears of notifications other than progress, at most 1 000 a second. */
  readonly onNotification?: ((method: string, params: JsonObject) => void) | undefined;
}

/** What a server says of itself in the handshake. */
export interface ServerGreeting {
  /** The revision that both speak. */
  readonly protocolVersion: string;
  readonly capabilities: JsonObject;
  readonly serverInfo: { readonly name: string; readonly version: string } | undefined;
  /** What the server says on its use: a stranger's text. */
  readonly instructions: string | undefined;
}

/** Who we say we are. */
const clientInfo = { name: "dragoman", version };

/** What a server is told of a request that we no longer wait for. The caller's reason is not its business. */
const cancelNotice = "The client no longer waits for the result.";

/** As many notifications and requests of a server's are heeded in a second; the rest is dropped. */
const messagesPerSecond = 1000;

const methodNotFound = -32_601;

/**
 * One session with a server: the handshake (MCP 2025-11-25, basic/lifecycle), and requests, any
 * number at once. Frames are checked by hand, because a check by schemas costs more than all the
 * rest; what is in a result is checked by whoever asked for it.
 *
 * No capabilities are advertised: a server that asks for roots, sampling or elicitation is told that
 * there is no such method; a ping is answered.
 */
export class McpSession {
  readonly link: ServerLink;
  readonly #options: McpSessionOptions;
  readonly #requests: RequestTable;
  readonly #rate: RateLimit;
  #greeting: ServerGreeting | undefined;
  #strays = 0;
  #over = false;

  constructor(options: McpSessionOptions) {
    const { link, clock } = options;
    this.link = link;
    this.#options = options;
    this.#rate = new RateLimit(clock, messagesPerSecond);
    this.#requests = new RequestTable({
      clock,
      onGivenUp: (id, method) => this.#giveUp(id, method),
      tooLate: (method, limitMs) =>
        this.#error("mcp-timeout", `did not answer ${method} within ${limitMs} ms`),
    });
    link.onmessage = (message) => this.#receive(message);
    link.onclose = () => {
      this.#over = true;
      this.#requests.rejectAll(() => this.#closed());
    };
  }

  /** What the server said in the handshake. Only after it. */
  get greeting(): ServerGreeting {
    if (this.#greeting === undefined) {
      throw new Error("The handshake is not done.");
    }
    return this.#greeting;
  }

  /** Whether the connection has ended. */
  get isOver(): boolean {
    return this.#over;
  }

  /** Resolves when no request waits for its answer. */
  whenIdle(): Promise<void> {
    return this.#requests.whenEmpty();
  }

  /**
   * Starts the link and shakes hands. A server that refuses our revision and names others is asked
   * once more, for the newest that both know.
   *
   * @throws McpError
   */
  async open(): Promise<void> {
    await this.link.start();
    const result = await this.#initialize();
    this.#greeting = this.#toGreeting(result);
    this.link.ready?.(this.#greeting.protocolVersion);
    await this.link.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    this.link.listen?.();
  }

  /**
   * Sends a request and gives the result as the server sent it. When the signal aborts it rejects at
   * once with its reason, and the server is told that nobody waits.
   *
   * @throws McpError
   */
  request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    if (this.#over) {
      return Promise.reject(this.#closed());
    }
    return this.#requests.add(method, options, (id) => {
      const asked = options.onProgress === undefined ? params : withProgressToken(params, id);
      return this.link.send({ jsonrpc: "2.0", id, method, params: asked });
    });
  }

  /** Ends the session and the server's process. It does not reject. */
  close(): Promise<void> {
    return this.link.close();
  }

  /** The same with little patience. */
  abandon(): Promise<void> {
    return this.link.abandon();
  }

  async #initialize(): Promise<JsonObject> {
    const ask = (protocolVersion: string): Promise<JsonObject> =>
      this.request("initialize", { protocolVersion, capabilities: {}, clientInfo }, {});
    const [newest] = protocolVersions;
    try {
      return await ask(newest);
    } catch (error) {
      const common = McpError.is(error) ? newestCommonVersion(error, newest) : undefined;
      if (common === undefined) {
        throw this.#refusal(error);
      }
      return ask(common).catch((second: unknown) => {
        throw this.#refusal(second);
      });
    }
  }

  #toGreeting(result: JsonObject): ServerGreeting {
    const { protocolVersion, capabilities, serverInfo, instructions } = result;
    if (typeof protocolVersion !== "string" || !isProtocolVersion(protocolVersion)) {
      throw this.#error(
        "mcp-protocol",
        `speaks the revision ${visibleLine(String(JSON.stringify(protocolVersion)), 40)} of MCP, which is not known. Known are ${protocolVersions.join(", ")}`,
      );
    }
    return {
      protocolVersion,
      capabilities: isJsonObject(capabilities) ? capabilities : {},
      serverInfo: toServerInfo(serverInfo),
      instructions: typeof instructions === "string" ? instructions : undefined,
    };
  }

  /** Why the handshake failed, where the server itself refused it. */
  #refusal(error: unknown): unknown {
    if (!McpError.is(error) || error.code !== "mcp-remote-error") {
      return error;
    }
    const said = visibleLine(this.link.hide(error.message), 300);
    return this.#error("mcp-remote-error", `refuses the handshake: ${said}`, error.remote);
  }

  #receive(message: RpcMessage): void {
    if (isRpcAnswer(message)) {
      this.#settle(message);
    } else if (isProgress(message)) {
      const { progressToken, ...progress } = message.params ?? {};
      this.#requests.progress(progressToken, this.#rate.pass() ? toProgress(progress) : undefined);
    } else if (this.#rate.pass()) {
      if (isRpcRequest(message)) {
        this.#answer(message);
      } else {
        this.#options.onNotification?.(message.method, message.params ?? {});
      }
    }
  }

  #settle({ id, result, error }: RpcAnswer): void {
    if (!this.#requests.has(id)) {
      this.#strays += 1;
    } else if (isJsonObject(result)) {
      this.#requests.resolve(id, result);
    } else if (error === undefined) {
      const what = "answered with neither a result that is an object nor an error";
      this.#requests.reject(id, this.#error("mcp-protocol", what));
    } else {
      const remote = toRemoteError(error);
      this.#requests.reject(
        id,
        new McpError(remote.message, {
          code: "mcp-remote-error",
          server: this.link.server,
          remote,
        }),
      );
    }
  }

  /** Whatever a server asks is answered: its connection may hang on it. */
  #answer({ id, method }: RpcRequest): void {
    const error = { code: methodNotFound, message: "Method not found" };
    const answer: RpcAnswer =
      method === "ping" ? { jsonrpc: "2.0", id, result: {} } : { jsonrpc: "2.0", id, error };
    this.link.send(answer).catch(() => {}); // what matters also fails a request of ours
  }

  #giveUp(id: number, method: string): void {
    this.link.forget?.(id);
    if (method === "initialize") {
      return; // it must not be cancelled
    }
    const params = { requestId: id, reason: cancelNotice };
    this.link.send({ jsonrpc: "2.0", method: "notifications/cancelled", params }).catch(() => {}); // nobody waits
  }

  #closed(): McpError {
    const what =
      this.#greeting === undefined
        ? "closed the connection before it answered"
        : "is not connected";
    return this.link.failure() ?? this.#error("mcp-connection-closed", what);
  }

  #error(code: McpErrorCode, what: string, remote?: RemoteError): McpError {
    const { server, label } = this.link;
    const facts = code === "mcp-remote-error" ? "" : this.#diagnosis();
    return new McpError(`${label} ${what}.${facts && `\n${facts}`}`, {
      code,
      server,
      ...(remote === undefined ? {} : { remote }),
    });
  }

  #diagnosis(): string {
    const { refused } = this.#rate;
    const facts = [
      ...(this.#strays === 0
        ? []
        : [`It sent ${this.#strays} answer(s) to nothing that was asked.`]),
      ...(refused === 0 ? [] : [`It sent too many notifications; ${refused} were dropped.`]),
      this.link.diagnosis(),
    ];
    return facts.filter((fact) => fact !== "").join("\n");
  }
}

function withProgressToken(params: JsonObject, progressToken: number): JsonObject {
  const meta = params["_meta"];
  return { ...params, _meta: { ...(isJsonObject(meta) ? meta : {}), progressToken } };
}

const isProgress = (message: RpcNotification | RpcRequest): boolean =>
  message.method === "notifications/progress" && !("id" in message);

function toProgress({ progress, total, message }: JsonObject): ToolProgress | undefined {
  if (typeof progress !== "number") {
    return undefined;
  }
  return {
    progress,
    ...(typeof total === "number" ? { total } : {}),
    ...(typeof message === "string" ? { message: visibleLine(message, 500) } : {}),
  };
}

function toServerInfo(info: Json | undefined): ServerGreeting["serverInfo"] {
  return isJsonObject(info)
    ? {
        name: visibleLine(String(info["name"] ?? ""), 100),
        version: visibleLine(String(info["version"] ?? ""), 100),
      }
    : undefined;
}
