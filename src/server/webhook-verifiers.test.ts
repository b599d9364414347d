import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { Secret } from "../base/secret.ts";
import type { WebhookVerifier } from "./webhook-verifier.ts";
import {
  githubWebhooks,
  slackWebhooks,
  standardWebhooks,
  stripeWebhooks,
} from "./webhook-verifiers.ts";

const now = 1_700_000_000;
const key = (fill: number): string => `whsec_${Buffer.alloc(24, fill).toString("base64")}`;
const text = "a-secret-of-the-sender";
const other = "another-secret-of-the-sender";

type Headers_ = Readonly<Record<string, string>>;

const ask = async (
  verify: WebhookVerifier,
  headers: Headers_,
  body: string | Uint8Array,
  nowS = now,
): Promise<unknown> =>
  verify({
    headers: new Headers(headers),
    body: Buffer.from(body),
    url: "https://agents.example/webhooks/x",
    nowMs: nowS * 1_000,
    signal: new AbortController().signal,
  });

const hmac = (secret: string, ...parts: (string | Uint8Array)[]): string =>
  parts
    .reduce<ReturnType<typeof createHmac>>(
      (made, part) => made.update(part),
      createHmac("sha256", secret),
    )
    .digest("hex");

/** The headers that the official library makes. */
function standard(
  body: string,
  { id = "msg_1", at = now, fill = 1, prefix = "webhook" } = {},
): Headers_ {
  return {
    [`${prefix}-id`]: id,
    [`${prefix}-timestamp`]: String(at),
    [`${prefix}-signature`]: new Webhook(key(fill)).sign(id, new Date(at * 1_000), body),
  };
}

const github = (body: string | Uint8Array, secret = text): Headers_ => ({
  "x-hub-signature-256": `sha256=${hmac(secret, body)}`,
  "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
});

const stripe = (body: string, { at = now, secret = text } = {}): Headers_ => ({
  "stripe-signature": `t=${at},v1=${hmac(secret, `${at}.`, body)},v0=${"0".repeat(64)}`,
});

const slack = (body: string, { at = now, secret = text } = {}): Headers_ => ({
  "x-slack-request-timestamp": String(at),
  "x-slack-signature": `v0=${hmac(secret, `v0:${at}:`, body)}`,
});

const event = '{"id":"evt_1","event_id":"Ev1","text":"Grüße"}';

/** Each scheme: its verifier with one secret or several, and what a sender sends. */
const schemes = [
  [
    "standard",
    (secret: string[]) => standardWebhooks({ secret }),
    [key(1), key(2)],
    (body: string, one: number, at: number) => standard(body, { fill: one + 1, at }),
  ],
  [
    "github",
    (secret: string[]) => githubWebhooks({ secret }),
    [text, other],
    (body: string, one: number) => github(body, [text, other][one]),
  ],
  [
    "stripe",
    (secret: string[]) => stripeWebhooks({ secret }),
    [text, other],
    (body: string, one: number, at: number) =>
      stripe(body, { secret: [text, other][one] ?? "", at }),
  ],
  [
    "slack",
    (secret: string[]) => slackWebhooks({ secret }),
    [text, other],
    (body: string, one: number, at: number) =>
      slack(body, { secret: [text, other][one] ?? "", at }),
  ],
] as const;

test.each(schemes)(
  "P2: %s: what the sender signed is verified, over the raw bytes",
  async (_name, verifier, secrets, sign) => {
    const verify = verifier([secrets[0]]);
    expect(await ask(verify, sign(event, 0, now), event)).toEqual({ id: expect.any(String) });
    for (const changed of [`${event} `, event.replace("Gr", "gr"), "", event.slice(0, -1)]) {
      expect(await ask(verify, sign(event, 0, now), changed)).toMatchObject({
        refused: expect.any(String),
      });
    }
  },
);

test.each(schemes)(
  "%s: while the sender changes over, either secret is good, and no third",
  async (_name, verifier, secrets, sign) => {
    const both = verifier([...secrets]);
    for (const one of [0, 1]) {
      expect(await ask(both, sign(event, one, now), event)).toHaveProperty("id");
    }
    expect(await ask(verifier([secrets[0]]), sign(event, 1, now), event)).toHaveProperty("refused");
  },
);

test.each(schemes)(
  "%s: no header, an empty one and a mangled one are refused",
  async (_name, verifier, secrets, sign) => {
    const verify = verifier([secrets[0]]);
    const good = sign(event, 0, now);
    expect(await ask(verify, {}, event)).toHaveProperty("refused");
    for (const name of Object.keys(good).filter((one) => /signature/.test(one))) {
      const mangled = `${good[name]}`.replaceAll(/(?<=[=,])\S{4}/g, "zzzz");
      for (const value of ["", "x", "v1,", "sha256=", "t=1", "v0=", "v1=;", "%C3", mangled]) {
        expect(await ask(verify, { ...good, [name]: value }, event)).toHaveProperty("refused");
      }
    }
  },
);

test.each(schemes.filter(([name]) => name !== "github"))(
  "%s: a time that is more than five minutes off is refused, either way, though the signature is right",
  async (_name, verifier, secrets, sign) => {
    const verify = verifier([secrets[0]]);
    for (const [at, isGood] of [
      [now - 300, true],
      [now + 300, true],
      [now - 301, false],
      [now + 301, false],
    ] as const) {
      expect(Object.keys((await ask(verify, sign(event, 0, at), event)) as object)).toEqual([
        isGood ? "id" : "refused",
      ]);
    }
  },
);

test("a delivery is known by what was signed", async () => {
  const secret = text;
  expect(await ask(standardWebhooks({ secret: key(1) }), standard(event), event)).toEqual({
    id: "msg_1",
  });
  expect(await ask(stripeWebhooks({ secret }), stripe(event), event)).toEqual({ id: "evt_1" });
  expect(await ask(slackWebhooks({ secret }), slack(event), event)).toEqual({ id: "Ev1" });
  const verify = githubWebhooks({ secret });
  const first = await ask(verify, github(event), event);
  const copy = await ask(verify, { ...github(event), "x-github-delivery": "another" }, event);
  expect(copy).toEqual(first);
  expect(await ask(verify, github("{}"), "{}")).not.toEqual(first);
  const byHeader = githubWebhooks({ secret, identity: "header" });
  expect(await ask(byHeader, github(event), event)).toEqual({
    id: "72d3162e-cc78-11e3-81ab-4c9367dc0958",
  });
  expect(await ask(byHeader, { ...github(event), "x-github-delivery": "" }, event)).toHaveProperty(
    "refused",
  );
});

test("a command of Slack's, which has no id, is known by its time and text", async () => {
  const verify = slackWebhooks({ secret: text });
  const form = "command=%2Fask&text=hi";
  const first = await ask(verify, slack(form), form);
  expect(await ask(verify, slack(form), form)).toEqual(first);
  expect(await ask(verify, slack(form, { at: now + 1 }), form)).not.toEqual(first);
});

test("by Standard Webhooks one of several signatures is enough, other kinds are passed over, and ids have no full stop", async () => {
  const verify = standardWebhooks({ secret: key(1) });
  const good = standard(event);
  const signature = good["webhook-signature"] ?? "";
  const many = `v1a,${"A".repeat(86)}== v1,${Buffer.alloc(32).toString("base64")} ${signature}`;
  expect(await ask(verify, { ...good, "webhook-signature": many }, event)).toEqual({ id: "msg_1" });
  const asOther = signature.replace("v1,", "v1a,");
  expect(await ask(verify, { ...good, "webhook-signature": asOther }, event)).toHaveProperty(
    "refused",
  );
  // The same bytes are signed: "1.1700000000.5" + rest, cut elsewhere.
  expect(await ask(verify, standard("5", { id: "1.2" }), "5")).toHaveProperty("refused");
});

test("Svix's names of the headers are taken where that is said", async () => {
  const headers = standard(event, { prefix: "svix" });
  expect(await ask(standardWebhooks({ secret: key(1), prefix: "svix" }), headers, event)).toEqual({
    id: "msg_1",
  });
  expect(await ask(standardWebhooks({ secret: key(1) }), headers, event)).toHaveProperty("refused");
});

test("bytes that are no UTF-8 are verified as they are", async () => {
  const bytes = Buffer.from([0xff, 0xfe, 0x00, 0x7b]);
  expect(await ask(githubWebhooks({ secret: text }), github(bytes), bytes)).toHaveProperty("id");
});

test("a secret may be found anew for each delivery", async () => {
  let current = text;
  const verify = githubWebhooks({ secret: async () => new Secret(current) });
  expect(await ask(verify, github("{}"), "{}")).toHaveProperty("id");
  current = other;
  expect(await ask(verify, github("{}"), "{}")).toHaveProperty("refused");
  current = "";
  await expect(ask(verify, github("{}", ""), "{}")).rejects.toThrow(/at least 16 characters/);
});

test.each([
  ["no secret", () => githubWebhooks({} as { secret: string })],
  ["an empty list", () => stripeWebhooks({ secret: [] })],
  ["an empty secret", () => slackWebhooks({ secret: "" })],
  ["one that can be guessed", () => githubWebhooks({ secret: [text, "short"] })],
  ["one that is no key", () => standardWebhooks({ secret: "whsec_c2hvcnQ=" })],
  ["a tolerance without end", () => stripeWebhooks({ secret: text, toleranceMs: Infinity })],
  ["a tolerance of nothing", () => slackWebhooks({ secret: text, toleranceMs: 0 })],
])("%s makes no verifier", (_what, make) => {
  expect(make).toThrow(expect.objectContaining({ code: "invalid-configuration" }));
});
