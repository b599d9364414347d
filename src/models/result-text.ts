import type { ResultContent, ToolResultPart } from "../message/content.ts";
import { labelOf } from "./media-words.ts";

/**
 * A tool's result where a wire takes text only and has no mark for failures. Text that neither says
 * "error" nor is JSON gets one; everything else is passed on as it is. Media follow in a user message.
 */
export function resultText({ content, isError }: ToolResultPart): string {
  const text = content.map(textOrNote).join("\n") || "(no output)";
  return isError && !/^\s*(?:\[|\{|error)/i.test(text) ? `Error: ${text}` : text;
}

const textOrNote = (part: ResultContent): string =>
  part.kind === "text" ? part.text : `[${part.kind} ${labelOf(part)}: see the next user message]`;
