import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import { McpError } from "./mcp-error.ts";

/** A list of a server's that is not its tools. */
export interface ListEntriesOptions {
  /** The alias of the server. */
  readonly server: string;
  /** Under which key a page holds its entries. */
  readonly key: "resources" | "resourceTemplates" | "prompts";
  /** What each entry must have, as a text that is not empty. */
  readonly identity: "uri" | "uriTemplate" | "name";
  /** Asks for one page. */
  request(params: JsonObject): Promise<JsonObject>;
}

const mostEntries = 10_000;
const mostPages = 100;
const longestCursor = 16 * 1024;
const methodNotFound = -32_601;

/**
 * All entries of a list, page by page. Malformed entries are left out; a server that does not know
 * the list has none.
 *
 * @throws McpError `mcp-protocol` where the list itself is malformed or its pages go round in circles;
 *   `mcp-limit` where it has more than 10 000 entries or 100 pages.
 */
export async function listEntries(options: ListEntriesOptions): Promise<readonly JsonObject[]> {
  const { key, identity } = options;
  const found: JsonObject[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 1; page <= mostPages; page += 1) {
    const { [key]: entries, nextCursor } = await askForPage(options, cursor);
    if (!Array.isArray(entries)) {
      throw failure(options, "mcp-protocol", `sent a page of ${key} without a list`);
    }
    found.push(...entries.filter((entry) => isEntry(entry, identity)));
    if (found.length > mostEntries) {
      throw failure(options, "mcp-limit", `lists more than ${mostEntries} ${key}`);
    }
    if (nextCursor === undefined || nextCursor === null || nextCursor === "") {
      return found;
    }
    if (typeof nextCursor !== "string" || nextCursor.length > longestCursor) {
      throw failure(options, "mcp-protocol", "sent a cursor that is not a text of bearable length");
    }
    if (cursors.has(nextCursor)) {
      throw failure(options, "mcp-protocol", `sends the pages of its ${key} in a circle`);
    }
    cursors.add(nextCursor);
    cursor = nextCursor;
  }
  throw failure(options, "mcp-limit", `lists more than ${mostPages} pages of ${key}`);
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

function failure(
  { server }: ListEntriesOptions,
  code: "mcp-protocol" | "mcp-limit",
  what: string,
): McpError {
  return new McpError(`The MCP server "${server}" ${what}.`, { code, server });
}
