// Runs as OpenTelemetry's spans, with an exporter that prints them; any other is used the same way.
import { metrics, trace } from "@opentelemetry/api";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { defineAgent, defineTool } from "dragoman";
import { instrument, OpenTelemetryTracing, SpanRecorder } from "dragoman/otel";
import { scriptedModel } from "dragoman/testing";

/** In the place of an exporter that sends spans to a collector. */
const exporter = {
  export(spans: readonly { readonly name: string }[], done: (result: { code: number }) => void) {
    console.log(spans.map(({ name }) => name).join(", "));
    done({ code: 0 });
  },
  shutdown: async () => {},
  forceFlush: async () => {},
};

// The SDK is the application's: once, before the first run.
trace.setGlobalTracerProvider(
  new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter })] }),
);
metrics.setGlobalMeterProvider(new MeterProvider());

const tracing = new OpenTelemetryTracing({
  // Off by default. With a scrubber what was said is written as well, as the scrubber gives it.
  capture: {
    scrub: (kind, value) => (kind === "tool-definitions" ? undefined : withoutNumbers(value)),
    maxCharacters: 4_000,
  },
});
instrument(tracing);

const withoutNumbers = (value: unknown): string => JSON.stringify(value).replace(/\d{4,}/g, "***");

const balance = defineTool({
  name: "balance",
  description: "The balance of an account.",
  execute: () => 12,
});
const model = scriptedModel([{ calls: [{ name: "balance" }] }, "There are 12 left."]);
const bank = defineAgent({ name: "bank", model, tools: [balance] });

await bank.ask("What is left on account 12345678?");
await tracing.shutdown(); // sends what is left; it does not reject

// Without OpenTelemetry: the same spans, for a terminal or a test.
instrument(
  new SpanRecorder(({ name, durationMs, attributes }) =>
    console.log(name, durationMs < 1_000, attributes["gen_ai.usage.input_tokens"]),
  ),
);
await bank.ask("And now?");
