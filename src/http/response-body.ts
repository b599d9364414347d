import type { Readable } from "node:stream";
import { ToolError } from "../base/tool-error.ts";

/** What a {@link ResponseBody} tells the exchange that it belongs to. */
export interface ResponseBodyOptions {
  readonly maxBytes: number;
  /** Names the request in errors. */
  what(): string;
  /** A reader has begun to wait for bytes. */
  onWait(): void;
  /** All of it has been read. */
  onEnd(): void;
  /** It cannot or need not be read further: the connection is to be closed. */
  onFail(reason: unknown): void;
}

/** The body of one answer: read at the reader's pace, counted, and there once. */
export class ResponseBody implements AsyncIterable<Uint8Array> {
  readonly #source: Readable;
  readonly #options: ResponseBodyOptions;
  #whole: Promise<Uint8Array> | undefined;
  #wake: (() => void) | undefined;
  #size = 0;
  #started = false;
  #skipped = false;
  #ended = false;
  #failure: { readonly reason: unknown } | undefined;

  constructor(source: Readable, options: ResponseBodyOptions) {
    this.#source = source;
    this.#options = options;
    source.once("end", () => {
      this.#ended = true;
      options.onEnd();
      this.#notify();
    });
    source.on("error", (cause) => {
      options.onFail(
        new ToolError(`The answer to ${options.what()} could not be decompressed.`, { cause }),
      );
    });
  }

  /** Whether somebody waits for bytes right now. */
  get isWaiting(): boolean {
    return this.#wake !== undefined;
  }

  /** Whether somebody has begun to read. */
  get isStarted(): boolean {
    return this.#started;
  }

  /** Ends the body with a reason, which whoever reads gets. */
  fail(reason: unknown): void {
    this.#failure ??= { reason };
    this.#source.destroy();
    this.#notify();
  }

  /** For answers that have no body: nobody needs to read it for the connection to be free. */
  skip(): void {
    this.#skipped = true;
    this.#source.resume();
  }

  cancel(): void {
    if (!(this.#ended || this.#skipped)) {
      this.#options.onFail(new ToolError(`The answer to ${this.#options.what()} was given up.`));
    }
  }

  bytes(): Promise<Uint8Array> {
    this.#whole ??= this.#collect();
    return this.#whole;
  }

  /** Each chunk is taken as it comes: a generator would cost more than the reading. */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    this.#start();
    return {
      next: async () => {
        const value = await this.#take();
        return value === undefined ? { done: true, value } : { done: false, value };
      },
      return: async () => {
        this.cancel();
        return { done: true, value: undefined };
      },
    };
  }

  async #collect(): Promise<Uint8Array> {
    this.#start();
    const chunks: Uint8Array[] = [];
    for (let chunk = await this.#take(); chunk !== undefined; chunk = await this.#take()) {
      chunks.push(chunk);
    }
    return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
  }

  #start(): void {
    if (this.#started) {
      throw new ToolError(
        `The body of the answer to ${this.#options.what()} has been read already. Keep what you need of it.`,
      );
    }
    this.#started = true;
    if (!this.#skipped) {
      this.#source.on("readable", () => this.#notify());
    }
  }

  /** The next bytes, as long as they are not too many. */
  async #take(): Promise<Uint8Array | undefined> {
    const chunk = await this.#next();
    this.#size += chunk?.byteLength ?? 0;
    if (this.#size > this.#options.maxBytes) {
      this.cancel();
      throw this.#tooLarge();
    }
    return chunk;
  }

  /** The bytes that have come, as soon as there are any; `undefined` at the end. */
  async #next(): Promise<Uint8Array | undefined> {
    for (;;) {
      if (this.#failure !== undefined) {
        throw this.#failure.reason;
      }
      if (this.#ended) {
        return undefined;
      }
      const chunk: Uint8Array | null = this.#source.read();
      if (chunk !== null) {
        return chunk;
      }
      this.#options.onWait();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #notify(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  #tooLarge(): ToolError {
    return new ToolError(
      `The answer to ${this.#options.what()} is longer than ${this.#options.maxBytes} bytes. Ask for less, or raise maxResponseBytes.`,
      { code: "tool-response-too-large" },
    );
  }
}
