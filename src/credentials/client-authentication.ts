import { createPrivateKey, type KeyObject, type webcrypto } from "node:crypto";
import type { ClientAuth } from "oauth4webapi";
import type { CredentialScope } from "../base/credential.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import type { Secret } from "../base/secret.ts";
import { resolveSecret } from "../base/secret-value.ts";
import { toBasicAuthorization } from "../http/basic-authorization.ts";
import type { OAuthClientDefinition } from "./credential-definition.ts";

/** What a client shows of itself at the token endpoint (RFC 6749, 2.3; RFC 7523, 2.2). */
export type ClientProof = Pick<
  OAuthClientDefinition,
  "clientSecret" | "clientAuthentication" | "privateKey" | "privateKeyId"
>;

/**
 * Shows who the client is, with its secret or with its key; a client that has neither is a public one.
 *
 * @throws ConfigurationError where what the method needs is missing or cannot be used.
 */
export async function authenticateClient(
  oauth: typeof import("oauth4webapi"),
  proof: ClientProof,
  scope: CredentialScope,
): Promise<ClientAuth> {
  const { clientSecret, privateKey, privateKeyId } = proof;
  const method =
    proof.clientAuthentication ?? (privateKey === undefined ? "basic" : "private-key-jwt");
  if (method === "private-key-jwt") {
    if (privateKey === undefined) {
      throw invalid('clientAuthentication "private-key-jwt" needs a privateKey.');
    }
    const key = await toSigningKey(await resolveSecret(privateKey, scope));
    return oauth.PrivateKeyJwt(privateKeyId === undefined ? key : { key, kid: privateKeyId });
  }
  if (clientSecret === undefined) {
    return oauth.None();
  }
  const secret = (await resolveSecret(clientSecret, scope)).reveal();
  return method === "post" ? oauth.ClientSecretPost(secret) : inHeader(secret);
}

/**
 * Both parts form-encoded (RFC 6749, 2.3.1) as browsers do it, which leaves `-`, `.` and `_` alone: many
 * servers forget to decode.
 */
const inHeader =
  (secret: string): ClientAuth =>
  (_server, client, _body, headers) => {
    headers.set(
      "authorization",
      toBasicAuthorization(formEncoded(client.client_id), formEncoded(secret)),
    );
  };

const formEncoded = (text: string): string =>
  new URLSearchParams([["", text]]).toString().slice("=".length);

async function toSigningKey(pem: Secret): Promise<webcrypto.CryptoKey> {
  try {
    const key = createPrivateKey(pem.reveal());
    const data = new Uint8Array(key.export({ type: "pkcs8", format: "der" }));
    return await crypto.subtle.importKey("pkcs8", data, algorithmOf(key), false, ["sign"]);
  } catch (cause) {
    throw invalid(
      "The privateKey of the OAuth client cannot be used. Give the PEM text of a PKCS #8 key: RSA, P-256, P-384, P-521 or Ed25519.",
      cause,
    );
  }
}

const curves: Readonly<Record<string, string>> = {
  prime256v1: "P-256",
  secp384r1: "P-384",
  secp521r1: "P-521",
};

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject) {
  switch (asymmetricKeyType) {
    case "ec":
      return { name: "ECDSA", namedCurve: curves[asymmetricKeyDetails?.namedCurve ?? ""] ?? "" };
    case "ed25519":
      return { name: "Ed25519" };
    default:
      return { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  }
}

const invalid = (message: string, cause?: unknown): ConfigurationError =>
  new ConfigurationError(message, { code: "invalid-configuration", cause });
