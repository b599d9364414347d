/** What each file of a benchmark exports as `benchmark`. */
export interface Benchmark {
  /** What is measured and how, in a sentence. */
  readonly description: string;
  /** Measures; nothing else of consequence runs meanwhile. */
  run(): Promise<BenchmarkReport>;
}

/** What a benchmark found. */
export interface BenchmarkReport {
  /** The first row is the heading. */
  readonly table: readonly (readonly string[])[];
  /** Claims about the figures, in words, and whether they hold on this run. */
  readonly claims: readonly { readonly text: string; readonly holds: boolean }[];
}
