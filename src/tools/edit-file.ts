import { defineTool } from "../tool/define-tool.ts";
import type { Tool } from "../tool/tool.ts";
import type { Edit } from "./apply-edit.ts";
import type { Workspace } from "./workspace.ts";

type Input = Edit & { readonly path: string };

/** The tool `edit_file`: an exact replacement, at one place unless it says all. */
export function editFileTool(workspace: Workspace): Tool {
  return defineTool({
    name: "edit_file",
    description:
      "Replaces text in a file of the workspace. oldText must stand in the file exactly so, with all blanks and line ends, and only once: give as many lines around it as that needs.",
    inputSchema: {
      type: "object",
      properties: {
        path: { type: "string", description: "From a root on, such as project/src/main.ts" },
        oldText: { type: "string", minLength: 1, description: "What is replaced." },
        newText: { type: "string", description: "What takes its place." },
        all: { type: "boolean", description: "Replace it wherever it stands. Default false." },
      },
      required: ["path", "oldText", "newText"],
      additionalProperties: false,
    },
    annotations: { readOnly: false, destructive: true },
    idempotent: false,
    async execute(input) {
      const { path, ...edit } = input as unknown as Input; // checked against the schema
      const { lines } = await workspace.edit(path, edit);
      return { path, replaced: lines.length, lines: lines.slice(0, mostLines) };
    },
  }) as Tool;
}

const mostLines = 100;
