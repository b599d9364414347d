import { StringDecoder } from "node:string_decoder";
import type { OpenFile } from "./file-reading.ts";

/** Which lines of a file are wanted. */
export interface LineRange {
  /** The first, counted from 1. */
  readonly fromLine: number;
  /** How many at most. */
  readonly maxLines: number;
  /** How many bytes at most. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** Lines of a file, with their ends as they are. */
export interface ReadLines {
  readonly text: string;
  readonly fromLine: number;
  /** The last line of which something is in `text`; one before `fromLine` where nothing is. */
  readonly toLine: number;
  /** Whether the file ends there. */
  readonly isEnd: boolean;
  /** Whether the last line is longer than what may be read, and so not whole. */
  readonly isCut: boolean;
}

const chunkBytes = 64 * 1024;

/**
 * Reads lines without holding more than is wanted, however large the file. Undefined where what is
 * read is no text in UTF-8.
 *
 * @throws the signal's reason.
 */
export async function readLines(file: OpenFile, range: LineRange): Promise<ReadLines | undefined> {
  const lines = new LineCollector(range);
  const chunk = Buffer.alloc(chunkBytes);
  for (let position = 0; !lines.isFull; ) {
    range.signal?.throwIfAborted();
    const { bytesRead } = await file.handle.read(chunk, 0, chunkBytes, position);
    if (bytesRead === 0) {
      return lines.end(true);
    }
    position += bytesRead;
    lines.push(chunk.subarray(0, bytesRead));
  }
  return lines.end(false);
}

class LineCollector {
  readonly #range: LineRange;
  readonly #kept: Buffer[] = [];
  #bytes = 0;
  /** The line that the next byte belongs to. */
  #line = 1;
  /** The line after the last that is wanted. */
  readonly #stop: number;
  #isCut = false;
  #isFull = false;

  constructor(range: LineRange) {
    this.#range = range;
    this.#stop = range.fromLine + range.maxLines;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  push(chunk: Buffer): void {
    let start = 0;
    while (start < chunk.length && !this.#isFull) {
      const newline = chunk.indexOf(0x0a, start);
      const end = newline === -1 ? chunk.length : newline + 1;
      this.#take(chunk.subarray(start, end), newline !== -1);
      start = end;
    }
  }

  /** @param isEnd whether the file has ended. */
  end(isEnd: boolean): ReadLines | undefined {
    const { fromLine } = this.#range;
    const bytes = Buffer.concat(this.#kept);
    const text = decode(bytes, this.#isCut);
    const complete = bytes.length > 0 && bytes.at(-1) !== 0x0a;
    return text === undefined
      ? undefined
      : {
          text,
          fromLine,
          toLine: Math.max(fromLine - 1, complete ? this.#line : this.#line - 1),
          isEnd,
          isCut: this.#isCut,
        };
  }

  #take(piece: Buffer, endsLine: boolean): void {
    if (this.#line >= this.#stop) {
      this.#isFull = true; // there is more than was wanted
      return;
    }
    if (this.#line >= this.#range.fromLine && !this.#keep(piece)) {
      return;
    }
    this.#line += endsLine ? 1 : 0;
  }

  /** Whether the piece was kept. What does not fit is left for the next reading, save in one line. */
  #keep(piece: Buffer): boolean {
    const room = this.#range.maxBytes - this.#bytes;
    if (piece.length <= room) {
      this.#kept.push(Buffer.from(piece));
      this.#bytes += piece.length;
      return true;
    }
    this.#isFull = true;
    const whole = this.#kept.at(-1)?.at(-1) === 0x0a;
    if (!whole) {
      this.#kept.push(Buffer.from(piece.subarray(0, room)));
      this.#bytes += room;
      this.#isCut = true;
    }
    return false;
  }
}

/** A cut may go through a character, of which nothing is left then. */
function decode(bytes: Buffer, isCut: boolean): string | undefined {
  if (bytes.includes(0)) {
    return undefined;
  }
  const whole = isCut ? Buffer.from(new StringDecoder("utf8").write(bytes)) : bytes;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(whole);
  } catch {
    return undefined;
  }
}
