import { expect } from "vitest";
import type { AgUiEvent, AgUiInterrupt } from "../src/ag-ui/ag-ui-event.ts";
import { type AgUiHandler, createAgUiHandler } from "../src/ag-ui/create-ag-ui-handler.ts";
import type { RunAgentInput } from "../src/ag-ui/run-agent-input.ts";
import type { AgentDefinition } from "../src/agent/agent-definition.ts";
import { memorySessions } from "../src/stores/memory-sessions.ts";
import { manualClock } from "../src/testing/manual-clock.ts";
import type {
  ScriptedAnswer,
  ScriptedCall,
  ScriptedModel,
  ScriptedTurn,
} from "../src/testing/scripted-model.ts";
import { defineTool } from "../src/tool/define-tool.ts";
import type { Tool } from "../src/tool/tool.ts";
import { ada, authenticate, eventsIn, post, user } from "./ag-ui-client.ts";
import { brokenRules } from "./ag-ui-rules.ts";
import { add, agentOf, modelOf } from "./agent-fixture.ts";

export const refunds: string[] = [];

export const refund: Tool = defineTool({
  name: "refund",
  description: "Refunds an order.",
  inputSchema: { type: "object", properties: { order: { type: "string" } } },
  execute: (input) => {
    refunds.push(JSON.stringify(input));
    return "refunded";
  },
});

export const asks: ScriptedAnswer & { readonly calls: readonly ScriptedCall[] } = {
  calls: [{ id: "c1", name: "refund", arguments: { order: "7" } }],
};

export interface Desk {
  readonly handler: AgUiHandler;
  readonly model: ScriptedModel;
  /** A run of the thread; the rules of the protocol are checked. */
  run(
    input: Partial<RunAgentInput>,
    who?: typeof ada,
    shownCallIds?: readonly string[],
  ): Promise<readonly AgUiEvent[]>;
}

/** A desk whose refunds need approval. With `kept` it keeps sessions. */
export function desk(
  turns: [ScriptedTurn, ...ScriptedTurn[]],
  more: Partial<AgentDefinition> & { readonly kept?: boolean } = {},
): Desk {
  const { kept = false, ...definition } = more;
  const model = modelOf(...turns);
  const sessions = memorySessions();
  const agent = agentOf(
    { model, tools: [refund, add], approval: { tools: { refund: "ask" } }, ...definition },
    { clock: manualClock(1_000), ...(kept ? { sessions } : {}) },
  );
  const handler = createAgUiHandler(agent, { authenticate });
  let count = 0;
  return {
    handler,
    model,
    async run(input, who = ada, shownCallIds = []) {
      count += 1;
      const runId = `run-${count}`;
      const response = await post(handler, { runId, ...input }, who);
      expect(response.status).toBe(200);
      const events = await eventsIn(response);
      expect(brokenRules(events, { threadId: "thread", runId, shownCallIds })).toEqual([]);
      return events;
    },
  };
}

export function interruptsIn(events: readonly AgUiEvent[]): readonly AgUiInterrupt[] {
  const end = events.at(-1);
  return end?.type === "RUN_FINISHED" && end.outcome?.type === "interrupt"
    ? end.outcome.interrupts
    : [];
}

export const resolved = (
  { id }: AgUiInterrupt,
  payload: object,
): NonNullable<RunAgentInput["resume"]> => [
  { interruptId: id, status: "resolved", payload: payload as never }, // plain JSON
];

export const refundMe: Pick<RunAgentInput, "messages"> = { messages: [user("Refund me")] };
