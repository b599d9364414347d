import { untilAborted } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import { createId } from "../base/ids.ts";
import type { Json } from "../base/json.ts";
import { sleep } from "../base/sleep.ts";
import type { RunEventBody } from "./run-event.ts";
import type { StepAttempt, StepOptions, Steps } from "./steps.ts";

/** What steps in memory need of their run. */
export interface MemoryStepsOptions {
  readonly runId: string;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly emit: (event: RunEventBody) => void;
}

/** Steps that are done and not recorded: the run ends with its process. */
export class MemorySteps implements Steps {
  readonly #options: MemoryStepsOptions;
  readonly #delivered = new Map<string, Json>();
  readonly #waiting = new Map<string, (value: Json) => void>();
  #ordinal = 0;

  constructor(options: MemoryStepsOptions) {
    this.#options = options;
  }

  run<Value extends Json>(
    _name: string,
    perform: (attempt: StepAttempt) => Promise<Value>,
    _options?: StepOptions,
  ): Promise<Value> {
    const { runId, signal } = this.#options;
    this.#ordinal += 1;
    return perform({ idempotencyKey: `${runId}:${this.#ordinal}`, attempt: 1, signal });
  }

  async waitFor<Value extends Json>(
    signalName: string,
    { timeoutMs }: { readonly timeoutMs?: number } = {},
  ): Promise<Value | null> {
    this.#ordinal += 1;
    const value = await this.#arrival(signalName, timeoutMs);
    return value as Value | null; // what the sender of this name sends is a contract of the two
  }

  /** Sends a value to whoever waits, or will wait, for `signalName`. */
  deliver(signalName: string, value: Json): void {
    const resume = this.#waiting.get(signalName);
    if (resume === undefined) {
      this.#delivered.set(signalName, value);
    } else {
      this.#waiting.delete(signalName);
      resume(value);
    }
  }

  sleep(durationMs: number): Promise<void> {
    this.#ordinal += 1;
    return sleep(this.#options.clock, durationMs, this.#options.signal);
  }

  async now(): Promise<number> {
    this.#ordinal += 1;
    return this.#options.clock.now();
  }

  async randomId(): Promise<string> {
    this.#ordinal += 1;
    return createId("id");
  }

  emit(event: RunEventBody): void {
    this.#options.emit(event);
  }

  async #arrival(signalName: string, timeoutMs: number | undefined): Promise<Json> {
    const early = this.#delivered.get(signalName);
    if (early !== undefined) {
      this.#delivered.delete(signalName);
      return early;
    }
    const { clock, signal } = this.#options;
    let cancel = (): void => {};
    const arrived = new Promise<Json>((resolve) => {
      this.#waiting.set(signalName, resolve);
      if (timeoutMs !== undefined) {
        cancel = clock.startTimer(() => resolve(null), timeoutMs);
      }
    });
    return untilAborted(arrived, signal).finally(() => {
      cancel();
      this.#waiting.delete(signalName);
    });
  }
}
