import type { Clock } from "../base/clock.ts";
import { isJsonObject, type Json, parseJson } from "../base/json.ts";
import { startTimeLimit } from "../base/time-limit.ts";
import { ArtifactError } from "./artifact-error.ts";
import type { ArtifactOwner, ArtifactStore } from "./artifact-store.ts";
import { RunError } from "./run-error.ts";
import { whileRunning } from "./run-patience.ts";
import type { StepRecord } from "./run-store.ts";

/** Whose values are kept, and where. */
export interface LargeValuesOptions extends ArtifactOwner {
  readonly store: ArtifactStore;
  readonly runId: string;
  readonly clock: Clock;
  /** How long the store may take for one value, in milliseconds. */
  readonly timeoutMs: number;
  /** The run's. */
  readonly signal: AbortSignal;
}

/** From this length on of its JSON, in UTF-16 units, a value is kept as an artifact. */
export const largeFrom = 262_144;

/** The key of what stands in a step's record for a value that is an artifact. */
const reference = "dragoman:artifact";

/**
 * Values of steps that are too large for a journal. They are kept as artifacts of the run, and the step's
 * record names them.
 */
export class LargeValues {
  readonly #options: LargeValuesOptions;

  constructor(options: LargeValuesOptions) {
    this.#options = options;
  }

  /** The record as it is written. @throws ArtifactError where the artifact cannot be kept. */
  async put(record: StepRecord, json: string): Promise<StepRecord> {
    const { store, app, actor, runId } = this.#options;
    const { id } = await this.#inTime(() =>
      store.put({
        app,
        ...(actor === undefined ? {} : { actor }),
        runId,
        mediaType: "application/json",
        bytes: new TextEncoder().encode(json),
      }),
    );
    return { kind: "finished", key: record.key, value: { [reference]: id } };
  }

  /**
   * The record as the run knows it.
   *
   * @throws RunError `store-corrupt` where its artifact is gone; ArtifactError.
   */
  async get(record: StepRecord): Promise<StepRecord> {
    const id = record.kind === "finished" ? referenceIn(record.value) : undefined;
    if (id === undefined) {
      return record;
    }
    const { store, app, actor } = this.#options;
    const who = actor === undefined ? {} : { actor };
    const found = await this.#inTime(() => store.get({ app, ...who, id }));
    const value =
      found === undefined ? undefined : parseJson(new TextDecoder().decode(found.bytes));
    if (value === undefined) {
      throw missing(record.key, id);
    }
    return { kind: "finished", key: record.key, value };
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

/**
 * The records of a run, with the values that are artifacts.
 *
 * @throws RunError `store-corrupt` where one cannot be had; ArtifactError.
 */
export async function withLargeValues(
  records: readonly StepRecord[],
  values: LargeValues | undefined,
): Promise<readonly StepRecord[]> {
  if (values !== undefined) {
    return Promise.all(records.map((record) => values.get(record)));
  }
  for (const record of records) {
    const id = record.kind === "finished" ? referenceIn(record.value) : undefined;
    if (id !== undefined) {
      throw missing(record.key, id);
    }
  }
  return records;
}

function referenceIn(value: Json): string | undefined {
  const id = isJsonObject(value) ? value[reference] : undefined;
  return typeof id === "string" && Object.keys(value as object).length === 1 ? id : undefined;
}

const missing = (key: string, id: string): RunError =>
  new RunError(
    `What step "${key}" gave is the artifact ${id}, which is not there. Give configure({ artifacts }) the store that the run was begun with.`,
    { code: "store-corrupt" },
  );
