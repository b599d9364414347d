import type { JsonObject } from "../base/json.ts";
import { Secret } from "../base/secret.ts";

/** What an authorisation server has given. */
export interface TokenSet {
  readonly accessToken: Secret;
  readonly refreshToken?: Secret;
  /** Unix epoch; absent: not told. */
  readonly expiresAtMs?: number;
  /** They are bound to a key, which every request must prove to have (DPoP). */
  readonly isBound?: true;
}

/** The tokens as a store keeps them. */
export function toTokenRecord(tokens: TokenSet): JsonObject {
  const { accessToken, refreshToken, expiresAtMs, isBound } = tokens;
  return {
    accessToken: accessToken.reveal(),
    ...(refreshToken === undefined ? {} : { refreshToken: refreshToken.reveal() }),
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
    ...(isBound === undefined ? {} : { isBound }),
  };
}

/** The tokens of a record, if it is one of tokens. */
export function fromTokenRecord(record: JsonObject | undefined): TokenSet | undefined {
  if (typeof record?.["accessToken"] !== "string") {
    return undefined;
  }
  const { accessToken, refreshToken, expiresAtMs, isBound } = record;
  return {
    accessToken: new Secret(accessToken),
    ...(typeof refreshToken === "string" ? { refreshToken: new Secret(refreshToken) } : {}),
    ...(typeof expiresAtMs === "number" ? { expiresAtMs } : {}),
    ...(isBound === true ? { isBound } : {}),
  };
}
