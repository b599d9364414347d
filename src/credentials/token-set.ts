import type { JsonObject } from "../base/json.ts";
import { Secret } from "../base/secret.ts";

/** What an authorisation server has given. */
export interface TokenSet {
  readonly accessToken: Secret;
  readonly refreshToken?: Secret;
  /** Unix epoch; absent: not told. */
  readonly expiresAtMs?: number;
}

/** The tokens as a store keeps them. */
export function toTokenRecord({ accessToken, refreshToken, expiresAtMs }: TokenSet): JsonObject {
  return {
    accessToken: accessToken.reveal(),
    ...(refreshToken === undefined ? {} : { refreshToken: refreshToken.reveal() }),
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
  };
}

/** The tokens of a record, if it is one of tokens. */
export function fromTokenRecord(record: JsonObject | undefined): TokenSet | undefined {
  if (typeof record?.["accessToken"] !== "string") {
    return undefined;
  }
  const { accessToken, refreshToken, expiresAtMs } = record;
  return {
    accessToken: new Secret(accessToken),
    ...(typeof refreshToken === "string" ? { refreshToken: new Secret(refreshToken) } : {}),
    ...(typeof expiresAtMs === "number" ? { expiresAtMs } : {}),
  };
}
