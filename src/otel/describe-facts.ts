import type { TraceEvent, TraceFacts, TraceOperation } from "../base/trace-operation.ts";
import { errorTypeOf } from "../base/trace-outcome.ts";
import { type Conventions, eventNames, names } from "./conventions.ts";
import { type DescriptionOptions, putClient, putServer } from "./describe-operation.ts";
import { putModel } from "./model-names.ts";
import { type OpenAttributes, put, type SpanAttributes } from "./span-attributes.ts";

/** What has become known of an operation, as attributes. */
export function describeFacts(
  { model, responseModel, responseId, finishReason, usage, mcp, count }: TraceFacts,
  kind: TraceOperation["kind"],
  options: DescriptionOptions,
): SpanAttributes {
  const attributes: OpenAttributes = {};
  if (model !== undefined) {
    putModel(attributes, model, options.conventions);
  }
  put(attributes, names.responseModel, responseModel);
  put(attributes, names.responseId, responseId);
  put(attributes, names.finishReasons, finishReason && [finishReasonOf(finishReason)]);
  if (usage !== undefined) {
    attributes[names.inputTokens] = usage.inputTokens;
    attributes[names.outputTokens] = usage.outputTokens;
    // Of agents the conventions have only the sums.
    if (kind === "model") {
      putTokenParts(attributes, usage, options.conventions);
    }
  }
  if (mcp !== undefined) {
    putMcp(attributes, mcp, kind, options);
  }
  put(attributes, names.count, count);
  return attributes;
}

/** A reason in the conventions' words. */
export const finishReasonOf = (reason: string): string =>
  reason === "tool-calls" ? "tool_call" : reason.replaceAll("-", "_");

function putTokenParts(
  attributes: OpenAttributes,
  usage: NonNullable<TraceFacts["usage"]>,
  { cacheWriteTokens }: Conventions,
): void {
  put(attributes, names.cachedTokens, usage.cachedInputTokens);
  put(attributes, cacheWriteTokens, usage.cacheWriteInputTokens);
  put(attributes, names.reasoningTokens, usage.reasoningTokens);
}

function putMcp(
  attributes: OpenAttributes,
  mcp: NonNullable<TraceFacts["mcp"]>,
  kind: TraceOperation["kind"],
  { identifiers }: DescriptionOptions,
): void {
  put(attributes, names.mcpVersion, mcp.protocolVersion);
  put(attributes, names.network, mcp.network);
  put(attributes, names.networkProtocol, mcp.networkProtocol);
  const putPeer = kind === "mcp-answer" ? putClient : putServer;
  putPeer(attributes, mcp.endpoint);
  if (identifiers) {
    put(attributes, names.requestId, mcp.requestId);
    put(attributes, names.mcpSession, mcp.sessionId);
  }
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
