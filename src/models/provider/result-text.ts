import type {
  MediaPart,
  ResultContent,
  ToolResultPart,
  UserContent,
} from "../../message/content.ts";
import { labelOf } from "./media-words.ts";

/**
 * A tool's result where a wire takes text only and has no mark for failures. Text that neither says
 * "error" nor is JSON gets one; everything else is passed on as it is. Media follow in a user message.
 */
export function resultText({ content, isError }: ToolResultPart): string {
  const text = plainResultText(content);
  return isError && !/^\s*(?:\[|\{|error)/i.test(text) ? `Error: ${text}` : text;
}

/** The same without a mark. */
export const plainResultText = (content: readonly ResultContent[]): string =>
  content.map(textOrNote).join("\n") || "(no output)";

const textOrNote = (part: ResultContent): string =>
  part.kind === "text" ? part.text : `[${part.kind} ${labelOf(part)}: see the next user message]`;

/** The media of all results, each tool's with a title, for a user message after them. */
export const mediaAfter = (results: readonly ToolResultPart[]): readonly UserContent[] =>
  results.flatMap(({ content, name, id }): readonly UserContent[] => {
    const media = content.filter((part): part is MediaPart => part.kind !== "text");
    const title = { kind: "text", text: `From the result of ${name} (${id}):` } as const;
    return media.length === 0 ? [] : [title, ...media];
  });
