import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { add, agentOf, modelOf, neverEnding } from "../../test/agent-fixture.ts";
import { jsonOf } from "../../test/server-fixture.ts";
import { listenToWebhook } from "../../test/webhook-fixture.ts";
import { startReceiver, type WebhookReceiver } from "../../test/webhook-receiver.ts";
import { MemoryRunStore } from "../agent/memory-run-store.ts";
import { type Logger, silentLogger } from "../base/logger.ts";
import { openLocalExecutor } from "../durable/local-executor.ts";
import { AddressGuard } from "../http/address-guard.ts";
import { quietInstrumentor } from "../http/http-instrumentor.ts";
import { createWebhookHandler } from "./create-webhook-handler.ts";
import type { RunCallback } from "./webhook-handler-options.ts";

const secret = `whsec_${Buffer.alloc(32, 5).toString("base64")}`;

const http = {
  guard: new AddressGuard({ allow: [{ cidr: "127.0.0.0/8" }] }),
  instrumentor: quietInstrumentor(silentLogger),
  retry: { attempts: 3, delayMs: 1 },
};

const callbackTo = ({ origin }: WebhookReceiver): RunCallback => ({
  url: `${origin}/runs`,
  secret,
  allowInsecureHttp: true,
  http,
});

/** What a receiver has got, verified by the official library. */
// biome-ignore lint/suspicious/noExplicitAny: whatever was sent
const messagesOf = ({ requests }: WebhookReceiver): any[] =>
  requests.map(({ body, headers }) => new Webhook(secret).verify(body, headers));

test("P2: a callback is told how a run ended, signed, again until it takes it", async () => {
  await using receiver = await startReceiver([
    [500, {}],
    [200, {}],
  ]);
  const options = { callback: callbackTo(receiver), name: "shop" };
  await using webhook = await listenToWebhook({ model: modelOf("Noted.") }, options);
  const { runId } = await jsonOf(await webhook.send({ order: 7 }));
  await webhook.handler.idle();
  const [first, second] = messagesOf(receiver);
  expect(second).toEqual(first);
  expect(second).toEqual({
    type: "run.completed",
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    data: expect.objectContaining({ runId, agent: "tester", status: "completed", text: "Noted." }),
  });
  const ids = receiver.requests.map(({ headers }) => headers["webhook-id"]);
  expect(new Set(ids).size).toBe(1);
});

test("a callback is told that a run waits for somebody, and later how it ended", async () => {
  await using receiver = await startReceiver();
  const model = modelOf(
    { calls: [{ id: "c1", name: "add", arguments: { a: 1, b: 2 } }] },
    "Three.",
  );
  const runs = new MemoryRunStore();
  const agent = agentOf({ model, tools: [add], approval: { default: "ask" } });
  await using executor = await openLocalExecutor({
    store: runs,
    agents: [agent],
    logger: silentLogger,
  });
  const handler = createWebhookHandler(agent, {
    verify: () => ({ id: "1" }),
    runs,
    executor,
    callback: (run) => (run.status === "cancelled" ? undefined : callbackTo(receiver)),
  });
  const headers = { "content-type": "application/json" };
  const request = { method: "POST", headers, body: "{}" };
  const { runId } = await jsonOf(await handler(new Request("https://any.example", request)));
  await handler.idle();
  expect(messagesOf(receiver)).toMatchObject([
    { type: "run.suspended", data: { waitingFor: [{ id: "approval:c1", kind: "approval" }] } },
  ]);
  await executor.signal(runId, { "approval:c1": { kind: "approve" } });
  await expect.poll(() => receiver.requests.length).toBe(2);
  expect(messagesOf(receiver)[1]).toMatchObject({
    type: "run.completed",
    data: { text: "Three." },
  });
  await handler.close();
});

test("a callback into the own network is refused, and the run is none the worse", async () => {
  await using receiver = await startReceiver();
  const lines: string[] = [];
  const logger: Logger = { ...silentLogger, error: (line) => void lines.push(line) };
  const { guard: _, ...unguarded } = http;
  const rest = { ...callbackTo(receiver), http: unguarded };
  const runs = new MemoryRunStore();
  const options = { callback: rest, logger, runs };
  await using webhook = await listenToWebhook({ model: modelOf("Noted.") }, options);
  const { runId } = await jsonOf(await webhook.send({}));
  await webhook.handler.idle();
  expect(receiver.connections).toBe(0);
  expect(lines).toEqual([expect.stringContaining("the address is not public")]);
  expect(await runs.get({ app: "default", id: runId })).toMatchObject({ status: "completed" });
});

test("the end of a run that an earlier process has accepted is told by the next one", async () => {
  await using receiver = await startReceiver();
  const runs = new MemoryRunStore(); // it stands for one that outlives the process
  const callback = callbackTo(receiver);
  const calling = modelOf(() => ({ calls: [{ id: "c", name: "wait" }] }));
  const hanging = { model: calling, tools: [neverEnding("wait").with({ idempotent: true })] };
  const first = await listenToWebhook(hanging, { runs, callback });
  const { runId } = await jsonOf(await first.send({}));
  await first[Symbol.asyncDispose]();
  expect(receiver.requests).toEqual([]);
  const done = { model: modelOf("Done."), tools: [add] };
  await using _second = await listenToWebhook(done, { runs, callback });
  await using executor = await openLocalExecutor({
    store: runs,
    agents: [agentOf({ model: modelOf("Done.") })],
    logger: silentLogger,
  });
  expect(await executor.result(runId)).toBeDefined();
  await expect.poll(() => receiver.requests.length).toBe(1);
  expect(messagesOf(receiver)).toMatchObject([{ data: { runId } }]);
});
