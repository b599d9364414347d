import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import type { ActiveSpan } from "../../base/tracing.ts";
import type { CallPause } from "../../tool/call-pause.ts";
import type { ToolProgress } from "../../tool/tool.ts";
import { DeadlineTimer } from "./deadline-timer.ts";

/** How long a request may take, and who hears of it meanwhile. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long the server may be silent, in milliseconds: progress starts the time anew. Default: for ever. */
  readonly timeoutMs?: number;
  /** How long the request may take in all, in milliseconds. Default: for ever. */
  readonly totalTimeoutMs?: number;
  /** Where it is given, the server is asked for progress. */
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
  /** Told once the server has taken up a subscription, with what it will tell of. */
  readonly onAcknowledged?: ((honoured: JsonObject) => void) | undefined;
  /** Sent as headers beside the request, where there are such. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What the request is part of, where somebody traces. */
  readonly span?: ActiveSpan | undefined;
  /** How the request may wait for a person where the server lets it be sent again. */
  readonly pause?: CallPause | undefined;
}

/** What a {@link RequestTable} asks of its owner. */
interface RequestTableOptions {
  readonly clock: Clock;
  /** Nobody waits any longer for the answer to a request that has been sent. */
  onGivenUp(id: number, method: string, span: ActiveSpan | undefined): void;
  /** The error for a request that took too long. */
  tooLate(method: string, limitMs: number): Error;
}

interface Entry {
  readonly method: string;
  readonly options: RequestOptions;
  readonly addedAt: number;
  totalEnd: number;
  idleEnd: number;
  readonly onAbort: () => void;
  resolve(result: JsonObject): void;
  reject(reason: unknown): void;
}

/** The requests of one connection that wait for their answers. All their time limits share one timer. */
export class RequestTable {
  readonly #options: RequestTableOptions;
  readonly #entries = new Map<number, Entry>();
  readonly #timer: DeadlineTimer;
  readonly #onEmpty: (() => void)[] = [];
  #lastId = 0;
  /** How many hold the time limits, and since when. */
  #holds = 0;
  #heldSince = 0;

  constructor(options: RequestTableOptions) {
    this.#options = options;
    this.#timer = new DeadlineTimer(options.clock, (now) => this.#onRing(now));
  }

  /** Resolves when no request waits. */
  whenEmpty(): Promise<void> {
    return this.#entries.size === 0
      ? Promise.resolve()
      : new Promise((resolve) => this.#onEmpty.push(resolve));
  }

  /**
   * Takes a request in and calls `send` with its id. The promise rejects at once with the signal's
   * reason when it aborts; a signal that has aborted already sends nothing.
   */
  add(
    method: string,
    options: RequestOptions,
    send: (id: number) => Promise<void>,
  ): Promise<JsonObject> {
    const { signal, timeoutMs = forEver, totalTimeoutMs = forEver } = options;
    if (signal?.aborted) {
      return Promise.reject(signal.reason);
    }
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const now = this.#options.clock.now();
      const entry: Entry = {
        method,
        options,
        addedAt: now,
        totalEnd: now + totalTimeoutMs,
        idleEnd: now + timeoutMs,
        onAbort: () => this.#giveUp(id, signal?.reason),
        resolve,
        reject,
      };
      this.#entries.set(id, entry);
      signal?.addEventListener("abort", entry.onAbort, { once: true });
      this.#watch(entry, now);
      try {
        send(id).catch((error: unknown) => this.reject(id, error));
      } catch (error) {
        this.reject(id, error); // what is no JSON cannot even be written
      }
    });
  }

  /** Whether a request of this id waits. */
  has(id: unknown): boolean {
    return this.#entries.has(numberOf(id));
  }

  /** The answer has come. False where nobody waits for it. */
  resolve(id: unknown, result: JsonObject): boolean {
    const entry = this.#take(numberOf(id));
    entry?.resolve(result);
    return entry !== undefined;
  }

  /** There will be no good answer. */
  reject(id: unknown, reason: unknown): void {
    this.#take(numberOf(id))?.reject(reason);
  }

  /** The same for all that wait. */
  rejectAll(reasonFor: (method: string) => unknown): void {
    for (const [id, { method }] of this.#entries) {
      this.reject(id, reasonFor(method));
    }
  }

  /** The server works on a request, by the id that it was given as progress token. */
  progress(id: unknown, progress: ToolProgress | undefined): void {
    const entry = this.#entries.get(numberOf(id));
    if (entry !== undefined) {
      // The timer rings early then, finds nothing overdue, and is set anew.
      entry.idleEnd = this.#options.clock.now() + (entry.options.timeoutMs ?? forEver);
      if (progress !== undefined) {
        entry.options.onProgress?.(progress);
      }
    }
  }

  /** The server has taken up a subscription, by the id of the request for it. */
  acknowledge(id: unknown, honoured: JsonObject): void {
    this.#entries.get(numberOf(id))?.options.onAcknowledged?.(honoured);
  }

  /**
   * Stops all time limits until the function that it returns is called: it is we who keep the server
   * waiting, for a person's answer above all.
   */
  hold(): () => void {
    if (this.#holds === 0) {
      this.#heldSince = this.#options.clock.now();
      this.#timer.stop();
    }
    this.#holds += 1;
    return () => this.#release();
  }

  #release(): void {
    this.#holds -= 1;
    if (this.#holds > 0) {
      return;
    }
    const now = this.#options.clock.now();
    for (const entry of this.#entries.values()) {
      const heldMs = now - Math.max(this.#heldSince, entry.addedAt);
      entry.idleEnd += heldMs;
      entry.totalEnd += heldMs;
      this.#watch(entry, now);
    }
  }

  #take(id: number): Entry | undefined {
    const entry = this.#entries.get(id);
    if (entry !== undefined) {
      this.#entries.delete(id);
      entry.options.signal?.removeEventListener("abort", entry.onAbort);
      if (this.#entries.size === 0) {
        this.#timer.stop();
        this.#onEmpty.splice(0).forEach((resolve) => void resolve());
      }
    }
    return entry;
  }

  #giveUp(id: number, reason: unknown): void {
    const entry = this.#take(id);
    if (entry !== undefined) {
      entry.reject(reason);
      this.#options.onGivenUp(id, entry.method, entry.options.span);
    }
  }

  #watch({ idleEnd, totalEnd }: Entry, now: number): void {
    if (this.#holds > 0) {
      return;
    }
    this.#timer.ringBy(Math.min(idleEnd, totalEnd), now);
  }

  #onRing(now: number): void {
    for (const [id, entry] of this.#entries) {
      const { method, options, idleEnd, totalEnd } = entry;
      if (totalEnd <= now || idleEnd <= now) {
        const limitMs = totalEnd <= now ? options.totalTimeoutMs : options.timeoutMs;
        this.#giveUp(id, this.#options.tooLate(method, limitMs ?? 0));
      } else {
        this.#watch(entry, now);
      }
    }
  }
}

const forEver = Number.POSITIVE_INFINITY;

/** Some servers answer the number 7 with the text "7". */
const numberOf = (id: unknown): number =>
  typeof id === "string" && /^\d{1,15}$/.test(id) ? Number(id) : (id as number); // only looked up
