import { checkNumbers } from "../../base/check-numbers.ts";
import { systemClock } from "../../base/clock.ts";
import { messageOf } from "../../base/dragoman-error.ts";
import { isDeeperThan, type JsonObject } from "../../base/json.ts";
import { type ConnectAttempt, shareOf } from "../connection/connect-attempt.ts";
import { McpConnection } from "../connection/mcp-connection.ts";
import type {
  CallToolOptions,
  ListToolsScope,
  McpConnectionConfig,
} from "../connection/mcp-connection-config.ts";
import type { McpEvents } from "../connection/server-events.ts";
import {
  type McpCompletion,
  type McpCompletionReference,
  type McpPrompt,
  type McpResource,
  type McpResourceTemplate,
  toCompletion,
} from "../connection/server-offer.ts";
import { toldToAll } from "../connection/told-to-all.ts";
import { type ListEntriesOptions, listEntries } from "../definitions/list-entries.ts";
import type { McpToolDefinition } from "../definitions/tool-definition.ts";
import type { McpCallResult } from "../results/to-tool-result.ts";
import { visibleJson } from "../text/visible-json.ts";
import { visibleText } from "../text/visible-text.ts";
import { McpError } from "../wire/mcp-error.ts";
import { resolveLimits } from "../wire/mcp-limits.ts";
import { SpokenProtocols } from "../wire/spoken-protocols.ts";
import { checkClientOptions, checkedClientConfig } from "./check-client-config.ts";
import type { McpClientOptions, McpRequestOptions } from "./mcp-client-options.ts";

/**
 * A client of one MCP server, for use without an agent. Any number of requests can run at once.
 *
 * Connecting is the caller's business, and so is `disconnect`. Over a URL, a session that the server
 * has forgotten or a stream that broke is opened anew by the next request; a program that has ended is
 * started again by `connect` only. Whatever fails is an {@link McpError}: one without a connection
 * has the code `mcp-not-connected`; an abort is the signal's reason.
 */
export class McpClient implements AsyncDisposable {
  /** The alias of the server. */
  readonly name: string;
  readonly #config: McpConnectionConfig;
  readonly #options: McpClientOptions;
  readonly #spoken = new SpokenProtocols();
  readonly #listeners = new Set<McpEvents>();
  readonly #uris = new Set<string>();
  #connection: McpConnection | undefined;
  #attempt: ConnectAttempt | undefined;
  #connectError: unknown;
  /** Ends what is being opened in the place of another. */
  #leaving = new AbortController();

  /** @throws ConfigurationError where the configuration is at fault; it says what is allowed. */
  constructor(config: McpConnectionConfig, options: McpClientOptions = {}) {
    this.#config = checkedClientConfig(config);
    checkClientOptions(options, config.name);
    this.#options = options;
    this.#listeners.add(options);
    this.name = config.name;
  }

  /** Whether requests can be sent. */
  get connected(): boolean {
    return this.#connection?.isOpen ?? false;
  }

  /** Why the last try to connect failed, until one succeeds. */
  get connectError(): unknown {
    return this.#connectError;
  }

  /** The server as it names itself, once connected. */
  get serverInfo(): { readonly name: string; readonly version: string } | undefined {
    return this.#connection?.greeting.serverInfo;
  }

  /** What the server can do, in MCP's words, once connected. */
  get capabilities(): JsonObject | undefined {
    return this.#connection?.greeting.capabilities;
  }

  /** What the server says on its use, once connected: a stranger's text, of which nothing is invisible. */
  get instructions(): string | undefined {
    const instructions = this.#connection?.greeting.instructions;
    return instructions === undefined ? undefined : visibleText(instructions);
  }

  /** The revision of MCP that both speak, such as `2025-11-25`, once connected. */
  get protocolVersion(): string | undefined {
    return this.#connection?.greeting.protocolVersion;
  }

  /**
   * Starts or reaches the server and shakes hands. Connected already, it does nothing; several calls
   * at once make one connection. After a failure nothing is left, and it may be tried again.
   *
   * @throws McpError, or the signal's reason
   */
  async connect({ signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    signal?.throwIfAborted();
    if (this.connected) {
      return;
    }
    this.#attempt ??= this.#startAttempt();
    await shareOf(this.#attempt, signal);
  }

  /** The same, but a failure is kept in `connectError`. Resolves with whether it is connected. */
  async tryConnect(options: { readonly signal?: AbortSignal } = {}): Promise<boolean> {
    try {
      await this.connect(options);
    } catch (error) {
      this.#connectError = error;
    }
    return this.connected;
  }

  /**
   * Connects anew and lists the tools, and only then ends the connection there was, with whatever is
   * under way on it. Where it fails, that one stays. Resolves with the tools: a server that greets but
   * does not give its tools is not connected again.
   *
   * @throws McpError, or the signal's reason
   */
  async reconnect(options: ListToolsScope = {}): Promise<readonly McpToolDefinition[]> {
    const left = this.#leaving.signal;
    const signal = options.signal === undefined ? left : AbortSignal.any([options.signal, left]);
    const fresh = this.#create();
    try {
      await fresh.open(signal);
      const tools = await fresh.listTools({ ...options, signal });
      signal.throwIfAborted();
      const before = this.#connection;
      this.#connection = fresh;
      this.#connectError = undefined;
      await Promise.all([before?.close(), this.#endAttempt(), this.#follow()]);
      return tools;
    } catch (error) {
      await fresh.abandon();
      throw error;
    }
  }

  /**
   * Hears of what the server tells, beside the listeners in the options, until the function that is
   * returned is called.
   */
  listen(listener: McpEvents): () => void {
    this.#listeners.add(listener);
    void this.#follow().catch(() => {}); // lists only, which no server refuses to tell of
    return () => {
      this.#listeners.delete(listener);
      void this.#follow().catch(() => {});
    };
  }

  /**
   * Wants to be told (`onResourceUpdated`) when what is behind a URI changes, also in connections to
   * come. It resolves once the server has taken it up.
   */
  async subscribeResource(uri: string): Promise<void> {
    this.#live();
    this.#uris.add(uri);
    await this.#follow().catch((error: unknown) => {
      this.#uris.delete(uri);
      throw error;
    });
  }

  /** Wants to be told no longer. */
  async unsubscribeResource(uri: string): Promise<void> {
    this.#uris.delete(uri);
    await this.#follow();
  }

  /** All usable tools; `notice` hears of what was left out or changed. */
  async listTools(options: ListToolsScope = {}): Promise<readonly McpToolDefinition[]> {
    return this.#live().listTools(options);
  }

  /** The tools as they were listed last, listed again where the server has said that they changed. */
  async currentTools(
    options: Pick<ListToolsScope, "signal"> = {},
  ): Promise<readonly McpToolDefinition[]> {
    return this.#live().currentTools(options);
  }

  /**
   * Calls a tool by the server's own name. An error that the tool reports is a result with `isError`;
   * one that the protocol reports is thrown. Progress starts the time limit anew, up to 20 times.
   */
  async callTool(
    name: string,
    args: JsonObject = {},
    options: CallToolOptions = {},
  ): Promise<McpCallResult> {
    this.#check(options);
    try {
      return await this.#live().callTool(name, args, options);
    } catch (error) {
      throw faultOfArguments(name, args, this.name) ?? error;
    }
  }

  /** All resources. What is malformed is left out, and so is what is invisible in their texts. */
  async listResources(options: McpRequestOptions = {}): Promise<readonly McpResource[]> {
    const found = await this.#list("resources/list", "resources", "uri", options);
    return found as readonly McpResource[]; // each has the uri; the rest is the server's claim
  }

  /** All resource templates. What is malformed is left out. */
  async listResourceTemplates(
    options: McpRequestOptions = {},
  ): Promise<readonly McpResourceTemplate[]> {
    const method = "resources/templates/list";
    const found = await this.#list(method, "resourceTemplates", "uriTemplate", options);
    return found as readonly McpResourceTemplate[]; // each has the template
  }

  /** What is behind a URI: the result with its `contents`, in which no text is invisible. */
  async readResource(uri: string, options: McpRequestOptions = {}): Promise<JsonObject> {
    return visibleOffer(await this.#request("resources/read", { uri }, options));
  }

  /** All prompts. What is malformed is left out. */
  async listPrompts(options: McpRequestOptions = {}): Promise<readonly McpPrompt[]> {
    const found = await this.#list("prompts/list", "prompts", "name", options);
    return found as readonly McpPrompt[]; // each has the name
  }

  /** A prompt, filled in: the result with its `messages`, in which no text is invisible. */
  async getPrompt(
    name: string,
    args: Readonly<Record<string, string>> = {},
    options: McpRequestOptions = {},
  ): Promise<JsonObject> {
    return visibleOffer(await this.#request("prompts/get", { name, arguments: args }, options));
  }

  /** Values that an argument of a prompt or of a resource template may have. */
  async complete(
    reference: McpCompletionReference,
    argument: { readonly name: string; readonly value: string },
    options: McpRequestOptions & {
      /** Arguments that are filled in already. */
      readonly arguments?: Readonly<Record<string, string>>;
    } = {},
  ): Promise<McpCompletion> {
    const context = options.arguments && { context: { arguments: options.arguments } };
    const params = { ref: { ...reference }, argument: { ...argument }, ...context };
    const { completion } = await this.#request("completion/complete", params, options);
    return toCompletion(completion);
  }

  /** Ends the session and the server's process, and resolves when it is gone. It does not reject. */
  async disconnect(): Promise<void> {
    this.#leaving.abort(notConnected(this.name));
    this.#leaving = new AbortController();
    await this.#endAttempt();
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.disconnect();
  }

  /** What is being opened is not to be left behind. */
  async #endAttempt(): Promise<void> {
    const attempt = this.#attempt;
    attempt?.ending.abort(notConnected(this.name));
    await attempt?.done.catch(() => {});
  }

  #startAttempt(): ConnectAttempt {
    const ending = new AbortController();
    const done = this.#connect(ending.signal).finally(() => {
      this.#attempt = undefined;
    });
    return { done, ending, waiting: 0 };
  }

  async #connect(signal: AbortSignal): Promise<void> {
    const lost = this.#connection;
    this.#connection = undefined;
    await lost?.abandon();
    try {
      const connection = this.#create();
      await connection.open(signal);
      this.#connection = connection;
      this.#connectError = undefined;
      void this.#follow().catch(() => {}); // a resource that is gone is no reason not to connect
    } catch (error) {
      this.#connectError = error;
      throw error;
    }
  }

  #create(): McpConnection {
    const { clock = systemClock, actor, onNotification, onNotice, logLevel } = this.#options;
    return new McpConnection(this.#config, {
      clock,
      actor,
      onNotification,
      onNotice,
      logLevel,
      callbacks: this.#options,
      events: toldToAll(this.#listeners),
      wantsLogs: this.#hears("onLog"),
      spoken: this.#spoken,
    });
  }

  /** Has the server tell of what somebody listens to. */
  async #follow(): Promise<void> {
    await this.#connection?.follow({
      tools: this.#hears("onToolsChanged"),
      prompts: this.#hears("onPromptsChanged"),
      resources: this.#hears("onResourcesChanged"),
      uris: [...this.#uris],
    });
  }

  #hears(event: keyof McpEvents): boolean {
    return [...this.#listeners].some((listener) => listener[event] !== undefined);
  }

  #live(): McpConnection {
    if (this.#connection === undefined) {
      throw notConnected(this.name);
    }
    return this.#connection;
  }

  /** @throws ConfigurationError where the time is none. */
  #check(options: Pick<McpRequestOptions, "timeoutMs">): void {
    const place = { where: `of a request to the MCP server "${this.name}"` };
    checkNumbers(options, { timeoutMs: "milliseconds" }, place);
  }

  async #request(
    method: string,
    params: JsonObject,
    options: McpRequestOptions,
  ): Promise<JsonObject> {
    this.#check(options);
    return this.#live().request(method, params, options);
  }

  async #list(
    method: string,
    key: ListEntriesOptions["key"],
    identity: ListEntriesOptions["identity"],
    options: McpRequestOptions,
  ): Promise<readonly JsonObject[]> {
    this.#check(options);
    const request = this.#live().pages(method, options);
    const limits = resolveLimits(this.#config.limits);
    const found = await listEntries({ server: this.name, limits, key, identity, request });
    return found.map((entry) => ({ ...visibleOffer(entry), [identity]: entry[identity] }));
  }
}

/** Nobody means data of such depth. */
const deepest = 256;

/** What a server offers, as a person would see it; it is asked for again by its exact name. */
function visibleOffer(offer: JsonObject): JsonObject {
  if (isDeeperThan(deepest, offer)) {
    return {};
  }
  return visibleJson(offer) as JsonObject; // an object stays one
}

const notConnected = (server: string): McpError =>
  new McpError(`The MCP server "${server}" is not connected. Call connect() first.`, {
    code: "mcp-not-connected",
    server,
  });

/** Looked for only where a call has failed: what cannot be written fails in each link's own way. */
function faultOfArguments(tool: string, args: unknown, server: string): McpError | undefined {
  try {
    JSON.stringify(args);
    return undefined;
  } catch (cause) {
    return new McpError(
      `The tool "${tool}" of the MCP server "${server}" was not called, since its arguments are no JSON: ${messageOf(cause)}. Pass plain objects, lists, texts, numbers and booleans.`,
      { code: "mcp-invalid-arguments", server, cause },
    );
  }
}
