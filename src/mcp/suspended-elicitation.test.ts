import { expect, test } from "vitest";
import { agentOf, modelOf } from "../../test/agent-fixture.ts";
import { serveStateless, textResult } from "../../test/fixtures/mcp/stateless-peer.ts";
import { MortalStore } from "../../test/mortal-store.ts";
import type { Agent } from "../agent/agent.ts";
import { MemoryRunStore } from "../agent/memory-run-store.ts";
import type { Decision } from "../agent/waiting.ts";
import { mcpToolset } from "./toolset/mcp-toolset.ts";

const form = { type: "object", properties: { name: { type: "string", default: "Ann" } } };

/** Asks for a name, then for a page, each with a state of its own, and answers with what it got. */
const asking = () =>
  serveStateless({
    "tools/call": ({ params, result }) => {
      const responses = params["inputResponses"] as Record<string, unknown> | undefined;
      if (responses === undefined) {
        const params = { message: "Who?", requestedSchema: form };
        const inputRequests = { who: { method: "elicitation/create", params } };
        return result({ resultType: "input_required", requestState: "one", inputRequests });
      }
      if (params["requestState"] === "one") {
        const url = `https://pay.example/${Math.random()}`;
        const page = { mode: "url", message: "Pay.", url };
        const inputRequests = { pay: { method: "elicitation/create", params: page } };
        const requestState = `two ${JSON.stringify(responses)} ${url}`;
        return result({ resultType: "input_required", requestState, inputRequests });
      }
      return result(textResult(`${params["requestState"]} ${JSON.stringify(responses)}`));
    },
  });

/** An agent of whose runs each is as if it were in a process of its own. */
function agentAt(url: string): Agent {
  const shop = mcpToolset({
    name: "shop",
    transport: { type: "http", url, allowInsecureHttp: true },
    elicitation: "suspend",
  });
  const model = modelOf(({ messages }) =>
    messages.some(({ role }) => role === "tool")
      ? "done"
      : { calls: [{ id: "c0", name: "echo", arguments: {} }] },
  );
  return agentOf({ model, mcp: [shop] });
}

const answer = (value: object): Decision => ({ kind: "answer", value: value as never });

test("a server's questions suspend the run, one after the other, and the call goes on from where it was", async () => {
  const peer = await asking();
  const store = new MemoryRunStore();
  const first = await agentAt(peer.url).ask("Buy", { store });
  expect(first).toMatchObject({
    status: "suspended",
    waitingFor: [
      {
        kind: "elicitation",
        id: "elicitation:c0:1.0",
        server: "shop",
        message: "Who?",
        schema: form,
      },
    ],
  });
  const { runId } = first;
  const second = await agentAt(peer.url).resume(runId, {
    store,
    decisions: { "elicitation:c0:1.0": answer({}) },
  });
  expect(second).toMatchObject({
    status: "suspended",
    waitingFor: [{ id: "elicitation:c0:2.0", url: expect.stringMatching(/^https:\/\/pay/) }],
  });
  const third = await agentAt(peer.url).resume(runId, {
    store,
    decisions: { "elicitation:c0:2.0": answer({}) },
  });
  expect(third).toMatchObject({ status: "completed", text: "done" });
  // The page that the user has visited is the one that the server goes on with.
  const [waiting] = second.status === "suspended" ? second.waitingFor : [];
  const said = JSON.stringify(third.messages);
  expect(said).toContain(waiting?.kind === "elicitation" ? waiting.url : "no page");
  expect(said).toContain("Ann");
  const calls = peer.received.filter(({ method }) => method === "tools/call");
  expect(calls.map(({ params }) => String(params["requestState"]).slice(0, 3))).toEqual([
    "und",
    "one",
    "two",
  ]);
  const events = await store.events({ app: "default", id: runId });
  expect(events.filter(({ kind }) => kind === "tool-start" || kind === "tool-end")).toHaveLength(2);
});

test("a user who does not want to is told to the server", async () => {
  const peer = await asking();
  const agent = agentAt(peer.url);
  const { runId } = await agent.ask("Buy"); // without a store it waits in this process
  await agent.resume(runId, { decisions: { "elicitation:c0:1.0": { kind: "deny" } } });
  const states = peer.received.map(({ params }) => params["inputResponses"]);
  expect(states.at(-1)).toEqual({ who: { action: "decline" } });
});

test("a call that was put aside is not in doubt, and one that is interrupted after its answer is", async () => {
  const peer = await asking();
  const store = new MortalStore(20);
  const { runId } = await agentAt(peer.url).ask("Buy", { store });
  store.revive(2); // the answer, and that the call goes on; then its process ends
  await agentAt(peer.url).resume(runId, {
    store,
    decisions: { "elicitation:c0:1.0": answer({ name: "Bob" }) },
  });
  store.revive();
  expect(await agentAt(peer.url).resume(runId, { store })).toMatchObject({
    status: "suspended",
    waitingFor: [{ kind: "confirm-retry" }],
  });
});
