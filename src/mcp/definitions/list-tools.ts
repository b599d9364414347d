import { setImmediate as nextTurn } from "node:timers/promises";
import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import type { McpLimits } from "../../tool/mcp-limits.ts";
import { visibleLine } from "../text/visible-text.ts";
import { McpError, type McpErrorCode } from "../wire/mcp-error.ts";
import { limitWords, type ResolvedLimits } from "../wire/mcp-limits.ts";
import type { DefinitionMeasure } from "./measure-definition.ts";
import { headerParametersOf } from "./parameter-headers.ts";
import { checkToolDefinition, type McpToolDefinition, measureEntry } from "./tool-definition.ts";

/** How a list of tools is had. */
export interface ListToolsOptions {
  /** The alias of the server. */
  readonly server: string;
  readonly limits: ResolvedLimits;
  /** Whether parameters are mirrored into headers, so that a tool which asks for that wrongly is of no use. */
  readonly mirrorsParameters?: boolean;
  /** Names of tools that are left out, about which nothing is told. */
  readonly without?: readonly string[] | undefined;
  /** Asks for one page. */
  request(params: JsonObject): Promise<JsonObject>;
  /** Told what was left out or changed, and of which tool if it is about one. */
  notice(code: string, message: string, tool?: string): void;
}

/** JSON-RPC: there is no such method. A server without tools need not know it. */
const methodNotFound = -32_601;

/** Looking through ten megabytes takes a second: others get their turn in between. */
const bytesPerTurn = 256 * 1024;

/** No more notices than a person reads. */
const mostNotices = 100;

/**
 * All tools that a server publishes, page by page. A malformed tool, one over a limit, a second one
 * of the same name and one that can only be called as a task are left out, each with a notice; so is
 * what comes after the limits of the whole list.
 *
 * @throws McpError `mcp-protocol` where the list itself is malformed or its pages go round in circles,
 *   `mcp-limit` where a cursor is too long.
 */
export async function listTools(options: ListToolsOptions): Promise<readonly McpToolDefinition[]> {
  const notices = new LimitedNotices(options.notice);
  const listing = new Listing(options, notices);
  await listing.read();
  notices.end();
  return [...listing.found.values()];
}

/** One walk through a list. */
class Listing {
  readonly found = new Map<string, McpToolDefinition>();
  readonly #options: ListToolsOptions;
  readonly #notices: LimitedNotices;
  readonly #cursors = new Set<string>();
  #bytes = 0;
  #nodes = 0;

  constructor(options: ListToolsOptions, notices: LimitedNotices) {
    this.#options = options;
    this.#notices = notices;
  }

  async read(): Promise<void> {
    const { maxPages } = this.#options.limits;
    let cursor: string | undefined;
    for (let page = 1; page <= maxPages; page += 1) {
      const { tools, nextCursor } = await this.#askForPage(cursor);
      if (!Array.isArray(tools)) {
        throw this.#error("mcp-protocol", "sent a list of tools without a list");
      }
      if (!(await this.#takePage(tools))) {
        return;
      }
      cursor = this.#cursorAfter(nextCursor);
      if (cursor === undefined) {
        return;
      }
    }
    this.#endAt("mcp-too-many-pages", "maxPages");
  }

  async #askForPage(cursor: string | undefined): Promise<JsonObject> {
    try {
      return await this.#options.request(cursor === undefined ? {} : { cursor });
    } catch (error) {
      if (McpError.is(error) && error.remote?.code === methodNotFound) {
        return { tools: [] };
      }
      throw error;
    }
  }

  /** Whether there is room for more. */
  async #takePage(tools: readonly Json[]): Promise<boolean> {
    let sinceTurn = 0;
    const { maxTools, maxDiscoveryBytes, maxDiscoveryNodes } = this.#options.limits;
    for (const entry of tools) {
      if (this.found.size >= maxTools) {
        return this.#endAt("mcp-too-many-tools", "maxTools");
      }
      const size = measureEntry(entry, this.#options.limits, maxDiscoveryNodes - this.#nodes);
      this.#bytes += size.bytes;
      this.#nodes += size.nodes;
      if (this.#nodes > maxDiscoveryNodes) {
        return this.#endAt("mcp-discovery-too-large", "maxDiscoveryNodes");
      }
      if (this.#bytes > maxDiscoveryBytes) {
        return this.#endAt("mcp-discovery-too-large", "maxDiscoveryBytes");
      }
      if (!this.#isUnwanted(entry)) {
        this.#take(entry, size);
      }
      sinceTurn += size.bytes;
      if (sinceTurn > bytesPerTurn) {
        sinceTurn = 0;
        await nextTurn();
      }
    }
    return true;
  }

  #isUnwanted(entry: Json): boolean {
    const { without = [] } = this.#options;
    return (
      without.length > 0 && isJsonObject(entry) && without.some((name) => name === entry["name"])
    );
  }

  /** Keeps what has been read, and says where it ended. */
  #endAt(code: string, limit: keyof McpLimits): false {
    const words = limitWords(limit, this.#options.limits);
    this.#notices.always(
      code,
      `Its list of tools goes on beyond ${words}: ${this.found.size} tools were taken, the rest is left out.`,
    );
    return false;
  }

  #take(entry: Json, size: Readonly<DefinitionMeasure>): void {
    const check = checkToolDefinition(entry, this.#options.limits, size);
    switch (check.kind) {
      case "unusable":
        this.#notices.add(
          check.code,
          `The tool "${shown(check.name)}" is left out: ${check.reason}.`,
          check.name,
        );
        return;
      case "usable": {
        const { definition, remarks } = check;
        const { sourceName } = definition;
        const mirrored = this.#options.mirrorsParameters
          ? headerParametersOf(definition.raw["inputSchema"] as JsonObject) // checked to be one
          : undefined;
        if (mirrored?.kind === "invalid") {
          const message = `The tool "${shown(sourceName)}" is left out: ${mirrored.reason}.`;
          this.#notices.add("mcp-tool-malformed", message, sourceName);
          return;
        }
        if (this.found.has(sourceName)) {
          const message = `A second tool of the name "${shown(sourceName)}" is left out.`;
          this.#notices.add("mcp-tool-duplicate", message, sourceName);
          return;
        }
        this.found.set(sourceName, definition);
        for (const { code, words } of remarks) {
          this.#notices.add(code, `The tool "${shown(sourceName)}": ${words}.`, sourceName);
        }
      }
    }
  }

  #cursorAfter(next: Json | undefined): string | undefined {
    if (next === undefined || next === null || next === "") {
      return undefined;
    }
    if (typeof next !== "string") {
      throw this.#error("mcp-protocol", "sent a cursor that is not a text");
    }
    const { limits } = this.#options;
    if (Buffer.byteLength(next) > limits.maxCursorBytes) {
      const words = limitWords("maxCursorBytes", limits);
      throw this.#error("mcp-limit", `sent a cursor for its list of tools that is over ${words}`);
    }
    if (this.#cursors.has(next)) {
      throw this.#error("mcp-protocol", "sends the pages of its list of tools in a circle");
    }
    this.#cursors.add(next);
    return next;
  }

  #error(code: McpErrorCode, what: string): McpError {
    const { server } = this.#options;
    return new McpError(`The MCP server "${server}" ${what}.`, { code, server });
  }
}

/** Hands on the first notices, and counts the others. */
class LimitedNotices {
  readonly #notice: ListToolsOptions["notice"];
  #count = 0;

  constructor(notice: ListToolsOptions["notice"]) {
    this.#notice = notice;
  }

  add(code: string, message: string, tool: string): void {
    this.#count += 1;
    if (this.#count <= mostNotices) {
      this.#notice(code, message, tool);
    }
  }

  always(code: string, message: string): void {
    this.#notice(code, message);
  }

  end(): void {
    if (this.#count > mostNotices) {
      const message = `${this.#count - mostNotices} more notices on its tools are not shown.`;
      this.#notice("mcp-notices-omitted", message);
    }
  }
}

const shown = (name: string): string => visibleLine(name, 64);
