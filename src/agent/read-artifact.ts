import { isTextType } from "../base/media-type.ts";
import { sliceText } from "../base/slice-text.ts";
import { Artifact } from "../tool/artifact.ts";
import { defineTool } from "../tool/define-tool.ts";
import { readArtifactName } from "../tool/own-tools.ts";
import type { Tool } from "../tool/tool.ts";
import { type ToolResult, toolSuccess } from "../tool/tool-result.ts";
import type { ReadArtifact, RunArtifacts } from "./run-artifacts.ts";

/** What a model asks for. */
type Request = { readonly id: string; readonly offset?: number; readonly length?: number };

/**
 * The tool by which a model reads what is too long to be shown whole, or is elsewhere. It reaches the
 * artifacts of its run, and those of the run's actor in the store.
 *
 * @param most how many characters it gives at once.
 */
export function readArtifactTool(artifacts: RunArtifacts, most: number): Tool {
  return defineTool({
    name: readArtifactName,
    description:
      "Reads a part of an artifact that the result of another tool named by its id. Without offset it begins at the start.",
    inputSchema: {
      type: "object",
      properties: {
        id: { type: "string", description: "The id, as in the result: sha256-… or ref-…" },
        offset: { type: "integer", minimum: 0, description: "Characters to pass over. Default 0." },
        length: { type: "integer", minimum: 1, description: `Characters. At most ${most}.` },
      },
      required: ["id"],
      additionalProperties: false,
    },
    annotations: { readOnly: true },
    idempotent: true,
    execute: async (input, { signal }) => {
      const request = input as Request; // checked against the schema
      return partOf(await artifacts.read(request.id, signal), request, most);
    },
  }) as Tool;
}

function partOf(
  { bytes, mediaType, name }: ReadArtifact,
  { id, offset = 0, length }: Request,
  most: number,
): ToolResult {
  if (!isTextType(mediaType)) {
    const about = { id, mediaType, size: bytes.length };
    const label = { mediaType, ...(name === undefined ? {} : { name }) };
    return toolSuccess(about, {
      content: [],
      artifacts: [Artifact.inline({ data: bytes, ...label })],
    });
  }
  const text = new TextDecoder().decode(bytes);
  const wanted = Math.max(2, Math.min(length ?? most, most)); // one character may be two units
  const part = sliceText(text, offset, Math.min(text.length, offset + wanted));
  const end = offset + part.length;
  const next = end < text.length ? `; go on with offset ${end}` : "";
  const words = `[Characters ${offset} to ${end} of ${text.length}${next}]\n${part}`;
  return toolSuccess(
    { id, offset, end, total: text.length, text: part },
    { content: [{ kind: "text", text: words }] },
  );
}
