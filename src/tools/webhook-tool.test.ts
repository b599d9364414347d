import { inspect } from "node:util";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import * as z from "zod";
import { agentOf, collect, modelOf } from "../../test/agent-fixture.ts";
import { failureOf } from "../../test/failure-of.ts";
import { startReceiver } from "../../test/webhook-receiver.ts";
import type { RunEvent } from "../agent/run-event.ts";
import type { Json } from "../base/json.ts";
import { silentLogger } from "../base/logger.ts";
import { Secret } from "../base/secret.ts";
import { Credentials } from "../credentials/credentials.ts";
import { AddressGuard } from "../http/address-guard.ts";
import { quietInstrumentor } from "../http/http-instrumentor.ts";
import { manualClock } from "../testing/manual-clock.ts";
import type { WebhookHttpOptions } from "./send-webhook.ts";
import { webhookTool } from "./webhook-tool.ts";
import type { WebhookToolOptions } from "./webhook-tool-options.ts";

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const older = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;

const loopback: WebhookHttpOptions = {
  guard: new AddressGuard({ allow: [{ cidr: "127.0.0.0/8" }] }),
  instrumentor: quietInstrumentor(silentLogger),
  readTimeoutMs: 2_000,
  retry: { attempts: 3, delayMs: 1 },
};

const base = {
  name: "notify",
  description: "Tells the desk.",
  secret,
  allowInsecureHttp: true,
  http: loopback,
} as const;

/** What the model reads of one call of the tool with these arguments. */
async function callTool(
  options: WebhookToolOptions,
  args: object,
  credentials?: Credentials,
): Promise<Extract<RunEvent, { kind: "tool-end" }>["result"]> {
  const model = modelOf({ calls: [{ name: "notify", arguments: { ...args } }] }, "ok");
  const config = credentials === undefined ? {} : { credentials };
  const agent = agentOf({ model, tools: [webhookTool(options)] }, config);
  const events = await collect(agent.stream("Tell them.", { actor: "ann" }));
  const end = events.find((event) => event.kind === "tool-end");
  if (end === undefined) {
    throw new Error("the tool was not called");
  }
  return end.result;
}

test("P2: a webhook tool posts what the model gives, signed so that the official library takes it", async () => {
  await using receiver = await startReceiver();
  const inputSchema = z.object({ order: z.number(), text: z.string() });
  const url = new URL(`${receiver.origin}/hooks/desk?team=7`);
  const result = await callTool({ ...base, url, inputSchema }, { order: 7, text: "Grüße 🎉" });
  const [request] = receiver.requests;
  expect(request).toMatchObject({ method: "POST", url: "/hooks/desk?team=7" });
  expect(request?.headers["content-type"]).toBe("application/json");
  const verified = new Webhook(secret).verify(request?.body ?? "", request?.headers ?? {});
  expect(verified).toEqual({ order: 7, text: "Grüße 🎉" });
  const id = request?.headers["webhook-id"];
  expect(id).toMatch(/^msg_[0-9a-f]{32}$/);
  expect(result).toMatchObject({
    kind: "success",
    value: { delivered: true, id, status: 200, attempts: 1 },
  });
  const wrong = await callTool({ ...base, url, inputSchema }, { order: "x" });
  expect(wrong).toMatchObject({ kind: "error", error: { code: "invalid-arguments" } });
  expect(receiver.requests).toHaveLength(1);
});

test("several secrets sign each message, so that a receiver who knows either takes it", async () => {
  await using receiver = await startReceiver();
  const secrets = [new Secret(secret), async () => older];
  await callTool({ ...base, secret: secrets, url: receiver.origin }, { a: 1 });
  const [request] = receiver.requests;
  for (const one of [secret, older]) {
    expect(new Webhook(one).verify(request?.body ?? "", request?.headers ?? {})).toEqual({ a: 1 });
  }
  const stranger = new Webhook(`whsec_${Buffer.alloc(32, 9).toString("base64")}`);
  expect(() => stranger.verify(request?.body ?? "", request?.headers ?? {})).toThrow();
});

test("the secret and the URL may come of a credential and of whoever runs", async () => {
  await using receiver = await startReceiver();
  const definitions = { desk: { kind: "bearer", token: secret } } as const;
  const result = await callTool(
    {
      ...base,
      secret: { credential: "desk" },
      url: ({ actor }) => `${receiver.origin}/of/${actor}`,
    },
    { a: 1 },
    new Credentials({ definitions }),
  );
  expect(result.kind).toBe("success");
  const [request] = receiver.requests;
  expect(request?.url).toBe("/of/ann");
  expect(new Webhook(secret).verify(request?.body ?? "", request?.headers ?? {})).toEqual({ a: 1 });
});

test("what fails for the moment is sent again under the same id with a time of its own", async () => {
  const clock = manualClock(1_700_000_000_000);
  await using receiver = await startReceiver([
    [503, { "retry-after": "7" }],
    [429, {}],
    [204, {}],
  ]);
  const http = { ...loopback, clock, retry: { attempts: 3, delayMs: 100 } };
  const calling = callTool({ ...base, url: receiver.origin, http }, { a: 1 });
  await expect.poll(() => clock.pending).toBe(1);
  clock.advance(6_999);
  expect(receiver.requests).toHaveLength(1);
  clock.advance(1);
  await expect.poll(() => receiver.requests.length).toBe(2);
  await expect.poll(() => clock.pending).toBe(1);
  clock.advance(10_000);
  expect(await calling).toMatchObject({ value: { status: 204, attempts: 3 } });
  const headers = receiver.requests.map((request) => request.headers);
  expect(new Set(headers.map((one) => one["webhook-id"])).size).toBe(1);
  expect(headers.map((one) => one["webhook-timestamp"])).toEqual([
    "1700000000",
    "1700000007",
    "1700000017",
  ]);
  expect(new Set(headers.map((one) => one["webhook-signature"])).size).toBe(3);
});

test.each([
  [
    "a status that says no",
    [[410, {}]],
    /^The webhook at http:\/\/127[^/]+ was not taken: status 410: the receiver wants no more/,
    1,
  ],
  [
    "a redirect, also to a public address",
    [[307, { location: "https://example.com/" }]],
    /status 307, a redirect, which is not followed/,
    1,
  ],
  [
    "a redirect into the own network",
    [[302, { location: "http://127.0.0.1:1/" }]],
    /status 302, a redirect/,
    1,
  ],
  ["a server that fails each time", [[500, {}]], /was not taken after 3 tries: status 500\.$/, 3],
  [
    "a wait that is too long",
    [[503, { "retry-after": "86400" }]],
    /was not taken: status 503\.$/,
    1,
  ],
] as const)("%s is a failure that the model can read", async (_what, answers, message, tries) => {
  await using receiver = await startReceiver(answers);
  const url = `${receiver.origin}/services/T0SECRET/B0SECRET`;
  const result = await callTool({ ...base, url }, { a: 1 });
  expect(result).toMatchObject({
    kind: "error",
    error: { message: expect.stringMatching(message) },
  });
  expect(receiver.requests).toHaveLength(tries);
  // Neither the path, which is such a URL's secret, nor the key.
  expect(inspect(result, { depth: 9 })).not.toMatch(/T0SECRET|whsec_|BwcHBwcH/);
});

test("nobody there is a failure after all tries, and the call is not begun anew", async () => {
  const result = await callTool({ ...base, url: "http://127.0.0.1:1/x" }, { a: 1 });
  expect(result).toMatchObject({
    error: {
      code: "tool-failed",
      message:
        "The webhook at http://127.0.0.1:1 was not taken after 3 tries: no connection, or it broke.",
      data: { reason: "tool-network", attempts: 3 },
    },
  });
});

/** Each leads into the own network, whatever it looks like. */
const inside = [
  "https://127.0.0.1/",
  "https://2130706433/",
  "https://0x7f.1/",
  "https://10.0.0.1/",
  "https://172.16.0.1/",
  "https://192.168.1.1/",
  "https://100.64.0.1/",
  "https://169.254.169.254/latest/meta-data/",
  "https://168.63.129.16/",
  "https://0.0.0.0/",
  "https://[::1]/",
  "https://[::ffff:127.0.0.1]/",
  "https://[::ffff:a9fe:a9fe]/",
  "https://[64:ff9b::10.0.0.1]/",
  "https://[fd00:ec2::254]/",
  "https://[fe80::1]/",
  "https://inside.test/",
  "https://half-inside.test/",
  "https://mapped.test/",
] as const;

test.each(inside)("P2: %s is refused, named by the application or by the model", async (url) => {
  const names: Readonly<Record<string, readonly string[]>> = {
    "inside.test": ["127.0.0.1"],
    "half-inside.test": ["93.184.216.34", "10.0.0.7"],
    "mapped.test": ["::ffff:192.168.0.1"],
  };
  const guard = new AddressGuard({ resolve: async (host) => names[host] ?? [] });
  const http = { ...loopback, guard };
  const { allowInsecureHttp: _, ...https } = base;
  const fixed = await callTool({ ...https, http, url }, {});
  const chosen = await callTool({ ...https, http, allowed: () => true }, { url, payload: {} });
  for (const result of [fixed, chosen]) {
    expect(result).toMatchObject({ kind: "error", error: { code: "tool-address-refused" } });
  }
});

test("without a guard of the application's, the own machine is refused", async () => {
  await using receiver = await startReceiver();
  const { http: _, ...rest } = base;
  const http = { instrumentor: quietInstrumentor(silentLogger) };
  const result = await callTool({ ...rest, http, url: receiver.origin }, {});
  expect(result).toMatchObject({ error: { code: "tool-address-refused" } });
  expect(receiver.connections).toBe(0);
});

test.each([
  ["https://hooks.example/team/a?x=1", true],
  ["https://hooks.example/team", true],
  ["https://eu.partner.example:8443/in", true],
  ["https://HOOKS.example:443/team/./b", true],
  ["https://hooks.example/teammate", false],
  ["https://hooks.example/team/../admin", false],
  ["https://hooks.example/team/%2e%2e/admin", false],
  ["https://hooks.example/team/..%2fadmin", false],
  ["https://hooks.example:444/team", false],
  ["https://partner.example:8443/in", false],
  ["https://evilpartner.example:8443/in", false],
  ["https://user@hooks.example/team", false],
  ["https://hooks.example@evil.example/team", false],
  ["http://hooks.example/team", false],
  ["ftp://hooks.example/team", false],
  ["/team", false],
])("an allow rule says of %s: %s", async (url, isAllowed) => {
  const asked: string[] = [];
  const resolve = async (host: string): Promise<readonly string[]> => {
    asked.push(host);
    return ["10.0.0.1"];
  };
  const http = { ...loopback, guard: new AddressGuard({ resolve }) };
  const allowed = ["https://hooks.example/team", "https://*.partner.example:8443/"];
  const { allowInsecureHttp: _, ...https } = base;
  const result = await callTool({ ...https, http, allowed }, { url, payload: { a: 1 } });
  expect(result.kind).toBe("error");
  expect(asked).toHaveLength(isAllowed ? 1 : 0); // the guard comes after the rule
});

test("the model gives URL and payload where a function decides, and an envelope is the application's", async () => {
  await using receiver = await startReceiver();
  const allowed = (url: URL, { binding }: { binding: { run: { actor?: string } } }): boolean =>
    url.pathname === `/${binding.run.actor}`;
  const toBody = (data: Json): Json => ({ type: "note.created", data });
  const options = { ...base, allowed, toBody, headers: { "x-team": "7", "webhook-id": "mine" } };
  const good = await callTool(options, { url: `${receiver.origin}/ann`, payload: { a: 1 } });
  expect(good.kind).toBe("success");
  const bad = await callTool(options, { url: `${receiver.origin}/bob`, payload: { a: 1 } });
  expect(bad).toMatchObject({ error: { code: "tool-address-refused" } });
  const [request, ...more] = receiver.requests;
  expect(more).toEqual([]);
  expect(JSON.parse(request?.body ?? "")).toEqual({ type: "note.created", data: { a: 1 } });
  expect(request?.headers).toMatchObject({
    "x-team": "7",
    "webhook-id": expect.stringMatching(/^msg_/),
  });
});

test("an answer is read only where it is wanted, and no more than its start", async () => {
  await using receiver = await startReceiver([[200, {}, "x".repeat(100_000)]]);
  const silent = await callTool({ ...base, url: receiver.origin }, {});
  expect(silent).toMatchObject({ value: { delivered: true } });
  expect(JSON.stringify(silent)).not.toContain("xxx");
  const told = await callTool({ ...base, url: receiver.origin, readsAnswer: true }, {});
  expect(told).toMatchObject({ value: { answer: "x".repeat(8_192) } });
});

test("an unsigned webhook says so and is not repeated by itself", async () => {
  await using receiver = await startReceiver();
  const options = { ...base, secret: "unsigned", url: receiver.origin } as const;
  expect(webhookTool(options).idempotent).toBe(false);
  expect(webhookTool({ ...base, url: receiver.origin }).idempotent).toBe(true);
  await callTool(options, {});
  expect(receiver.requests[0]?.headers["webhook-signature"]).toBeUndefined();
});

test.each([
  ["neither url nor allowed", {}, /either url or allowed/],
  ["both", { url: "https://a.example", allowed: ["https://a.example"] }, /either url or allowed/],
  ["an empty list", { allowed: [] }, /not empty/],
  ["a rule that is no URL", { allowed: ["hooks.example"] }, /must be a URL such as/],
  ["a rule with a query", { allowed: ["https://a.example/?a=1"] }, /without user, query/],
  ["no secret", { url: "https://a.example", secret: undefined }, /needs a secret/],
  [
    "a short secret",
    { url: "https://a.example", secret: "whsec_c2hvcnQ=" },
    /24 to 64 random bytes/,
  ],
  ["a secret that is no base64", { url: "https://a.example", secret: "whsec_*" }, /24 to 64/],
  ["an unknown option", { url: "https://a.example", uri: "x" }, /unknown property "uri"/],
])("%s is refused when the tool is made", async (_what, options, message) => {
  const making = async (): Promise<unknown> =>
    webhookTool({ ...base, ...options } as WebhookToolOptions);
  const failure = await failureOf(making());
  expect(String(failure)).toMatch(message);
  expect(String(failure)).not.toMatch(/c2hvcnQ/);
});
