import { ToolError } from "../../base/tool-error.ts";

/** One piece of a stream, or a whole answer: its text, and the event that it came under. */
export interface AnswerPiece {
  readonly data: string;
  readonly event: string;
}

/** The longest line, in characters. */
const longest = 10 * 1024 * 1024;

/**
 * Reads lines, the last of which needs no end. Each batch holds the lines that one chunk has completed;
 * empty ones are left out. Bytes may be cut anywhere. Leaving the loop closes `chunks`.
 *
 * @throws ToolError `tool-response-too-large` where one line is longer than 10 Mi characters.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly AnswerPiece[], void, undefined> {
  const decoder = new TextDecoder();
  let start: string[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    const [first = "", ...others] = decoder.decode(chunk, { stream: true }).split("\n");
    start.push(first);
    size += first.length;
    if (size > longest) {
      throw new ToolError(`The server sent a line of more than ${longest} characters.`, {
        code: "tool-response-too-large",
      });
    }
    const rest = others.pop();
    if (rest !== undefined) {
      const lines = toPieces([start.join(""), ...others]);
      start = [rest];
      size = rest.length;
      if (lines.length > 0) {
        yield lines;
      }
    }
  }
  const last = toPieces([`${start.join("")}${decoder.decode()}`]);
  if (last.length > 0) {
    yield last;
  }
}

const toPieces = (lines: readonly string[]): readonly AnswerPiece[] =>
  lines.filter((line) => line.trim() !== "").map((data) => ({ data, event: "message" }));
