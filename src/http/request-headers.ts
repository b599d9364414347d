import { Secret } from "../base/secret.ts";

/** Headers as a request is given them; a `Secret` is revealed when the request is sent. */
export type HttpHeaders = Readonly<Record<string, string | Secret>>;

/** All headers by lower-case name; later ones override earlier ones, whatever their case. */
export function mergeHeaders(...all: readonly HttpHeaders[]): Readonly<Record<string, string>> {
  const merged: Record<string, string> = {};
  for (const headers of all) {
    for (const [name, value] of Object.entries(headers)) {
      merged[name.toLowerCase()] = value instanceof Secret ? value.reveal() : value;
    }
  }
  return merged;
}

/**
 * The headers without those that may hold a credential: what may go to another origin. They are told
 * by their names, the standard ones and what vendors call theirs (`X-Api-Key`, `X-Auth-Token`, …).
 */
export function withoutCredentials(
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !credentialName.test(name)));
}

const credentialName = /auth|cookie|token|key|secret|passw|credential|session|signature|jwt/i;
