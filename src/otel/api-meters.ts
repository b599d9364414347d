import type { Counter, Histogram, Meter, MeterProvider } from "@opentelemetry/api";
import { version } from "../base/version.ts";
import type { Conventions } from "./conventions.ts";
import type { Meters } from "./measured.ts";

const inferenceBuckets = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
const mcpBuckets = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
const countBuckets = [0, 1, 2, 4, 8, 16, 32, 64, 128];
const tokenBuckets = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576];

/** Measures by OpenTelemetry's API. Each instrument is made once, on its first use. */
export function apiMeters(provider: () => MeterProvider, { schemaUrl }: Conventions): Meters {
  let meter: Meter | undefined;
  const histograms = new Map<string, Histogram>();
  const counters = new Map<string, Counter>();
  const once = <Instrument>(
    kept: Map<string, Instrument>,
    name: string,
    make: (meter: Meter) => Instrument,
  ): Instrument => {
    const known = kept.get(name);
    if (known !== undefined) {
      return known;
    }
    meter ??= provider().getMeter("dragoman", version, { schemaUrl });
    const made = make(meter);
    kept.set(name, made);
    return made;
  };
  return {
    record: (name, value, attributes) =>
      once(histograms, name, (on) => on.createHistogram(name, shapeOf(name))).record(
        value,
        withLists(attributes),
      ),
    add: (name, value, attributes) =>
      once(counters, name, (on) => on.createCounter(name, { unit: "{token}" })).add(
        value,
        withLists(attributes),
      ),
  };
}

function shapeOf(name: string) {
  if (name.endsWith("_calls")) {
    return { unit: "{call}", advice: { explicitBucketBoundaries: countBuckets } };
  }
  if (name.endsWith("token.usage")) {
    return { unit: "{token}", advice: { explicitBucketBoundaries: tokenBuckets } };
  }
  const buckets = name.startsWith("mcp.") ? mcpBuckets : inferenceBuckets;
  return { unit: "s", advice: { explicitBucketBoundaries: buckets } };
}

/** The API's own type of attributes wants lists that may be changed. */
export const withLists = (
  attributes: Parameters<Meters["record"]>[2],
): Record<string, string | number | boolean | string[]> =>
  attributes as Record<string, string | number | boolean | string[]>;
