import type { Context, Counter, Histogram, Meter, MeterProvider } from "@opentelemetry/api";
import { version } from "../base/version.ts";
import type { Conventions } from "./conventions.ts";
import type { Meters } from "./measured.ts";
import type { SpanSink } from "./span-sink.ts";

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
    record: (name, value, attributes, sink) =>
      once(histograms, name, (on) => on.createHistogram(name, shapeOf(name))).record(
        value,
        withLists(attributes),
        placeOf(sink),
      ),
    add: (name, value, attributes, sink) =>
      once(counters, name, (on) => on.createCounter(name, { unit: "{token}" })).add(
        value,
        withLists(attributes),
        placeOf(sink),
      ),
  };
}

/** By it an SDK finds a trace that shows what was measured. */
const placeOf = ({ place }: SpanSink): Context => place as Context; // `ApiSpan`'s

const inferenceBuckets = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
const agentBuckets = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6];
const mcpBuckets = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
const callBuckets = [1, 2, 4, 8, 16, 32, 64, 128];
const tokenBuckets = [
  1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216,
  67_108_864,
];

/** Units and bounds, as the conventions have them. */
function shapeOf(name: string) {
  switch (name) {
    case "gen_ai.invoke_agent.duration":
      return shape("s", agentBuckets);
    case "gen_ai.invoke_agent.inference_calls":
      return shape("{inference_call}", callBuckets);
    case "gen_ai.invoke_agent.tool_calls":
      return shape("{tool_call}", callBuckets);
    default:
      return /tokens$|token\.usage$/.test(name)
        ? shape("{token}", tokenBuckets)
        : shape("s", name.startsWith("mcp.") ? mcpBuckets : inferenceBuckets);
  }
}

const shape = (unit: string, explicitBucketBoundaries: number[]) => ({
  unit,
  advice: { explicitBucketBoundaries },
});

/** The API's own type of attributes wants lists that may be changed. */
export const withLists = (
  attributes: Parameters<Meters["record"]>[2],
): Record<string, string | number | boolean | string[]> =>
  attributes as Record<string, string | number | boolean | string[]>;
