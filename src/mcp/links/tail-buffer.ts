import { stripVTControlCharacters } from "node:util";
import { visibleLine } from "../text/visible-text.ts";

/** Keeps the last bytes of a stream, and no more. */
export class TailBuffer {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Takes the next bytes; what is older than the limit goes. */
  push(chunk: Buffer): void {
    // Of a long chunk only the end is kept, as a copy that does not hold on to the rest.
    const kept =
      chunk.length > this.#maxBytes ? Buffer.from(chunk.subarray(-this.#maxBytes)) : chunk;
    this.#chunks.push(kept);
    this.#length += kept.length;
    while (this.#length - (this.#chunks[0]?.length ?? 0) >= this.#maxBytes) {
      this.#length -= this.#chunks.shift()?.length ?? 0;
    }
  }

  /**
   * The last lines that say something, without colours and cut to a readable length. The frames of a
   * stack trace are left out: what went wrong stands before them.
   */
  lastLines(count: number): readonly string[] {
    const text = Buffer.concat(this.#chunks).subarray(-this.#maxBytes).toString("utf8");
    return stripVTControlCharacters(text)
      .split("\n")
      .map((line) => visibleLine(line, longestLine))
      .filter((line) => /[\p{L}\p{N}]/u.test(line) && !stackFrame.test(line))
      .slice(-count);
  }
}

const longestLine = 300;

/** As JavaScript writes it: `at name (file:1:2)`, `at file:1:2`, the last one perhaps before ` {`. */
const stackFrame = /^at .*(?::\d+:\d+|<anonymous>|native|\(index \d+)\)?(?: \{)?$/;
