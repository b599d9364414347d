import { isJsonObject, type Json, parseJson } from "../base/json.ts";
import type { ArtifactOwner, ArtifactStore } from "./artifact-store.ts";
import { RunError } from "./run-error.ts";
import type { StepRecord } from "./run-store.ts";

/** Whose values are kept, and where. */
export interface LargeValuesOptions extends ArtifactOwner {
  readonly store: ArtifactStore;
  readonly runId: string;
  readonly session?: string | undefined;
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
    const { store, session, ...owner } = this.#options;
    const { id } = await store.put({
      ...owner,
      ...(session === undefined ? {} : { session }),
      mediaType: "application/json",
      bytes: new TextEncoder().encode(json),
    });
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
    const found = await store.get({ app, ...(actor === undefined ? {} : { actor }), id });
    const value =
      found === undefined ? undefined : parseJson(new TextDecoder().decode(found.bytes));
    if (value === undefined) {
      throw missing(record.key, id);
    }
    return { kind: "finished", key: record.key, value };
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
