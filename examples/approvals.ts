import { defineAgent, defineTool } from "dragoman";
import { scriptedModel } from "dragoman/testing";
import * as z from "zod";

const refund = defineTool({
  name: "refund",
  description: "Refunds an order.",
  inputSchema: z.object({ order: z.string(), amount: z.number() }),
  execute: async ({ order }) => `Order ${order} is refunded.`,
});

const agent = defineAgent({
  name: "support",
  model: scriptedModel([
    { calls: [{ id: "call_1", name: "refund", arguments: { order: "A7", amount: 80 } }] },
    "It is on its way.",
  ]),
  tools: [refund],
  approval: {
    tools: {
      refund: ({ arguments: { amount }, tainted }) =>
        tainted || Number(amount) > 50 ? { kind: "ask", reason: "a refund above 50" } : "allow",
    },
    annotations: { destructive: "ask" }, // can only tighten
    timeoutMs: 24 * 60 * 60 * 1_000, // then it counts as denied
  },
});

const first = await agent.ask("Refund A7, please.", { actor: "ada" });
if (first.status === "suspended") {
  for (const waiting of first.waitingFor) {
    console.log(waiting.id, waiting.kind === "approval" ? waiting.reason : "");
  }
  const second = await agent.resume(first.runId, {
    actor: "ada",
    decisions: { "approval:call_1": { kind: "approve" } },
  });
  console.log(second.status, second.text);
}
