/** What one instrument has taken, whatever SDK it was exported by. */
export interface PlainMeasure {
  readonly unit: string;
  /** Of a distribution. */
  readonly bounds: readonly number[] | undefined;
  /** The attributes of each series. */
  readonly series: readonly Readonly<Record<string, unknown>>[];
  /** How much each series has taken: the sum of a counter, the number of values of a distribution. */
  readonly counts: readonly number[];
}

/** All measures by name. */
export type PlainMeasures = ReadonlyMap<string, PlainMeasure>;

/** What exported measures of both SDKs have. */
interface ExportedMeasures {
  readonly metrics: readonly {
    readonly descriptor: { readonly name: string; readonly unit: string };
    readonly dataPoints: readonly {
      readonly attributes: Readonly<Record<string, unknown>>;
      readonly value: unknown;
    }[];
  }[];
}

interface Distribution {
  readonly count: number;
  readonly buckets: { readonly boundaries: readonly number[] };
}

/** The part of measures that tests are about. */
export const toMeasures = (scopes: readonly ExportedMeasures[] = []): PlainMeasures =>
  new Map(
    scopes
      .flatMap(({ metrics }) => metrics)
      .map(({ descriptor: { name, unit }, dataPoints }) => {
        const values = dataPoints.map(({ value }) => value as number | Distribution); // a counter's, or a histogram's
        const [first] = values;
        return [
          name,
          {
            unit,
            bounds: typeof first === "object" ? first.buckets.boundaries : undefined,
            series: dataPoints.map(({ attributes }) => attributes),
            counts: values.map((value) => (typeof value === "number" ? value : value.count)),
          },
        ];
      }),
  );
