import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  randomUUID,
  sign,
  type webcrypto,
} from "node:crypto";
import type { JsonObject } from "../base/json.ts";
import type { Secret } from "../base/secret.ts";

/** A request that is to prove that its token is ours. */
export interface ProvenRequest {
  readonly method: string;
  readonly url: URL;
  readonly token: Secret;
  /** What the server wants to be in the proof. */
  readonly nonce: string | undefined;
  readonly nowMs: number;
}

/** A key that tokens are bound to (RFC 9449), so that whoever steals one cannot use it. */
export class DpopKey {
  /** The private key as it is kept (JWK): as secret as a refresh token. */
  readonly record: JsonObject;

  private constructor(record: JsonObject) {
    this.record = record;
  }

  static create(): DpopKey {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    return new DpopKey({ ...privateKey.export({ format: "jwk" }) } as JsonObject); // texts only
  }

  static from(record: JsonObject | undefined): DpopKey | undefined {
    return record === undefined ? undefined : new DpopKey(record);
  }

  /** As the library for requests to the authorisation server wants it. */
  async toKeyPair(): Promise<webcrypto.CryptoKeyPair> {
    const algorithm = { name: "ECDSA", namedCurve: "P-256" };
    const load = (key: JsonWebKey, use: "sign" | "verify"): Promise<webcrypto.CryptoKey> =>
      crypto.subtle.importKey("jwk", key, algorithm, true, [use]);
    return {
      privateKey: await load(this.#private, "sign"),
      publicKey: await load(this.#public, "verify"),
    };
  }

  /** The proof to send with a request, good for this one only (RFC 9449, 4.2). */
  prove({ method, url, token, nonce, nowMs }: ProvenRequest): string {
    const claims = {
      jti: randomUUID(),
      htm: method,
      htu: `${url.origin}${url.pathname}`,
      iat: Math.floor(nowMs / 1000),
      ath: createHash("sha256").update(token.reveal()).digest("base64url"),
      ...(nonce === undefined ? {} : { nonce }),
    };
    const content = [{ typ: "dpop+jwt", alg: "ES256", jwk: this.#public }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");
    const key = createPrivateKey({ key: this.#private, format: "jwk" });
    const signature = sign("sha256", Buffer.from(content), { key, dsaEncoding: "ieee-p1363" });
    return `${content}.${signature.toString("base64url")}`;
  }

  get #private(): JsonWebKey {
    return this.record as JsonWebKey; // as create exports it
  }

  get #public(): JsonWebKey {
    return createPublicKey({ key: this.#private, format: "jwk" }).export({ format: "jwk" });
  }
}
