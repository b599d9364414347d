import { createHash } from "node:crypto";
import { isJsonObject, parseJson } from "../base/json.ts";
import { toWebhookKey } from "../tools/webhook-key.ts";
import {
  checkTolerance,
  isSigned,
  keysFrom,
  type SignatureOptions,
  type TimedSignatureOptions,
  textKey,
  timeFault,
} from "./webhook-secrets.ts";
import type { RefusedWebhook, WebhookVerifier } from "./webhook-verifier.ts";

/** How {@link standardWebhooks} verifies. */
export interface StandardWebhooksOptions extends TimedSignatureOptions {
  /** What its three headers begin with. Default `"webhook"`; `"svix"` for senders that use Svix. */
  readonly prefix?: "webhook" | "svix";
}

/**
 * Verifies deliveries by [Standard Webhooks](https://www.standardwebhooks.com): an HMAC-SHA256 over id,
 * time and body. Secrets are base64, with or without `whsec_`. A delivery is known by its id. Signatures
 * with a key pair (`v1a`) are not verified.
 *
 * @throws ConfigurationError where a secret is of no use.
 */
export function standardWebhooks(options: StandardWebhooksOptions): WebhookVerifier {
  const { prefix = "webhook" } = options;
  const keysNow = keysFrom(options, toWebhookKey);
  checkTolerance(options);
  return async ({ headers, body, nowMs, signal }) => {
    const id = headers.get(`${prefix}-id`) ?? "";
    const timestamp = headers.get(`${prefix}-timestamp`) ?? "";
    // A full stop would let one message be read as another, whose id and time are cut elsewhere.
    if (!/^[!-~]{1,256}$/.test(id) || id.includes(".")) {
      return refused(`${prefix}-id is missing, or not of the right form`);
    }
    const signatures = (headers.get(`${prefix}-signature`) ?? "")
      .split(" ")
      .filter((one) => one.startsWith("v1,"))
      .map((one) => Buffer.from(one.slice("v1,".length), "base64"));
    const parts = [`${id}.${timestamp}.`, body];
    return isSigned(parts, await keysNow(signal), signatures)
      ? (timeRefusal(timestamp, nowMs, options) ?? { id })
      : noSignature;
  };
}

/** How {@link githubWebhooks} verifies. */
export interface GithubWebhooksOptions extends SignatureOptions {
  /**
   * What deliveries are known by. `"body"` (the default): what was signed, so that no copy counts as new;
   * but two events whose bodies are equal count as one. `"header"`: `X-GitHub-Delivery`, which is not
   * signed, so that whoever has seen a delivery can send it again under another id.
   */
  readonly identity?: "body" | "header";
}

/**
 * Verifies deliveries as GitHub signs them, and others like it: `X-Hub-Signature-256`, an HMAC-SHA256
 * over the body alone. No time is signed, so that a delivery is never too old: it is known for as long
 * as its run is kept.
 *
 * @throws ConfigurationError where a secret is of no use.
 */
export function githubWebhooks(options: GithubWebhooksOptions): WebhookVerifier {
  const keysNow = keysFrom(options, textKey);
  return async ({ headers, body, signal }) => {
    const signature = /^sha256=([0-9a-f]{64})$/i.exec(
      headers.get("x-hub-signature-256") ?? "",
    )?.[1];
    const given = signature === undefined ? [] : [Buffer.from(signature, "hex")];
    if (!isSigned([body], await keysNow(signal), given)) {
      return noSignature;
    }
    if (options.identity !== "header") {
      return { id: digestOf([body]) };
    }
    const id = headers.get("x-github-delivery") ?? "";
    return /^[\w-]{1,100}$/.test(id) ? { id } : refused("X-GitHub-Delivery is missing");
  };
}

/**
 * Verifies deliveries as Stripe signs them: `Stripe-Signature: t=…,v1=…`, an HMAC-SHA256 over time and
 * body. A delivery is known by the event's `id` in its body.
 *
 * @throws ConfigurationError where a secret is of no use.
 */
export function stripeWebhooks(options: TimedSignatureOptions): WebhookVerifier {
  const keysNow = keysFrom(options, textKey);
  checkTolerance(options);
  return async ({ headers, body, nowMs, signal }) => {
    const pairs = (headers.get("stripe-signature") ?? "")
      .split(",")
      .map((pair) => pair.trim().split("="));
    const valuesOf = (name: string): readonly string[] =>
      pairs.flatMap(([key, value = ""]) => (key === name ? [value] : []));
    const [timestamp = ""] = valuesOf("t");
    const signatures = valuesOf("v1").map((hex) => Buffer.from(hex, "hex"));
    if (!isSigned([`${timestamp}.`, body], await keysNow(signal), signatures)) {
      return noSignature;
    }
    return timeRefusal(timestamp, nowMs, options) ?? { id: textIn(body, "id") ?? digestOf([body]) };
  };
}

/**
 * Verifies deliveries as Slack signs them: `X-Slack-Signature: v0=…`, an HMAC-SHA256 over time and body.
 * An event is known by its `event_id`, anything else by what was signed.
 *
 * @throws ConfigurationError where a secret is of no use.
 */
export function slackWebhooks(options: TimedSignatureOptions): WebhookVerifier {
  const keysNow = keysFrom(options, textKey);
  checkTolerance(options);
  return async ({ headers, body, nowMs, signal }) => {
    const timestamp = headers.get("x-slack-request-timestamp") ?? "";
    const signature = /^v0=([0-9a-f]{64})$/i.exec(headers.get("x-slack-signature") ?? "")?.[1];
    const given = signature === undefined ? [] : [Buffer.from(signature, "hex")];
    const parts = [`v0:${timestamp}:`, body];
    if (!isSigned(parts, await keysNow(signal), given)) {
      return noSignature;
    }
    return (
      timeRefusal(timestamp, nowMs, options) ?? { id: textIn(body, "event_id") ?? digestOf(parts) }
    );
  };
}

const refused = (why: string): RefusedWebhook => ({ refused: why });

const noSignature = refused("no signature in it is valid");

function timeRefusal(
  timestamp: string,
  nowMs: number,
  options: TimedSignatureOptions,
): RefusedWebhook | undefined {
  const fault = timeFault(timestamp, nowMs, options);
  return fault === undefined ? undefined : refused(fault);
}

function digestOf(parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) {
    hash.update(part);
  }
  return hash.digest("hex");
}

/** A text of a JSON object that was verified. */
function textIn(body: Uint8Array, key: string): string | undefined {
  const value = parseJson(new TextDecoder().decode(body));
  const text = isJsonObject(value) ? value[key] : undefined;
  return typeof text === "string" && text !== "" ? text : undefined;
}
