export type { CapturedKind, ContentCapture } from "./content-capture.ts";
export type { ConventionsVersion } from "./conventions.ts";
export type { SpanKindName } from "./describe-operation.ts";
export { instrument } from "./instrument.ts";
export {
  OpenTelemetryTracing,
  type OpenTelemetryTracingOptions,
} from "./open-telemetry-tracing.ts";
export type { SpanAttributes } from "./span-attributes.ts";
export { type RecordedSpan, SpanRecorder } from "./span-recorder.ts";
