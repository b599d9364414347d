import { createHmac, timingSafeEqual } from "node:crypto";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { Secret } from "../base/secret.ts";
import { resolveSecret, type SecretValue } from "../base/secret-value.ts";

/** What a verifier of signatures is made of. */
export interface SignatureOptions {
  /**
   * What the sender signs with. Several, while the sender changes over from one to another: a signature
   * with any of them is valid. A function is called for each delivery, so that it may ask a credential
   * store: `async () => (await credentials.credential("github", {})).secret`.
   */
  readonly secret: SecretValue | readonly SecretValue[];
}

/** The same for schemes that sign the time as well. */
export interface TimedSignatureOptions extends SignatureOptions {
  /** How far the time of a delivery may be from ours, either way, in milliseconds. Default 300 000. */
  readonly toleranceMs?: number;
}

/** The keys that deliveries may be signed with now. */
export type CurrentKeys = (signal: AbortSignal) => Promise<readonly Uint8Array[]>;

/**
 * @param toKey makes a key of a secret; throws ConfigurationError where it is of no use.
 * @throws ConfigurationError where there is no secret, or one that is known already is of no use.
 */
export function keysFrom(
  { secret }: SignatureOptions,
  toKey: (secret: Secret) => Uint8Array,
): CurrentKeys {
  const values = [secret].flat() as readonly SecretValue[]; // flat loses readonly
  if (values.length === 0 || values.some((value) => value === undefined || value === null)) {
    throw invalid("A verifier of webhooks needs the secret that they are signed with.");
  }
  for (const value of values) {
    if (typeof value !== "function") {
      toKey(typeof value === "string" ? new Secret(value) : value);
    }
  }
  return async (signal) => {
    const secrets = await Promise.all(values.map((value) => resolveSecret(value, { signal })));
    return secrets.map(toKey);
  };
}

/** Shorter ones can be guessed. */
const shortestText = 16;

/** A secret that is taken as it is, byte for byte. @throws ConfigurationError where it is too short. */
export function textKey(secret: Secret): Uint8Array {
  const text = secret.reveal();
  if (text.length < shortestText) {
    throw invalid(
      `The secret of a webhook must have at least ${shortestText} characters; openssl rand -hex 32 makes a good one.`,
    );
  }
  return new TextEncoder().encode(text);
}

/** Of more signatures in one header than these, the rest is not looked at. */
const mostSignatures = 16;

/**
 * Whether one of the signatures is the HMAC-SHA256 of the parts, one after the other, with one of the
 * keys. It takes the same time wherever they differ.
 */
export function isSigned(
  parts: readonly (string | Uint8Array)[],
  keys: readonly Uint8Array[],
  signatures: readonly Uint8Array[],
): boolean {
  const given = signatures.filter(({ length }) => length === 32).slice(0, mostSignatures);
  let isValid = false;
  for (const key of keys) {
    const hmac = createHmac("sha256", key);
    for (const part of parts) {
      hmac.update(part);
    }
    const wanted = hmac.digest();
    for (const signature of given) {
      // Both are looked at in any case.
      isValid = timingSafeEqual(signature, wanted) || isValid;
    }
  }
  return isValid;
}

const defaultToleranceMs = 300_000;

/**
 * What is wrong with the time of a delivery, in words; `undefined` where nothing is.
 *
 * @param timestamp seconds since the Unix epoch, as they stand in a header.
 */
export function timeFault(
  timestamp: string,
  nowMs: number,
  { toleranceMs = defaultToleranceMs }: TimedSignatureOptions,
): string | undefined {
  if (!/^[1-9]\d{0,11}$/.test(timestamp)) {
    return "its time is none";
  }
  const lateMs = nowMs - Number(timestamp) * 1_000;
  return Math.abs(lateMs) > toleranceMs
    ? `its time is ${Math.round(Math.abs(lateMs) / 1_000)} s ${lateMs > 0 ? "ago" : "ahead"}`
    : undefined;
}

/** @throws ConfigurationError where a tolerance would let everything pass, or nothing. */
export function checkTolerance({ toleranceMs = defaultToleranceMs }: TimedSignatureOptions): void {
  if (!(Number.isFinite(toleranceMs) && toleranceMs >= 1_000)) {
    throw invalid(`toleranceMs is ${toleranceMs}; it must be a number of at least 1000.`);
  }
}

const invalid = (message: string): ConfigurationError =>
  new ConfigurationError(message, { code: "invalid-configuration" });
