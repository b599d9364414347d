/** What a {@link LineReader} tells and needs. */
export interface LineReaderOptions {
  /** The longest line, in bytes. */
  readonly maxBytes: number;
  /** Called with each line, without its end. */
  onLine(line: string): void;
  /** Called once when a line is too long; after it, nothing more is read. */
  onOverflow(): void;
}

/**
 * Cuts a stream of bytes into lines of UTF-8. The work is linear in the bytes, however small the
 * chunks: a line is put together once, when its end has come.
 */
export class LineReader {
  readonly #options: LineReaderOptions;
  #pieces: Buffer[] = [];
  #length = 0;
  #overflown = false;

  constructor(options: LineReaderOptions) {
    this.#options = options;
  }

  /** Takes the next bytes. */
  push(chunk: Buffer): void {
    let start = 0;
    while (!this.#overflown) {
      const end = chunk.indexOf(0x0a, start);
      this.#keep(chunk.subarray(start, end === -1 ? chunk.length : end));
      if (end === -1) {
        return;
      }
      this.#release();
      start = end + 1;
    }
  }

  /** The stream has ended: what is left is a line, too. */
  end(): void {
    if (this.#length > 0) {
      this.#release();
    }
  }

  #keep(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#length > this.#options.maxBytes) {
      this.#overflown = true;
      this.#pieces = [];
      this.#options.onOverflow();
    } else if (piece.length > 0) {
      this.#pieces.push(piece);
    }
  }

  #release(): void {
    if (this.#overflown) {
      return;
    }
    const [only] = this.#pieces;
    const bytes =
      this.#pieces.length === 1 && only !== undefined ? only : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#length = 0;
    this.#options.onLine(bytes.toString("utf8").replace(/\r$/, ""));
  }
}
