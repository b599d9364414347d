import { sign } from "node:crypto";
import type { CredentialScope } from "../base/credential.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { isJsonObject, parseJson } from "../base/json.ts";
import { redactUrl } from "../base/redact-url.ts";
import { Secret } from "../base/secret.ts";
import { resolveSecret } from "../base/secret-value.ts";
import { ToolHttpError } from "../base/tool-error.ts";
import { HttpClient } from "../http/http-client.ts";
import type { GoogleServiceAccountDefinition } from "./credential-definition.ts";
import { CredentialError } from "./credential-error.ts";
import type { OAuthConnection } from "./oauth-connection.ts";
import { toCredentialError } from "./oauth-errors.ts";
import type { TokenSet } from "./token-set.ts";

const assertionSeconds = 3_600;

/** A token for a Google service account, by an assertion that its key signs (RFC 7523, 2.1). */
export async function requestServiceAccountTokens(
  definition: GoogleServiceAccountDefinition,
  { http, nowMs }: OAuthConnection,
  scope: CredentialScope,
): Promise<TokenSet> {
  const key = await readKey(definition, scope);
  const client = new HttpClient({
    baseUrl: key.tokenUrl,
    options: { ...http, maxRedirects: 0, instrumentor: () => {} },
  });
  const response = await client
    .post("", {
      body: new URLSearchParams({
        grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
        assertion: createAssertion(definition, key, Math.floor(nowMs() / 1_000)),
      }),
    })
    .catch((thrown: unknown) => {
      const answered = ToolHttpError.is(thrown) ? parseJson(thrown.response.body) : thrown;
      throw toCredentialError(answered, `The request for a token at ${redactUrl(key.tokenUrl)}`);
    });
  const answer = parseJson(response.body);
  if (!isJsonObject(answer) || typeof answer["access_token"] !== "string") {
    throw new CredentialError(
      `The request for a token at ${redactUrl(key.tokenUrl)} failed: the answer holds none.`,
      { code: "token-refused" },
    );
  }
  const seconds = Number(answer["expires_in"] ?? assertionSeconds);
  return {
    accessToken: new Secret(answer["access_token"]),
    expiresAtMs: nowMs() + (Number.isFinite(seconds) ? seconds : assertionSeconds) * 1_000,
  };
}

interface ServiceAccountKey {
  readonly email: string;
  readonly privateKey: Secret;
  readonly keyId: string | undefined;
  readonly tokenUrl: URL;
}

async function readKey(
  { key, allowInsecureHttp = false }: GoogleServiceAccountDefinition,
  scope: CredentialScope,
): Promise<ServiceAccountKey> {
  const file = parseJson((await resolveSecret(key, scope)).reveal());
  const {
    client_email: email,
    private_key: privateKey,
    private_key_id: keyId,
    token_uri: tokenUri = "https://oauth2.googleapis.com/token",
  } = isJsonObject(file) ? file : {};
  const tokenUrl = typeof tokenUri === "string" ? URL.parse(tokenUri) : null;
  const isSecure = tokenUrl?.protocol === "https:" || allowInsecureHttp;
  if (
    typeof email !== "string" ||
    typeof privateKey !== "string" ||
    tokenUrl === null ||
    !isSecure
  ) {
    throw new ConfigurationError(
      "The key of the Google service account is not one: give the text of its JSON key file, which has client_email, private_key and an https: token_uri.",
      { code: "invalid-configuration" },
    );
  }
  return {
    email,
    privateKey: new Secret(privateKey),
    keyId: typeof keyId === "string" ? keyId : undefined,
    tokenUrl,
  };
}

function createAssertion(
  { scopes, subject }: GoogleServiceAccountDefinition,
  { email, privateKey, keyId, tokenUrl }: ServiceAccountKey,
  nowSeconds: number,
): string {
  const header = { alg: "RS256", typ: "JWT", ...(keyId === undefined ? {} : { kid: keyId }) };
  const claims = {
    iss: email,
    scope: scopes.join(" "),
    aud: tokenUrl.href,
    iat: nowSeconds,
    exp: nowSeconds + assertionSeconds,
    ...(subject === undefined ? {} : { sub: subject }),
  };
  const content = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  return `${content}.${signContent(content, privateKey)}`;
}

function signContent(content: string, privateKey: Secret): string {
  try {
    return sign("RSA-SHA256", Buffer.from(content), privateKey.reveal()).toString("base64url");
  } catch (cause) {
    throw new ConfigurationError(
      "The private key of the Google service account cannot be used. Give the key file as Google wrote it.",
      { code: "invalid-configuration", cause },
    );
  }
}
