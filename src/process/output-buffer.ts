import type { ProcessOutput } from "./process-runner.ts";

/** Keeps the beginning and the end of what a program writes: most is told there. */
export class OutputBuffer {
  readonly #half: number;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #bytes = 0;

  /** @param maxBytes how much is kept. */
  constructor(maxBytes: number) {
    this.#half = Math.max(1, Math.floor(maxBytes / 2));
  }

  get bytes(): number {
    return this.#bytes;
  }

  push(chunk: Buffer): void {
    this.#bytes += chunk.length;
    const toHead = chunk.subarray(0, this.#half - this.#headBytes);
    if (toHead.length > 0) {
      this.#head.push(toHead);
      this.#headBytes += toHead.length;
    }
    const toTail = chunk.subarray(toHead.length);
    if (toTail.length >= this.#half) {
      this.#keepOnly(lastOf(toTail, this.#half));
    } else if (toTail.length > 0) {
      this.#tail.push(toTail);
      this.#tailBytes += toTail.length;
      this.#trim();
    }
  }

  output(): ProcessOutput {
    const tail = this.#lastOfTail();
    const omittedBytes = this.#bytes - this.#headBytes - tail.length;
    const gap = omittedBytes === 0 ? "" : `\n[… ${omittedBytes} bytes are left out here …]\n`;
    const parts = omittedBytes === 0 ? [[...this.#head, tail]] : [this.#head, [tail]];
    const text = parts.map((part) => Buffer.concat(part).toString("utf8")).join(gap);
    return { text, bytes: this.#bytes, omittedBytes };
  }

  /** Lets go of what is no longer of the end; once in a while, so that it stays linear. */
  #trim(): void {
    if (this.#tailBytes > this.#half * 4) {
      this.#keepOnly(this.#lastOfTail());
    }
  }

  #keepOnly(last: Buffer): void {
    this.#tail = [last];
    this.#tailBytes = last.length;
  }

  #lastOfTail(): Buffer {
    return lastOf(Buffer.concat(this.#tail), this.#half);
  }
}

/** A copy, so that what it was a part of can be let go of. */
const lastOf = (bytes: Buffer, length: number): Buffer =>
  Buffer.from(bytes.subarray(Math.max(0, bytes.length - length)));
