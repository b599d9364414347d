import type { AgUiEvent } from "./ag-ui-event.ts";
import { contentText } from "./result-content.ts";

/**
 * The event as a client reads it that speaks this revision. Clients before 1.0 name none, and fail on
 * three shapes: parts as a tool's result, pending calls, and a run that was cancelled.
 */
export function forClient(event: AgUiEvent, protocolVersion: string | undefined): AgUiEvent {
  if (protocolVersion !== undefined) {
    return event;
  }
  if (event.type === "TOOL_CALL_RESULT") {
    return { ...event, content: contentText(event.content) };
  }
  if (event.type !== "RUN_FINISHED" || event.outcome === undefined) {
    return event;
  }
  const { outcome, ...rest } = event;
  if (outcome.type === "cancelled") {
    return rest;
  }
  return outcome.type === "success" ? { ...rest, outcome: { type: "success" } } : event;
}
