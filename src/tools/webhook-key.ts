import { fromBase64 } from "../base/base64.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import type { Secret } from "../base/secret.ts";

/** What Standard Webhooks demands of a secret, in bytes. */
const shortest = 24;
const longest = 64;

/**
 * The key that a secret of Standard Webhooks stands for: base64, with or without `whsec_` before it.
 *
 * @throws ConfigurationError where it is none, or too short to protect anything.
 */
export function toWebhookKey(secret: Secret): Uint8Array {
  const text = secret.reveal().trim();
  const key = fromBase64(text.replace(/^whsec_/, ""));
  if (key === undefined || key.length < shortest || key.length > longest) {
    throw new ConfigurationError(
      `The secret of a webhook must be base64 of ${shortest} to ${longest} random bytes, with whsec_ before it; echo whsec_$(openssl rand -base64 32) makes a good one.`,
      { code: "invalid-configuration" },
    );
  }
  return key;
}
