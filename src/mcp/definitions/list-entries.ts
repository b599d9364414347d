import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import type { McpLimits } from "../../tool/mcp-limits.ts";
import { McpError, type McpErrorCode } from "../wire/mcp-error.ts";
import { limitWords, type ResolvedLimits } from "../wire/mcp-limits.ts";
import { measureEntry } from "./tool-definition.ts";

/** A list of a server's that is not its tools. */
export interface ListEntriesOptions {
  /** The alias of the server. */
  readonly server: string;
  readonly limits: ResolvedLimits;
  /** Under which key a page holds its entries. */
  readonly key: "resources" | "resourceTemplates" | "prompts";
  /** What each entry must have, as a text that is not empty. */
  readonly identity: "uri" | "uriTemplate" | "name";
  /** Asks for one page. */
  request(params: JsonObject): Promise<JsonObject>;
}

const methodNotFound = -32_601;

/**
 * All entries of a list, page by page. Malformed entries are left out; a server that does not know
 * the list has none.
 *
 * @throws McpError `mcp-protocol` where the list itself is malformed or its pages go round in circles;
 *   `mcp-limit` where it is over `maxEntries`, `maxPages`, `maxDiscoveryBytes` or `maxCursorBytes`.
 */
export async function listEntries(options: ListEntriesOptions): Promise<readonly JsonObject[]> {
  const { key, limits } = options;
  const found: JsonObject[] = [];
  const cursors = new Set<string>();
  let bytes = 0;
  let cursor: string | undefined;
  for (let page = 1; page <= limits.maxPages; page += 1) {
    const { [key]: entries, nextCursor } = await askForPage(options, cursor);
    if (!Array.isArray(entries)) {
      throw failure(options, "mcp-protocol", `sent a page of ${key} without a list`);
    }
    bytes += takePage(entries, found, options);
    if (bytes > limits.maxDiscoveryBytes) {
      throw tooMuch(options, "maxDiscoveryBytes");
    }
    cursor = cursorAfter(nextCursor, cursors, options);
    if (cursor === undefined) {
      return found;
    }
  }
  throw tooMuch(options, "maxPages");
}

/** How large the entries are, those that are left out included. */
function takePage(
  entries: readonly Json[],
  found: JsonObject[],
  options: ListEntriesOptions,
): number {
  const { identity, limits } = options;
  let bytes = 0;
  for (const entry of entries) {
    bytes += measureEntry(entry, limits, Number.POSITIVE_INFINITY).bytes;
    if (isEntry(entry, identity)) {
      found.push(entry);
    }
    if (found.length > limits.maxEntries) {
      throw tooMuch(options, "maxEntries");
    }
  }
  return bytes;
}

function cursorAfter(
  next: Json | undefined,
  known: Set<string>,
  options: ListEntriesOptions,
): string | undefined {
  if (next === undefined || next === null || next === "") {
    return undefined;
  }
  if (typeof next !== "string") {
    throw failure(options, "mcp-protocol", "sent a cursor that is not a text");
  }
  if (Buffer.byteLength(next) > options.limits.maxCursorBytes) {
    throw tooMuch(options, "maxCursorBytes");
  }
  if (known.has(next)) {
    throw failure(options, "mcp-protocol", `sends the pages of its ${options.key} in a circle`);
  }
  known.add(next);
  return next;
}

async function askForPage(
  { request, key }: ListEntriesOptions,
  cursor: string | undefined,
): Promise<JsonObject> {
  try {
    return await request(cursor === undefined ? {} : { cursor });
  } catch (error) {
    if (McpError.is(error) && error.remote?.code === methodNotFound) {
      return { [key]: [] };
    }
    throw error;
  }
}

const isEntry = (entry: Json, identity: string): entry is JsonObject =>
  isJsonObject(entry) && typeof entry[identity] === "string" && entry[identity] !== "";

function tooMuch(options: ListEntriesOptions, limit: keyof McpLimits): McpError {
  const words = limitWords(limit, options.limits);
  return failure(options, "mcp-limit", `sent a list of ${options.key} that goes beyond ${words}`);
}

function failure({ server }: ListEntriesOptions, code: McpErrorCode, what: string): McpError {
  return new McpError(`The MCP server "${server}" ${what}.`, { code, server });
}
