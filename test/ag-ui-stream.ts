import { expect } from "vitest";
import type { AgUiEvent } from "../src/ag-ui/ag-ui-event.ts";
import type { RunSource } from "../src/ag-ui/positioned-events.ts";
import { type ToAgUiOptions, toAgUi } from "../src/ag-ui/to-ag-ui.ts";
import type { RunEvent, RunEventBody } from "../src/agent/run-event.ts";
import type { Usage } from "../src/model/usage.ts";
import { brokenRules } from "./ag-ui-rules.ts";

export const ids: { readonly threadId: string; readonly runId: string } = {
  threadId: "thread",
  runId: "wire-run",
};

/** All events of a run; every rule of the protocol is checked on the way. */
export async function sent(
  run: RunSource,
  options: Partial<ToAgUiOptions> = {},
): Promise<readonly AgUiEvent[]> {
  const events: AgUiEvent[] = [];
  for await (const event of toAgUi(run, { ...ids, protocolVersion: "1.0", ...options })) {
    events.push(event);
  }
  const { shownCallIds = [] } = options;
  expect(brokenRules(events, { ...ids, shownCallIds })).toEqual([]);
  return events;
}

/** A line for each event: its type and what tells it from others. */
export function outline(events: readonly AgUiEvent[]): readonly string[] {
  return events.map((event) => {
    const id = "toolCallId" in event ? event.toolCallId : undefined;
    const text = "delta" in event && typeof event.delta === "string" ? event.delta : undefined;
    const name = "stepName" in event ? event.stepName : "name" in event ? event.name : undefined;
    const result = event.type === "TOOL_CALL_RESULT" ? JSON.stringify(event.content) : undefined;
    const owner = "subagentRunId" in event ? `<${event.subagentRunId}>` : undefined;
    return [event.type, owner, id, name, text, result]
      .filter((part) => part !== undefined)
      .join(" ");
  });
}

/** A source of events that somebody else made: a subagent's, say. */
export async function* eventsOf(
  ...bodies: readonly (RunEventBody & { readonly path?: readonly string[] })[]
): AsyncGenerator<RunEvent> {
  let sequence = 0;
  for (const { path = ["boss"], ...body } of bodies) {
    sequence += 1;
    yield { ...body, runId: "run", sequence, time: sequence, agentPath: path } as RunEvent; // a body stays one
  }
}

export const noTokens: Usage = { inputTokens: 0, outputTokens: 0 };
export const completed: RunEventBody = {
  kind: "run-end",
  status: "completed",
  text: "",
  usage: noTokens,
};
