import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { toMeasures } from "./plain-measures.ts";
import { toPlainSpan } from "./span-tree.ts";
import type { KeepingSdk } from "./traced-runs.ts";

/** OpenTelemetry's SDK 3, which keeps what it exports. */
export function openSdk3(): KeepingSdk {
  const exporter = new InMemorySpanExporter();
  const measures = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({
    exporter: measures,
    exportIntervalMillis: 2 ** 30,
  });
  const meterProvider = new MeterProvider({ readers: [reader] });
  return {
    providers: {
      tracerProvider: new TracerProvider({
        spanProcessors: [new SimpleSpanProcessor({ exporter })],
      }),
      meterProvider,
    },
    spans: () => exporter.getFinishedSpans().map(toPlainSpan),
    async measures() {
      await meterProvider.forceFlush();
      return toMeasures(measures.getMetrics().at(-1)?.scopeMetrics);
    },
  };
}
