import { toBase64 } from "../base/base64.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { Tool } from "../tool/tool.ts";
import { type ToolResult, toolSuccess } from "../tool/tool-result.ts";
import { mediaHeadBytes, mediaTypeOf } from "./media-kind.ts";
import type { ReadLines } from "./read-lines.ts";
import type { Workspace } from "./workspace.ts";

type Input = { readonly path: string; readonly fromLine?: number; readonly maxLines?: number };

/** The tool `read_file`: text by lines, pictures and PDFs as what they are. */
export function readFileTool(workspace: Workspace): Tool {
  return defineTool({
    name: "read_file",
    description: `Reads a file of the workspace: text (at most ${workspace.limits.maxReadBytes} bytes at once; of a long one read a range of lines), or a picture or PDF to look at.`,
    inputSchema: {
      type: "object",
      properties: {
        path: { type: "string", description: "From a root on, such as project/src/main.ts" },
        fromLine: { type: "integer", minimum: 1, description: "The first line. Default 1." },
        maxLines: { type: "integer", minimum: 1, description: "How many lines. Default: all." },
      },
      required: ["path"],
      additionalProperties: false,
    },
    annotations: { readOnly: true },
    idempotent: true,
    async execute(input, { signal }) {
      const { path, ...range } = input as Input; // checked against the schema
      const { head } = await workspace.peek(path, mediaHeadBytes);
      const mediaType = mediaTypeOf(head);
      return mediaType === undefined
        ? textResult(path, await workspace.readLines(path, { ...range, signal }))
        : mediaResult(path, mediaType, workspace);
    },
  }) as Tool;
}

function textResult(path: string, read: ReadLines): ToolResult {
  const { text, fromLine, toLine, isEnd, isCut } = read;
  const value = { path, text, fromLine, toLine, isEnd };
  const isWhole = fromLine === 1 && isEnd;
  const about = isWhole ? [] : [`[Lines ${fromLine} to ${toLine}${whatFollows(read)}]`];
  const empty =
    text === "" && isEnd
      ? [fromLine === 1 ? "[The file is empty.]" : "[The file has fewer lines.]"]
      : [];
  const words = [...(text === "" && isEnd ? empty : about), ...(text === "" ? [] : [text])];
  return toolSuccess(isCut ? { ...value, isCut } : value, {
    content: [{ kind: "text", text: words.join("\n") }],
  });
}

function whatFollows({ toLine, isEnd, isCut }: ReadLines): string {
  if (isCut) {
    return `; line ${toLine} is too long and cut. Go on with fromLine ${toLine + 1}`;
  }
  return isEnd ? ", the end of the file" : `. Go on with fromLine ${toLine + 1}`;
}

async function mediaResult(
  path: string,
  mediaType: string,
  workspace: Workspace,
): Promise<ToolResult> {
  const bytes = await workspace.read(path, workspace.limits.maxMediaBytes);
  const name = path.split("/").at(-1) ?? path;
  const kind = mediaType.startsWith("image/") ? "image" : "file";
  return toolSuccess(
    { path, mediaType, size: bytes.length },
    {
      content: [{ kind, mediaType, name, source: { kind: "data", base64: toBase64(bytes) } }],
    },
  );
}
