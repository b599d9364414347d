import { createHmac } from "node:crypto";

/** What of a message is signed by Standard Webhooks. */
export interface SignedMessage {
  /** The same for each delivery of the same message; holds no full stop. */
  readonly id: string;
  /** When it is delivered, in seconds since the Unix epoch, as it stands in the header. */
  readonly timestamp: string;
  readonly body: string | Uint8Array;
}

/**
 * What `webhook-signature` says: one signature for each key, so that a receiver who knows one of them
 * is content while keys are replaced.
 */
export function signWebhook(message: SignedMessage, keys: readonly Uint8Array[]): string {
  return keys.map((key) => `v1,${webhookDigest(message, key).toString("base64")}`).join(" ");
}

const webhookDigest = ({ id, timestamp, body }: SignedMessage, key: Uint8Array): Buffer =>
  createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
