import { diag, type MeterProvider, metrics, type TracerProvider, trace } from "@opentelemetry/api";
import { ConfigurationError, messageOf } from "../base/dragoman-error.ts";
import type { TraceContext } from "../base/trace-context.ts";
import type { TraceOperation } from "../base/trace-operation.ts";
import type { ActiveSpan, Tracer } from "../base/tracing.ts";
import { apiLogs, type EventLoggerProvider, registeredLoggers } from "./api-logs.ts";
import { apiMeters } from "./api-meters.ts";
import { apiSpans } from "./api-spans.ts";
import { type ContentCapture, checkCapture } from "./content-capture.ts";
import { type ConventionsVersion, conventionsOf } from "./conventions.ts";
import type { SpanKeeper } from "./span-sink.ts";
import { type SpanSettings, startSpan } from "./traced-span.ts";

/** How runs are traced. */
export interface OpenTelemetryTracingOptions {
  /** Which names are used. Default `"v0.1.0"`; most backends still read those of `"older"`. */
  readonly semanticConventions?: ConventionsVersion;
  /** Puts what was said into traces, too. Default: nothing of it. */
  readonly capture?: ContentCapture;
  /** Whether a call of an MCP tool has a second span for its request. Default false. */
  readonly separateMcpSpans?: boolean;
  /**
   * Whether ids of conversations and of requests become attributes of spans; of measures they never do.
   * Default false.
   */
  readonly identifiers?: boolean;
  /** Aliases of MCP servers that get the application's baggage. Default: none. */
  readonly trustedServers?: readonly string[];
  /** Default: the one that the application has registered when the first span begins. */
  readonly tracerProvider?: TracerProvider;
  /** Default: the one that is registered when the first thing is measured; `false` measures nothing. */
  readonly meterProvider?: MeterProvider | false;
  /**
   * Takes failures of model calls and tools, and content that is captured as events, as log records with
   * names. Default: the one that is registered, which needs version 1.10 of the API. Where there is none,
   * and with `false`, they are events of spans.
   */
  readonly loggerProvider?: EventLoggerProvider | false;
}

/**
 * Runs as OpenTelemetry's spans and measures. SDK, processors and exporters are the application's, which
 * registers them before the first run. Without an SDK nothing is recorded.
 */
export class OpenTelemetryTracing implements Tracer {
  readonly #keeper: SpanKeeper;
  readonly #settings: SpanSettings;
  readonly #providers: () => readonly unknown[];

  /** @throws ConfigurationError where content is to be captured without a scrubber. */
  constructor(options: OpenTelemetryTracingOptions = {}) {
    const { semanticConventions = "v0.1.0", capture, trustedServers = [] } = options;
    if (semanticConventions !== "v0.1.0" && semanticConventions !== "older") {
      throw new ConfigurationError(
        `semanticConventions is ${JSON.stringify(semanticConventions)}; it must be "v0.1.0" or "older".`,
        { code: "invalid-configuration" },
      );
    }
    checkCapture(capture);
    const conventions = conventionsOf(semanticConventions);
    const { meterProvider } = options;
    const spansOf = (): TracerProvider => options.tracerProvider ?? trace.getTracerProvider();
    const metersOf = (): MeterProvider =>
      meterProvider === undefined || meterProvider === false
        ? metrics.getMeterProvider()
        : meterProvider;
    const loggersOf = (): EventLoggerProvider | undefined =>
      options.loggerProvider === false
        ? undefined
        : (options.loggerProvider ?? registeredLoggers());
    this.#keeper = apiSpans(spansOf, apiLogs(loggersOf, conventions), conventions);
    this.#providers = () =>
      [spansOf(), meterProvider === false ? undefined : metersOf(), loggersOf()].filter(
        (one) => one !== undefined,
      );
    this.#settings = {
      conventions,
      capture,
      identifiers: options.identifiers ?? false,
      separateMcpSpans: options.separateMcpSpans ?? false,
      isTrusted: (server) => trustedServers.includes(server),
      meters: meterProvider === false ? undefined : apiMeters(metersOf, conventions),
    };
  }

  start(operation: TraceOperation, parent: TraceContext | undefined): ActiveSpan {
    return startSpan(this.#keeper, operation, parent, this.#settings);
  }

  /** Sends what has ended and is not sent yet. It does not reject: what fails is told to OpenTelemetry's `diag`. */
  flush(): Promise<void> {
    return this.#each("forceFlush");
  }

  /** Sends the rest and ends the providers; nothing is recorded afterwards. It does not reject. */
  shutdown(): Promise<void> {
    return this.#each("shutdown");
  }

  async #each(method: "forceFlush" | "shutdown"): Promise<void> {
    await Promise.all(
      this.#providers().map(async (provider) => {
        try {
          await methodOf(provider, method)?.();
        } catch (thrown) {
          diag.error(`dragoman: ${method} failed: ${messageOf(thrown)}`);
        }
      }),
    );
  }
}

/** A method that the SDK's providers have and the API does not know of. */
function methodOf(provider: unknown, name: string): (() => unknown) | undefined {
  const registered = callable(provider, "getDelegate")?.() ?? provider;
  return callable(registered, name);
}

function callable(target: unknown, name: string): (() => unknown) | undefined {
  const method = (target as Readonly<Record<string, unknown>>)[name]; // a provider is an object
  return typeof method === "function" ? () => method.call(target) : undefined;
}
