/** What a series of measurements comes to, in the unit of the measurements. */
export interface Summary {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

/** @throws RangeError for no measurement at all. */
export function summarize(measurements: readonly number[]): Summary {
  const sorted = measurements.toSorted((left, right) => left - right);
  const at = (index: number): number => {
    const value = sorted[index];
    if (value === undefined) {
      throw new RangeError("There is no measurement to summarize.");
    }
    return value;
  };
  const middle = (sorted.length - 1) / 2;
  return {
    min: at(0),
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    max: at(sorted.length - 1),
  };
}

/** How many times the second median the first one is: below 1, the first is the smaller. */
export function ratioOfMedians(
  measurements: readonly number[],
  reference: readonly number[],
): number {
  return summarize(measurements).median / summarize(reference).median;
}

/**
 * A measurement of each subject per round, in turn, so that whatever else the machine does meets them
 * all alike. The first round warms caches and is not kept.
 */
export async function measureInterleaved<Name extends string, Measurement>(
  names: readonly Name[],
  rounds: number,
  measure: (name: Name) => Promise<Measurement>,
): Promise<Readonly<Record<Name, readonly Measurement[]>>> {
  const kept = {} as Record<Name, Measurement[]>; // filled by the first round
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of names) {
      const measurement = await measure(name);
      kept[name] = round === 0 ? [] : [...kept[name], measurement];
    }
  }
  return kept;
}
