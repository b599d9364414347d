import { expect, test } from "vitest";
import {
  ada,
  authenticate,
  eve,
  type Frame,
  framesOf,
  post,
  refusalIn,
  request,
  textIn,
  user,
} from "../../test/ag-ui-client.ts";
import { interruptsIn } from "../../test/ag-ui-desk.ts";
import { brokenRules } from "../../test/ag-ui-rules.ts";
import { outline } from "../../test/ag-ui-stream.ts";
import { add, agentOf, modelOf } from "../../test/agent-fixture.ts";
import { MemoryRunStore } from "../agent/memory-run-store.ts";
import type { AgUiEvent } from "./ag-ui-event.ts";
import { type AgUiHandler, createAgUiHandler } from "./create-ag-ui-handler.ts";

const asks = { text: "I ask.", calls: [{ name: "add", arguments: { a: 1, b: 2 } }] };

/** Two processes with one store of runs: what one has begun, the other has only from the store. */
function twoProcesses(): { readonly first: AgUiHandler; readonly second: AgUiHandler } {
  const runs = new MemoryRunStore();
  const handlerOf = (): AgUiHandler => {
    const model = modelOf(({ messages }) =>
      messages.at(-1)?.role === "tool" ? "It is three." : asks,
    );
    const agent = agentOf({ model, tools: [add], approval: { default: "ask" } }, { runs });
    return createAgUiHandler(agent, { authenticate });
  };
  return { first: handlerOf(), second: handlerOf() };
}

async function framesIn(response: Response): Promise<readonly Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of framesOf(response)) {
    frames.push(frame);
  }
  return frames;
}

const eventsOf = (frames: readonly Frame[]): readonly AgUiEvent[] =>
  frames.map(({ event }) => event);

/** Our id of the run, which the client was told. */
function sourceOf([first]: readonly Frame[]): string {
  const told = first?.event.metadata?.["dragoman"] as { readonly runId: string }; // ours
  return told.runId;
}

test("another process reads on where the client was, in each run of the client that one of ours was", async () => {
  const { first, second } = twoProcesses();
  const messages = [user("1 + 2?")];
  const asked = await framesIn(await post(first, { messages }, ada));
  const sourceRunId = sourceOf(asked);
  const place = { threadId: "thread", runId: "run-1", sourceRunId };
  for (const [index, { id = "" }] of asked.entries()) {
    const init = { headers: { ...ada.headers, "last-event-id": id } };
    const rest = await framesIn(await request(second, place, init));
    const whole = eventsOf([...asked.slice(0, index + 1), ...rest]);
    expect(outline(whole)).toEqual(outline(eventsOf(asked)));
  }
  const [interrupt] = interruptsIn(eventsOf(asked));
  const resume = [
    { interruptId: interrupt?.id ?? "", status: "resolved", payload: { approved: true } },
  ] as const;
  const runId = "run-2";
  const answered = await framesIn(await post(second, { messages, runId, resume }, ada));
  const [, result] = answered;
  const init = { headers: { ...ada.headers, "last-event-id": result?.id ?? "" } };
  const rest = await framesIn(await request(first, { ...place, runId }, init));
  const whole = eventsOf([...answered.slice(0, 2), ...rest]);
  expect(outline(whole)).toEqual(outline(eventsOf(answered)));
  expect(textIn(whole)).toBe("It is three.");
  expect(brokenRules(whole, { threadId: "thread", runId, shownCallIds: ["call_1"] })).toEqual([]);
});

test("nobody reads a run that is another caller's, another thread's, or not there", async () => {
  const { first, second } = twoProcesses();
  const asked = await framesIn(await post(first, { messages: [user("1 + 2?")] }, ada));
  const place = { threadId: "thread", runId: "run-1", sourceRunId: sourceOf(asked) };
  expect((await request(second, place, ada)).status).toBe(200);
  const others = [
    await request(second, place, eve),
    await request(second, { ...place, threadId: "other" }, ada),
    await request(second, { ...place, sourceRunId: "run_unknown" }, ada),
  ];
  for (const response of others) {
    expect(await refusalIn(response)).toEqual([404, "not-found"]);
  }
});
