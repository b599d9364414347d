import { base64Size } from "../../base/base64.ts";
import { isTextType } from "../../base/media-type.ts";
import type { ResultContent } from "../../message/content.ts";
import { limitWords, type ResolvedLimits } from "../wire/mcp-limits.ts";

/** The media that there is room for; the others are named in their place. */
export function mediaWithinLimits(
  parts: readonly ResultContent[],
  { server, limits }: { readonly server: string; readonly limits: ResolvedLimits },
): readonly ResultContent[] {
  let count = 0;
  let total = 0;
  return parts.map((part) => {
    const bytes = mediaBytes(part);
    if (bytes === undefined) {
      return part;
    }
    const excess = excessOf({ count: count + 1, bytes, total: total + bytes }, limits);
    if (excess === undefined) {
      count += 1;
      total += bytes;
      return part;
    }
    const text = `[One ${part.kind} of ${bytes} bytes from the MCP server "${server}" is left out: ${excess}.]`;
    return { kind: "text", text };
  });
}

function excessOf(
  media: { readonly count: number; readonly bytes: number; readonly total: number },
  limits: ResolvedLimits,
): string | undefined {
  if (media.bytes > limits.maxImageBytes) {
    return `it is larger than ${limitWords("maxImageBytes", limits)}`;
  }
  if (media.count > limits.maxImages) {
    return `the result has more of them than ${limitWords("maxImages", limits)}`;
  }
  return media.total > limits.maxTotalImageBytes
    ? `all of them together are larger than ${limitWords("maxTotalImageBytes", limits)}`
    : undefined;
}

/** A text that came as a file is limited like any other text, where the model is shown it. */
function mediaBytes(part: ResultContent): number | undefined {
  return part.kind === "text" || part.source.kind !== "data" || isTextFile(part)
    ? undefined
    : base64Size(part.source.base64);
}

const isTextFile = ({ kind, mediaType }: ResultContent & { readonly mediaType: string }): boolean =>
  kind === "file" && isTextType(mediaType);
