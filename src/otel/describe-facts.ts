import type { TraceEvent, TraceFacts } from "../base/trace-operation.ts";
import { errorTypeOf } from "../base/trace-outcome.ts";
import { eventNames, names } from "./conventions.ts";
import { type DescriptionOptions, putEndpoint } from "./describe-operation.ts";
import { putModel } from "./model-names.ts";
import { type OpenAttributes, put, type SpanAttributes } from "./span-attributes.ts";

/** What has become known of an operation, as attributes. */
export function describeFacts(
  { model, responseModel, finishReason, usage, mcp, count }: TraceFacts,
  { conventions, identifiers }: DescriptionOptions,
): SpanAttributes {
  const attributes: OpenAttributes = {};
  if (model !== undefined) {
    putModel(attributes, model, conventions);
  }
  put(attributes, names.responseModel, responseModel);
  put(attributes, names.finishReasons, finishReason === undefined ? undefined : [finishReason]);
  if (usage !== undefined) {
    putUsage(attributes, usage);
  }
  if (mcp !== undefined) {
    put(attributes, names.mcpVersion, mcp.protocolVersion);
    put(attributes, names.network, mcp.network);
    putEndpoint(attributes, mcp.endpoint);
    put(attributes, names.requestId, identifiers ? mcp.requestId : undefined);
  }
  put(attributes, names.count, count);
  return attributes;
}

function putUsage(attributes: OpenAttributes, usage: NonNullable<TraceFacts["usage"]>): void {
  attributes[names.inputTokens] = usage.inputTokens;
  attributes[names.outputTokens] = usage.outputTokens;
  put(attributes, names.cachedTokens, usage.cachedInputTokens);
  put(attributes, names.reasoningTokens, usage.reasoningTokens);
}

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
    case "artifact": {
      const attributes: OpenAttributes = { "dragoman.artifact.kind": event.of };
      put(attributes, "dragoman.artifact.size", event.size);
      return { name: eventNames.artifact, attributes };
    }
    case "decision":
      return { name: eventNames.decision, attributes: { "dragoman.decision": event.decision } };
  }
}
