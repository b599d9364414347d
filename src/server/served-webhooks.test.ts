import { expect, test } from "vitest";
import { refusalIn } from "../../test/ag-ui-client.ts";
import { agentOf, modelOf } from "../../test/agent-fixture.ts";
import { auth, jsonOf, listening, serve } from "../../test/server-fixture.ts";
import { githubSignature, signed, webhookSecret } from "../../test/webhook-fixture.ts";
import { memoryRuns } from "../stores/memory-runs.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { defineTool } from "../tool/define-tool.ts";
import { createServer } from "./create-server.ts";
import type { ServedWebhook } from "./server-options.ts";
import { githubWebhooks, standardWebhooks } from "./webhook-verifiers.ts";

const always = modelOf(() => "Noted.");
const verify = standardWebhooks({ secret: webhookSecret });
const shop: ServedWebhook = { verify, toRun: () => ({ input: "Go", actor: "ada" }) };

test("P2: a webhook of a server needs no token but a signature, and its run is its actor's", async () => {
  const github = { verify: githubWebhooks({ secret: "a-secret-of-github" }), agent: "tester" };
  await using server = await serve({ model: always }, { webhooks: { shop, github } });
  const response = await fetch(`${server.url}/webhooks/shop`, signed({ order: 7 }));
  expect(response.status).toBe(202);
  const status = response.headers.get("location") ?? "";
  expect(status).toMatch(/^\/runs\/shop_/);
  const statusOf = async () => (await jsonOf(await server.ask(status))).status;
  await expect.poll(statusOf).toBe("completed");
  expect((await server.ask(status, { as: "eve" })).status).toBe(404);
  expect((await server.ask(status, { as: null })).status).toBe(401);
  const body = '{"action":"opened"}';
  const headers = {
    "content-type": "application/json",
    "x-hub-signature-256": githubSignature(body, "a-secret-of-github"),
  };
  const pushed = await fetch(`${server.url}/webhooks/github`, { method: "POST", headers, body });
  expect(pushed.status).toBe(202);
});

test.each([
  [
    "a delivery without a signature",
    "shop",
    { method: "POST", headers: { "content-type": "application/json" }, body: "{}" },
    [401, "unauthorized"],
  ],
  [
    "a token instead of a signature",
    "shop",
    {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer ada-ada" },
      body: "{}",
    },
    [401, "unauthorized"],
  ],
  ["a webhook that is not there", "till", signed({}), [404, "not-found"]],
] as const)("%s is refused", async (_what, name, init, refusal) => {
  await using server = await serve({ model: always }, { webhooks: { shop } });
  const response = await fetch(`${server.url}/webhooks/${name}`, init as RequestInit);
  expect(await refusalIn(response)).toEqual(refusal);
  expect((await jsonOf(await server.ask("/runs"))).runs).toEqual([]);
});

test("a delivery may be sent to whatever name the server is reached by, and nothing else may", async () => {
  await using server = await serve({ model: always }, { webhooks: { shop } });
  const ask = (path: string) => {
    const { headers, ...init } = signed({});
    const host = { ...headers, host: "agents.example" };
    return server.server.fetch(new Request(`${server.url}${path}`, { ...init, headers: host }));
  };
  expect((await ask("/webhooks/shop")).status).toBe(202);
  for (const path of ["/runs", "/webhooks", "/webhooks/%2e%2e/runs", "/webhooks/../runs"]) {
    expect(await refusalIn(await ask(path))).toEqual([403, "host-refused"]);
  }
  expect(await refusalIn(await ask("/webhooks/shop/runs"))).toEqual([401, "unauthorized"]);
});

test("a server without webhooks has no such address", async () => {
  await using server = await serve({ model: always });
  const response = await fetch(`${server.url}/webhooks/shop`, signed({}));
  expect(response.status).toBe(401);
  expect((await server.ask("/webhooks/shop", { body: {} })).status).toBe(404);
});

test("deliveries count against what an address may ask, each webhook by itself", async () => {
  const clock = manualClock(Date.now());
  const limits = { requestsPerMinute: 2 };
  const webhooks = { shop, till: shop };
  await using server = await serve({ model: always }, { webhooks, limits, clock });
  const statusOf = async (name: string) => {
    const init = signed({}, { at: Math.floor(clock.now() / 1_000) });
    return (await fetch(`${server.url}/webhooks/${name}`, init)).status;
  };
  expect([await statusOf("shop"), await statusOf("shop"), await statusOf("shop")]).toEqual([
    202, 202, 429,
  ]);
  expect(await statusOf("till")).toBe(202);
  expect((await server.ask("/agents")).status).toBe(200);
});

test("a server that closes lets runs of its webhooks end, and leaves those that wait for their turn in the store", async () => {
  const gate = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const work = defineTool({
    name: "work",
    description: "Works.",
    execute: async () => {
      entered.resolve();
      await gate.promise;
      return 1;
    },
  });
  const model = modelOf(({ messages }) =>
    messages.at(-1)?.role === "tool" ? "Done." : { calls: [{ name: "work" }] },
  );
  const store = memoryRuns(); // it stands for one that outlives the process
  const webhooks = { shop: { ...shop, limits: { concurrency: 1 } } };
  const agents = [agentOf({ model, tools: [work] })];
  const server = await listening(createServer({ agents, auth, log: "none", store, webhooks }));
  const ids = [];
  for (const n of [1, 2]) {
    ids.push((await jsonOf(await fetch(`${server.url}/webhooks/shop`, signed({ n })))).runId);
  }
  await entered.promise;
  const closing = server.server.close();
  const late = new Request(`${server.url}/webhooks/shop`, {
    ...signed({}),
    headers: { ...signed({}).headers, host: "localhost" },
  });
  expect((await server.server.fetch(late)).status).toBe(503);
  gate.resolve();
  await closing;
  const statusOf = async (id: string) => (await store.get({ app: "default", id }))?.status;
  expect(await Promise.all(ids.map(statusOf))).toEqual(["completed", "running"]);
});

test.each([
  [
    "an agent that is not served",
    { shop: { ...shop, agent: "nobody" } },
    /must name in agent whom it asks, one of "tester"/,
  ],
  ["a name that is no part of an address", { "a/b": shop }, /1 to 64 letters/],
  ["no verifier", { shop: {} as ServedWebhook }, /needs verify/],
])("%s makes no server", (_what, webhooks, message) => {
  const agents = [agentOf({ model: always })];
  expect(() =>
    createServer({ agents, log: "none", webhooks: webhooks as Record<string, ServedWebhook> }),
  ).toThrow(message);
});
