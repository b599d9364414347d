import { untilAborted } from "../../base/abort.ts";
import type { JsonObject } from "../../base/json.ts";
import type { ActiveSpan } from "../../base/tracing.ts";
import { listTools } from "../definitions/list-tools.ts";
import { MirroredParameters } from "../definitions/mirrored-parameters.ts";
import type { McpToolDefinition } from "../definitions/tool-definition.ts";
import type { ResolvedLimits } from "../wire/mcp-limits.ts";
import type { ListToolsScope } from "./mcp-connection-config.ts";

/** What {@link ServerTools} is made of. */
export interface ServerToolsOptions {
  /** The alias of the server. */
  readonly server: string;
  readonly limits: ResolvedLimits;
  /** Names of tools that are left out. */
  readonly without: readonly string[] | undefined;
  /** Asks for pages of the list of tools. */
  pages(
    signal: AbortSignal | undefined,
    span: ActiveSpan | undefined,
  ): (params: JsonObject) => Promise<JsonObject>;
  /** Whether parameters of tools are mirrored into headers, as things are. */
  mirrorsParameters(): boolean;
}

/** The tools of a server as they were listed last. */
export class ServerTools {
  readonly #options: ServerToolsOptions;
  readonly #mirrored = new MirroredParameters();
  #notice: ListToolsScope["notice"];
  #listed: readonly McpToolDefinition[] | undefined;
  #listing: Promise<readonly McpToolDefinition[]> | undefined;
  /** The server has said that its tools changed, and they have not been listed since. */
  #isStale = false;

  constructor(options: ServerToolsOptions) {
    this.#options = options;
  }

  /** Lists them; `notice` also hears of what is found later, in another session. */
  list({ signal, notice, span }: ListToolsScope): Promise<readonly McpToolDefinition[]> {
    this.#notice = notice;
    return this.#list(signal, span);
  }

  /** The tools as they were listed last, anew where the server has said that they changed. */
  async current(signal: AbortSignal | undefined): Promise<readonly McpToolDefinition[]> {
    const until = <Value>(listing: Promise<Value>): Promise<Value> =>
      signal === undefined ? listing : untilAborted(listing, signal);
    if (this.#listing !== undefined) {
      await until(this.#listing).catch(ignore); // it may have begun before the change
      signal?.throwIfAborted();
    }
    if (this.#listed !== undefined && !this.#isStale) {
      return this.#listed;
    }
    // One for all calls, so that a server which says it all the time has as many listings as calls.
    this.#listing ??= this.#list(undefined).finally(() => {
      this.#listing = undefined;
    });
    return until(this.#listing);
  }

  /** What there is without asking. */
  get listed(): readonly McpToolDefinition[] {
    return this.#listed ?? [];
  }

  /** The server has said that they changed. */
  changed(): void {
    this.#isStale = true;
  }

  /** The headers that a call of a tool has beside it. */
  headersOf(tool: string, input: JsonObject): Readonly<Record<string, string>> | undefined {
    return this.#mirrored.headersOf(tool, input);
  }

  /** Lists them in a fresh session, where they were listed before; whoever did hears where they differ. */
  async listAgain(
    request: (params: JsonObject) => Promise<JsonObject>,
    mirrorsParameters: boolean,
  ): Promise<void> {
    const before = this.#listed;
    if (before === undefined) {
      return;
    }
    this.#isStale = false;
    const after = await listTools({
      ...this.#source(),
      mirrorsParameters,
      notice: ignore,
      request,
    });
    this.#learn(after, mirrorsParameters);
    const told = (tools: readonly McpToolDefinition[]): string =>
      JSON.stringify(tools.map(({ raw }) => raw));
    if (told(before) !== told(after)) {
      this.#notice?.(
        "mcp-tools-changed",
        "It forgot the session, and publishes other tools in the new one.",
      );
    }
  }

  async #list(
    signal: AbortSignal | undefined,
    span?: ActiveSpan,
  ): Promise<readonly McpToolDefinition[]> {
    this.#isStale = false;
    const mirrorsParameters = this.#options.mirrorsParameters();
    try {
      const listed = await listTools({
        ...this.#source(),
        mirrorsParameters,
        notice: (...told) => this.#notice?.(...told),
        request: this.#options.pages(signal, span),
      });
      this.#learn(listed, mirrorsParameters);
      return listed;
    } catch (error) {
      this.#isStale = true; // whoever needs them has to ask again
      throw error;
    }
  }

  #source(): Pick<Parameters<typeof listTools>[0], "server" | "limits" | "without"> {
    const { server, limits, without } = this.#options;
    return { server, limits, without };
  }

  #learn(listed: readonly McpToolDefinition[], mirrorsParameters: boolean): void {
    this.#listed = listed;
    this.#mirrored.learn(mirrorsParameters ? listed : []);
  }
}

const ignore = (): void => {};
