import { connect } from "node:net";
import { expect, test } from "vitest";
import { refusalIn } from "../../test/ag-ui-client.ts";
import { agentOf, modelOf, neverEnding } from "../../test/agent-fixture.ts";
import { jsonOf } from "../../test/server-fixture.ts";
import { listenToWebhook, signed } from "../../test/webhook-fixture.ts";
import { MemoryRunStore } from "../agent/memory-run-store.ts";
import { RunError } from "../agent/run-error.ts";
import type { Logger } from "../base/logger.ts";
import { silentLogger } from "../base/logger.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { defineTool } from "../tool/define-tool.ts";
import { createWebhookHandler } from "./create-webhook-handler.ts";

const always = modelOf(() => "Noted.");

const late = Math.floor(Date.now() / 1_000) - 301;

/** What a hostile sender may try, and what comes of it. */
const attempts: readonly (readonly [string, (url: string) => Promise<Response>, number, string])[] =
  [
    [
      "no signature",
      (url) => fetch(url, { ...signed({}), headers: { "content-type": "application/json" } }),
      401,
      "unauthorized",
    ],
    [
      "a body that is no JSON, without a signature",
      (url) => fetch(url, { ...signed("{"), headers: { "content-type": "application/json" } }),
      401,
      "unauthorized",
    ],
    [
      "a signature of another body",
      (url) => fetch(url, { ...signed({ a: 1 }), body: '{"a":2}' }),
      401,
      "unauthorized",
    ],
    [
      "a signature that is none",
      (url) => fetch(url, signed({}, { headers: { "webhook-signature": "v1,AAAA" } })),
      401,
      "unauthorized",
    ],
    ["an old delivery", (url) => fetch(url, signed({}, { at: late })), 401, "unauthorized"],
    [
      "another id for a signed delivery",
      (url) => fetch(url, signed({}, { headers: { "webhook-id": "msg_new" } })),
      401,
      "unauthorized",
    ],
    [
      "a new time for an old delivery",
      (url) =>
        fetch(url, signed({}, { at: late, headers: { "webhook-timestamp": String(late + 301) } })),
      401,
      "unauthorized",
    ],
    ["a body that is no JSON, signed", (url) => fetch(url, signed("{")), 400, "invalid-input"],
    ["an empty body, signed", (url) => fetch(url, signed("")), 400, "invalid-input"],
    [
      "a body that is nested without end, signed",
      (url) => fetch(url, signed("[".repeat(200) + "]".repeat(200))),
      400,
      "invalid-input",
    ],
    [
      "a form",
      (url) =>
        fetch(
          url,
          signed("a=1", { headers: { "content-type": "application/x-www-form-urlencoded" } }),
        ),
      415,
      "unsupported-type",
    ],
    [
      "text",
      (url) => fetch(url, signed({}, { headers: { "content-type": "text/plain" } })),
      415,
      "unsupported-type",
    ],
    [
      "a type that only begins right",
      (url) => fetch(url, signed({}, { headers: { "content-type": "application/jsonp" } })),
      415,
      "unsupported-type",
    ],
    [
      "a body that is too large",
      (url) => fetch(url, signed({ a: "x".repeat(2_000) })),
      413,
      "too-large",
    ],
    [
      "the same without its length",
      (url) =>
        fetch(url, {
          ...signed({ a: "x".repeat(2_000) }),
          body: ReadableStream.from([new Uint8Array(800), new Uint8Array(800)]),
          duplex: "half",
        } as RequestInit),
      413,
      "too-large",
    ],
    ["GET", (url) => fetch(url), 405, "method-not-allowed"],
    ["PUT", (url) => fetch(url, { ...signed({}), method: "PUT" }), 405, "method-not-allowed"],
  ];

test.each(attempts)(
  "P2: %s is refused and starts nothing",
  async (_what, attempt, status, code) => {
    const runs = new MemoryRunStore();
    let planned = 0;
    const toRun = () => {
      planned += 1;
      return { input: "Go" };
    };
    const limits = { maxBytes: 1_000 };
    await using webhook = await listenToWebhook({ model: always }, { runs, toRun, limits });
    const response = await attempt(webhook.url);
    expect(await refusalIn(response)).toEqual([status, code]);
    expect(planned).toBe(0);
    expect((await runs.list({ app: "default" })).runs).toEqual([]);
  },
);

test("what is wrong with a signature is told to the log, never to the sender", async () => {
  const lines: string[] = [];
  const logger: Logger = { ...silentLogger, info: (message) => void lines.push(message) };
  await using webhook = await listenToWebhook({ model: always }, { logger, name: "shop" });
  const bodies = [];
  for (const init of [
    { at: late },
    { headers: { "webhook-signature": "v1,AAAA" } },
    { headers: { "webhook-id": "" } },
  ]) {
    bodies.push(await (await webhook.send({}, init)).text());
  }
  expect(new Set(bodies).size).toBe(1);
  expect(lines.map((line) => line.replace(/\d+ s/, "N s"))).toEqual([
    'A delivery to the webhook "shop" was refused: its time is N s ago.',
    'A delivery to the webhook "shop" was refused: no signature in it is valid.',
    'A delivery to the webhook "shop" was refused: webhook-id is missing, or not of the right form.',
  ]);
});

test("a body that comes too slowly is given up, and the connection with it", async () => {
  const limits = { bodyTimeoutMs: 50 };
  await using webhook = await listenToWebhook({ model: always }, { limits });
  const { port } = new URL(webhook.url);
  const socket = connect(Number(port), "127.0.0.1");
  socket.write(
    "POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{",
  );
  const answer = await new Promise<string>((resolve) => {
    let text = "";
    socket.on("data", (data) => {
      text += String(data);
    });
    socket.on("close", () => resolve(text));
  });
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  expect(answer).toMatch(/connection: close/i);
});

test("deliveries beyond what is read at once are put off", async () => {
  const limits = { maxRequests: 2, bodyTimeoutMs: 5_000 };
  const handler = createWebhookHandler(agentOf({ model: always }), {
    verify: () => ({ id: "1" }),
    limits,
  });
  const ends: ReadableStreamDefaultController[] = [];
  const slow = () =>
    handler(
      new Request("https://any.example/", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: new ReadableStream({ start: (controller) => void ends.push(controller) }),
        duplex: "half",
      } as RequestInit),
    );
  const open = [slow(), slow()];
  const third = await slow();
  expect([third.status, third.headers.get("retry-after")]).toEqual([503, "1"]);
  for (const end of ends) {
    end.enqueue(new TextEncoder().encode("{}"));
    end.close();
  }
  expect((await Promise.all(open)).map(({ status }) => status)).toEqual([202, 202]);
  await handler.close();
});

test("P2: of 500 deliveries at once as many are taken as may wait, each is run once, no more at a time than allowed, and the rest may come again", async () => {
  let now = 0;
  let most = 0;
  let done = 0;
  const gate = Promise.withResolvers<void>();
  const work = defineTool({
    name: "work",
    description: "Works.",
    execute: async () => {
      now += 1;
      most = Math.max(most, now);
      await gate.promise;
      now -= 1;
      done += 1;
      return 1;
    },
  });
  const model = modelOf(({ messages }) =>
    messages.at(-1)?.role === "tool" ? "Done." : { calls: [{ name: "work" }] },
  );
  const runs = new MemoryRunStore();
  const limits = { maxRequests: 500, concurrency: 4, maxUnfinished: 300 };
  await using webhook = await listenToWebhook({ model, tools: [work] }, { runs, limits });
  const all = Array.from({ length: 500 }, (_, index) => ({ n: index, id: `msg_load_${index}` }));
  const send = ({ n, id }: { n: number; id: string }) => webhook.send({ n }, { id });
  const answers = await Promise.all(all.map(send));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 202)).toHaveLength(300);
  expect(statuses.filter((status) => status === 503)).toHaveLength(200);
  const refused = answers.filter(({ status }) => status === 503);
  expect(new Set(refused.map(({ headers }) => headers.get("retry-after")))).toEqual(
    new Set(["10"]),
  );
  gate.resolve();
  await webhook.handler.idle();
  expect([most, done]).toEqual([4, 300]);
  const again = await Promise.all(all.map(send));
  await webhook.handler.idle();
  expect(new Set(again.map(({ status }) => status))).toEqual(new Set([202]));
  expect(done).toBe(500);
  const ids = await Promise.all(again.map(async (answer) => (await jsonOf(answer)).runId));
  expect(new Set(ids).size).toBe(500);
}, 60_000);

test("what is remembered of deliveries is bounded", async () => {
  const runs = new MemoryRunStore({ maxRuns: 1 });
  let planned = 0;
  const toRun = () => {
    planned += 1;
    return { input: "Go" };
  };
  const limits = { maxRemembered: 2 };
  await using webhook = await listenToWebhook({ model: always }, { runs, toRun, limits });
  for (const id of ["a", "b", "a", "b", "c", "d", "a"]) {
    await webhook.send({}, { id });
    await webhook.handler.idle();
  }
  expect(planned).toBe(5); // a, b, c, d, and a again, which neither has any more
});

test("what starts no run takes no place", async () => {
  const toRun = ({ payload }: { payload: unknown }) => {
    if (payload === 1) {
      throw new Error("no");
    }
    return payload === 2 ? null : { input: "Go" };
  };
  const limits = { maxUnfinished: 1 };
  await using webhook = await listenToWebhook({ model: always }, { toRun, limits });
  const statuses: number[] = [];
  for (const payload of [1, 1, 2, 2, 3]) {
    statuses.push((await webhook.send(payload)).status);
    await webhook.handler.idle();
  }
  expect(statuses).toEqual([500, 500, 200, 200, 202]);
});

test("a store that is away puts deliveries off, and says nothing of itself", async () => {
  class Away extends MemoryRunStore {
    override create(): Promise<void> {
      const message = "The database at db.internal cannot be reached.";
      return Promise.reject(new RunError(message, { code: "store-unavailable" }));
    }
  }
  await using webhook = await listenToWebhook({ model: always }, { runs: new Away() });
  const response = await webhook.send({});
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "10"]);
  expect(await response.text()).not.toContain("db.internal");
});

test("a webhook that closes answers what has come, takes nothing new, and leaves in the store what is not done", async () => {
  const runs = new MemoryRunStore();
  const clock = manualClock(Date.now());
  const model = modelOf(() => ({ calls: [{ name: "wait" }] }));
  const limits = { concurrency: 1 };
  const options = { runs, limits, clock };
  await using webhook = await listenToWebhook({ model, tools: [neverEnding("wait")] }, options);
  const ids = [];
  for (const id of ["one", "two"]) {
    ids.push((await jsonOf(await webhook.send({}, { id }))).runId);
  }
  const closing = webhook.handler.close({ graceMs: 1_000 });
  const refused = await webhook.send({});
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  await expect.poll(() => clock.pending).toBeGreaterThan(0);
  clock.advance(1_000);
  await closing;
  for (const id of ids) {
    expect(await runs.get({ app: "default", id })).toMatchObject({ status: "running" });
  }
});

test("forms are taken where that is said", async () => {
  const seen: unknown[] = [];
  const toRun = ({ payload }: { payload: unknown }) => {
    seen.push(payload);
    return null;
  };
  await using webhook = await listenToWebhook(
    { model: always },
    { toRun, accept: ["json", "form"] },
  );
  const headers = { "content-type": "application/x-www-form-urlencoded; charset=utf-8" };
  await webhook.send("command=%2Fask&text=Gr%C3%BC%C3%9Fe&tag=a&tag=b", { headers });
  await webhook.send({ a: 1 }, { headers: { "content-type": "application/vnd.github+json" } });
  expect(seen).toEqual([{ command: "/ask", text: "Grüße", tag: ["a", "b"] }, { a: 1 }]);
});
