import type { Clock } from "../base/clock.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { startTimeLimit } from "../base/time-limit.ts";
import type { ArtifactLabel } from "../tool/artifact.ts";
import { ArtifactError } from "./artifact-error.ts";
import type { ArtifactOwner, ArtifactStore } from "./artifact-store.ts";
import {
  type BackInLine,
  holdsLookAlike,
  type OutOfLine,
  putBack,
  takeOut,
} from "./out-of-line.ts";
import { RunError } from "./run-error.ts";
import type { RunEvent } from "./run-event.ts";
import type { RunInput } from "./run-input.ts";
import { whileRunning } from "./run-patience.ts";
import type { StepRecord } from "./run-store.ts";
import { eventOutOfLine } from "./whole-event.ts";

/** Whose values are kept, and where. */
export interface LargeValuesOptions extends ArtifactOwner {
  /** `undefined` where artifacts have none: then all stays where it is. */
  readonly store: ArtifactStore | undefined;
  readonly runId: string;
  readonly clock: Clock;
  /** How long the store may take for one value, in milliseconds. */
  readonly timeoutMs: number;
  /** The run's. */
  readonly signal: AbortSignal;
}

/**
 * What is too large for a run's record. It is kept as artifacts of the run, and the record names them.
 */
export class LargeValues {
  readonly #options: LargeValuesOptions;

  constructor(options: LargeValuesOptions) {
    this.#options = options;
  }

  /**
   * A step's record as it is written. Media that cannot be kept stay in it.
   *
   * @throws what the store throws where another value cannot be kept; the signal's reason.
   */
  async step(record: StepRecord): Promise<StepRecord> {
    const isWhole =
      record.kind !== "finished" ||
      (this.#options.store === undefined && !holdsLookAlike(record.value));
    return isWhole ? record : { ...record, value: await takeOut(record.value, this.#outOfLine) };
  }

  /** An event as it is written. What cannot be kept stays in it. */
  event(event: RunEvent): Promise<RunEvent> {
    const keep = this.#keepIfPossible;
    return this.#options.store === undefined
      ? Promise.resolve(event)
      : eventOutOfLine(event, { keepMedia: keep, keepValue: keep });
  }

  /** What a run was asked, as it is written. Media that cannot be kept stay in it. */
  async input(input: RunInput): Promise<RunInput> {
    return typeof input === "string"
      ? input
      : ((await takeOut(input as unknown as Json, {
          keepMedia: this.#keepIfPossible,
          keepValue: undefined,
        })) as unknown as RunInput); // parts of messages are JSON, and media stay media
  }

  /**
   * The record of a step as the run knows it.
   *
   * @throws RunError `store-corrupt` where an artifact of it is gone; what the store throws.
   */
  async wholeStep(record: StepRecord): Promise<StepRecord> {
    return record.kind === "finished"
      ? { ...record, value: await putBack(record.value, this.#inLine(`step "${record.key}" gave`)) }
      : record;
  }

  /** What a run was asked. @throws as {@link wholeStep}. */
  async wholeInput(input: RunInput): Promise<RunInput> {
    const how = { ...this.#inLine("the run was asked"), all: false };
    return typeof input === "string"
      ? input
      : ((await putBack(input as unknown as Json, how)) as unknown as RunInput); // as above
  }

  get #outOfLine(): OutOfLine {
    return { keepMedia: this.#keepIfPossible, keepValue: this.#keep };
  }

  #inLine(what: string): BackInLine {
    return {
      all: true,
      read: (id) => this.#read(id),
      missing(id: string, inPlace: JsonObject): Json {
        // An address that a tool gave, and that only looks like one of ours, is not missed.
        if (inPlace["kind"] === "url") {
          return inPlace;
        }
        throw new RunError(
          `What ${what} is the artifact ${id}, which is not there. Give configure({ artifacts }) the store that the run was begun with.`,
          { code: "store-corrupt" },
        );
      },
    };
  }

  readonly #keep = async (
    bytes: Uint8Array<ArrayBuffer>,
    label: ArtifactLabel,
  ): Promise<string | undefined> => {
    const { store, runId } = this.#options;
    const kept =
      store && (await this.#inTime(() => store.put({ ...this.#owner, runId, ...label, bytes })));
    return kept?.id;
  };

  readonly #keepIfPossible = async (
    bytes: Uint8Array<ArrayBuffer>,
    label: ArtifactLabel,
  ): Promise<string | undefined> => {
    try {
      return await this.#keep(bytes, label);
    } catch {
      return undefined;
    }
  };

  async #read(id: string): Promise<Uint8Array | undefined> {
    const { store } = this.#options;
    const found = store && (await this.#inTime(() => store.get({ ...this.#owner, id })));
    return found?.bytes;
  }

  get #owner(): ArtifactOwner {
    const { app, actor } = this.#options;
    return { app, ...(actor === undefined ? {} : { actor }) };
  }

  async #inTime<Value>(work: () => Promise<Value>): Promise<Value> {
    const { clock, timeoutMs } = this.#options;
    const limit = startTimeLimit(clock, this.#options.signal, timeoutMs, () => {
      const message = `The store of artifacts did not answer within timeoutMs of artifacts (${timeoutMs}).`;
      return new ArtifactError(message, { code: "artifact-store-failed" });
    });
    try {
      return await whileRunning(limit.signal, work);
    } finally {
      limit.stop();
    }
  }
}
