import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { describe } from "vitest";
import { toMeasures } from "../test/plain-measures.ts";
import { toPlainSpan } from "../test/span-tree.ts";
import type { KeepingSdk } from "../test/traced-runs.ts";
import { testTracing } from "../test/tracing-tests.ts";

/** OpenTelemetry's SDK 2, which keeps what it exports. */
function openSdk2(): KeepingSdk {
  const exporter = new InMemorySpanExporter();
  const measures = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({
    exporter: measures,
    exportIntervalMillis: 2 ** 30,
  });
  const meterProvider = new MeterProvider({ readers: [reader] });
  return {
    providers: {
      tracerProvider: new BasicTracerProvider({
        spanProcessors: [new SimpleSpanProcessor(exporter)],
      }),
      // The types of the API that SDK 2 takes are not those that the tests are compiled with.
      meterProvider: meterProvider as unknown as KeepingSdk["providers"]["meterProvider"],
    },
    spans: () => exporter.getFinishedSpans().map(toPlainSpan),
    async measures() {
      await meterProvider.forceFlush();
      return toMeasures(measures.getMetrics().at(-1)?.scopeMetrics);
    },
  };
}

describe("G-O1, G-O2, G-O4, G-O5: on SDK 2", () => testTracing(openSdk2));
