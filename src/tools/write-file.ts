import { defineTool } from "../tool/define-tool.ts";
import type { Tool } from "../tool/tool.ts";
import type { Workspace } from "./workspace.ts";

type Input = { readonly path: string; readonly content: string; readonly overwrite?: boolean };

/** The tool `write_file`: a whole text file, new unless it says that one is to be replaced. */
export function writeFileTool(workspace: Workspace): Tool {
  return defineTool({
    name: "write_file",
    description: `Writes a text file of the workspace whole, and makes the folders that it needs. To change a part of a file, use edit_file. At most ${workspace.limits.maxWriteBytes} bytes.`,
    inputSchema: {
      type: "object",
      properties: {
        path: { type: "string", description: "From a root on, such as project/src/main.ts" },
        content: { type: "string" },
        overwrite: {
          type: "boolean",
          description: "Whether a file that is there is replaced. Default false.",
        },
      },
      required: ["path", "content"],
      additionalProperties: false,
    },
    annotations: { readOnly: false, destructive: true },
    idempotent: false,
    async execute(input) {
      const { path, content, overwrite = false } = input as Input; // checked against the schema
      const { isNew, size } = await workspace.write(path, content, { overwrite });
      return { path, size, isNew };
    },
  }) as Tool;
}
