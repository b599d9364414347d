import type { TraceEvent, TraceFacts } from "../base/trace-operation.ts";
import { errorTypeOf } from "../base/trace-outcome.ts";
import { eventNames, names } from "./conventions.ts";
import {
  type DescriptionOptions,
  endpointAttributes,
  given,
  modelAttributes,
  type SpanAttributes,
} from "./describe-operation.ts";

/** What has become known of an operation, as attributes. */
export function describeFacts(
  { model, responseModel, finishReason, usage, mcp, count }: TraceFacts,
  { conventions, identifiers }: DescriptionOptions,
): SpanAttributes {
  return {
    ...(model === undefined ? {} : modelAttributes(model, conventions)),
    ...given(names.responseModel, responseModel),
    ...(finishReason === undefined ? {} : { [names.finishReasons]: [finishReason] }),
    ...(usage === undefined ? {} : usageAttributes(usage)),
    ...(mcp === undefined
      ? {}
      : {
          ...given(names.mcpVersion, mcp.protocolVersion),
          ...given(names.network, mcp.network),
          ...endpointAttributes(mcp.endpoint),
          ...given(names.requestId, identifiers ? mcp.requestId : undefined),
        }),
    ...given(names.count, count),
  };
}

const usageAttributes = (usage: NonNullable<TraceFacts["usage"]>): SpanAttributes => ({
  [names.inputTokens]: usage.inputTokens,
  [names.outputTokens]: usage.outputTokens,
  ...given(names.cachedTokens, usage.cachedInputTokens),
  ...given(names.reasoningTokens, usage.reasoningTokens),
});

/** A moment of an operation as a span's event; `undefined` for one that is only measured. */
export function describeEvent(
  event: TraceEvent,
): { readonly name: string; readonly attributes: SpanAttributes } | undefined {
  switch (event.kind) {
    case "chunk":
      return undefined;
    case "turn":
      return { name: eventNames.turn, attributes: { "dragoman.step": event.step } };
    case "retry":
      return {
        name: eventNames.retry,
        attributes: {
          "dragoman.retry.of": event.of,
          "dragoman.retry.attempt": event.attempt,
          "dragoman.retry.delay_ms": event.delayMs,
          [names.errorType]: errorTypeOf(event.error),
        },
      };
    case "fallback":
      return { name: eventNames.fallback, attributes: { "dragoman.model": event.model } };
    case "interrupt":
      return { name: eventNames.interrupt, attributes: { "dragoman.interrupt.kind": event.of } };
    case "artifact":
      return {
        name: eventNames.artifact,
        attributes: {
          "dragoman.artifact.kind": event.of,
          ...given("dragoman.artifact.size", event.size),
        },
      };
    case "decision":
      return { name: eventNames.decision, attributes: { "dragoman.decision": event.decision } };
  }
}
