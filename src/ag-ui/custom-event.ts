import type { RunEventBody } from "../agent/run-event.ts";
import type { Json } from "../base/json.ts";
import type { Lane, Outgoing } from "./lane.ts";

/** The run events that AG-UI has no event for. */
type CustomRunEvent = Extract<
  RunEventBody,
  {
    readonly kind:
      | "model-retry"
      | "tool-progress"
      | "artifact-create"
      | "server-connect"
      | "server-fail"
      | "discovery-end"
      | "notice";
  }
>;

/**
 * What AG-UI has no event for, as a `CUSTOM` event named `dragoman.…`. A client loses nothing that it
 * needs by ignoring it.
 */
export function customEvent(event: CustomRunEvent, lane: Lane): readonly Outgoing[] {
  const { subagentRunId } = lane;
  const { name, value } = toCustom(event, lane);
  const owner = subagentRunId === undefined ? {} : { subagentRunId };
  return [{ type: "CUSTOM", name: `dragoman.${name}`, value, ...owner }];
}

function toCustom(
  event: CustomRunEvent,
  lane: Lane,
): { readonly name: string; readonly value: Json } {
  switch (event.kind) {
    case "model-retry": {
      const { attempt, delayMs, error } = event;
      const supersededMessageId = lane.turn;
      return { name: "retry", value: { attempt, delayMs, code: error.code, supersededMessageId } };
    }
    case "tool-progress": {
      const toolCallId = lane.wireIdOf(event.id);
      return { name: "tool_progress", value: { toolCallId, ...event.progress } };
    }
    case "artifact-create": {
      const { id, mediaType, name, size, reference } = event;
      const toolCallId = lane.wireIdOf(event.toolCallId);
      return { name: "artifact", value: { id, toolCallId, mediaType, name, size, reference } };
    }
    case "server-connect":
      return { name: "server", value: { server: event.server, status: "connected" } };
    case "server-fail": {
      const { code } = event.error;
      return { name: "server", value: { server: event.server, status: "failed", code } };
    }
    case "discovery-end": {
      const chosen =
        event.of === "servers" ? event.servers.filter((server) => server.chosen) : event.tools;
      const names = chosen.map(({ name }) => name);
      return { name: "discovery", value: { of: event.of, reason: event.reason, names } };
    }
    case "notice":
      return { name: "notice", value: { code: event.code, message: event.message } };
  }
}
