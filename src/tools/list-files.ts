import { defineTool } from "../tool/define-tool.ts";
import type { Tool } from "../tool/tool.ts";
import { toolSuccess } from "../tool/tool-result.ts";
import type { Entry } from "./folder-listing.ts";
import type { Workspace } from "./workspace.ts";

type Input = { readonly path?: string; readonly depth?: number };

/** How many folders deep a listing goes. */
export const mostDepth = 32;

/** The tool `list_files`: what is in a folder, and in those within it. */
export function listFilesTool(workspace: Workspace): Tool {
  return defineTool({
    name: "list_files",
    description: `Lists files and folders of the workspace, at most ${workspace.limits.maxEntries}. Its roots: ${workspace.roots.map(({ name, writable }) => `${name}/ (${writable ? "writable" : "read only"})`).join(", ")}.`,
    inputSchema: {
      type: "object",
      properties: {
        path: { type: "string", description: "A folder. Default: all roots." },
        depth: {
          type: "integer",
          minimum: 1,
          maximum: mostDepth,
          description: "How many folders deep. Default 1.",
        },
      },
      additionalProperties: false,
    },
    annotations: { readOnly: true },
    idempotent: true,
    async execute(input, { signal }) {
      const { path = "", depth } = input as Input; // checked against the schema
      const { entries, isAll } = await workspace.list(path, { depth, signal });
      const rest = isAll ? [] : ["[There is more: list one of its folders.]"];
      const lines = entries.length === 0 && isAll ? ["[The folder is empty.]"] : entries.map(line);
      return toolSuccess(
        { entries: [...entries], isAll },
        { content: [{ kind: "text", text: [...lines, ...rest].join("\n") }] },
      );
    },
  }) as Tool;
}

function line({ path, kind, size }: Entry): string {
  switch (kind) {
    case "file":
      return `${path} (${size} bytes)`;
    case "folder":
      return `${path}/`;
    case "link":
      return `${path} (link)`;
    case "other":
      return `${path} (no file)`;
  }
}
