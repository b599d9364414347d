import type { Json, JsonObject } from "../base/json.ts";
import { McpError } from "./mcp-error.ts";
import { checkToolDefinition, type McpToolDefinition } from "./tool-definition.ts";
import { visibleLine } from "./visible-text.ts";

/** How a list of tools is had. */
export interface ListToolsOptions {
  /** The alias of the server. */
  readonly server: string;
  /** Asks for one page. */
  request(params: JsonObject): Promise<JsonObject>;
  /** Told what was left out or changed, and of which tool if it is about one. */
  notice(code: string, message: string, tool?: string): void;
}

const mostTools = 1000;
const mostPages = 100;
const longestCursor = 16 * 1024;

/** JSON-RPC: there is no such method. A server without tools need not know it. */
const methodNotFound = -32_601;

/**
 * All tools that a server publishes, page by page. A malformed tool, a second one of the same name
 * and one that can only be called as a task are left out, each with a notice; so is what comes after
 * 1 000 tools or 100 pages.
 *
 * @throws McpError `mcp-protocol` where the list itself is malformed or its pages go round in circles.
 */
export async function listTools(options: ListToolsOptions): Promise<readonly McpToolDefinition[]> {
  const found = new Map<string, McpToolDefinition>();
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 1; page <= mostPages; page += 1) {
    const { tools, nextCursor } = await askForPage(options, cursor);
    if (!Array.isArray(tools)) {
      throw malformed(options, "sent a list of tools without a list");
    }
    for (const entry of tools) {
      if (found.size >= mostTools) {
        options.notice(
          "mcp-too-many-tools",
          `${mostTools} tools were taken; the rest is left out.`,
        );
        return [...found.values()];
      }
      take(entry, found, options);
    }
    cursor = cursorAfter(nextCursor, cursors, options);
    if (cursor === undefined) {
      return [...found.values()];
    }
  }
  options.notice(
    "mcp-too-many-pages",
    `${mostPages} pages of tools were read; the rest is left out.`,
  );
  return [...found.values()];
}

async function askForPage(
  { request }: ListToolsOptions,
  cursor: string | undefined,
): Promise<JsonObject> {
  try {
    return await request(cursor === undefined ? {} : { cursor });
  } catch (error) {
    if (McpError.is(error) && error.remote?.code === methodNotFound) {
      return { tools: [] };
    }
    throw error;
  }
}

function cursorAfter(
  next: Json | undefined,
  seen: Set<string>,
  options: ListToolsOptions,
): string | undefined {
  if (next === undefined || next === null || next === "") {
    return undefined;
  }
  if (typeof next !== "string" || next.length > longestCursor) {
    throw malformed(options, "sent a cursor that is not a text of bearable length");
  }
  if (seen.has(next)) {
    throw malformed(options, "sends the pages of its list of tools in a circle");
  }
  seen.add(next);
  return next;
}

function take(
  entry: Json,
  found: Map<string, McpToolDefinition>,
  { notice }: ListToolsOptions,
): void {
  const check = checkToolDefinition(entry);
  switch (check.kind) {
    case "malformed": {
      const message = `The tool "${shown(check.name)}" is left out: ${check.reason}.`;
      notice("mcp-tool-malformed", message, check.name);
      return;
    }
    case "needs-task": {
      const message = `The tool "${shown(check.name)}" is left out: it can only be called as a task, which is not supported.`;
      notice("mcp-tool-needs-task", message, check.name);
      return;
    }
    case "usable": {
      const { definition, remarks } = check;
      const { sourceName } = definition;
      if (found.has(sourceName)) {
        const message = `A second tool of the name "${shown(sourceName)}" is left out.`;
        notice("mcp-tool-duplicate", message, sourceName);
        return;
      }
      found.set(sourceName, definition);
      for (const remark of remarks) {
        notice("mcp-tool-changed", `The tool "${shown(sourceName)}": ${remark}.`, sourceName);
      }
    }
  }
}

const shown = (name: string): string => visibleLine(name, 64);

const malformed = ({ server }: ListToolsOptions, what: string): McpError =>
  new McpError(`The MCP server "${server}" ${what}.`, { code: "mcp-protocol", server });
