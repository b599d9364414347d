import type { AuthorizationServer } from "oauth4webapi";
import { isJsonObject, type JsonObject, parseJson } from "../../base/json.ts";
import { redactUrl } from "../../base/redact-url.ts";
import type { SecretValue } from "../../base/secret-value.ts";
import { CredentialError } from "../../credentials/credential-error.ts";
import { sendOAuthRequest } from "../../credentials/oauth-connection.ts";
import type { McpOAuth } from "../../tool/mcp-oauth.ts";
import { listOf } from "./issuer-metadata.ts";
import type { MetadataReader } from "./metadata-reader.ts";

/** Who we are to an authorisation server. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret?: SecretValue;
  readonly clientAuthentication?: "basic" | "post" | "private-key-jwt";
  readonly privateKey?: SecretValue;
  readonly privateKeyId?: string;
}

/** A client that registered itself, as it is kept. */
export interface RegisteredClient {
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly clientAuthentication?: "basic" | "post";
  /** When its secret ceases to hold, in milliseconds since the Unix epoch; absent: never. */
  readonly expiresAtMs?: number;
}

/**
 * The client that the configuration names: one that is registered already, else one that describes
 * itself in a document, where the server reads such. Undefined where it must register itself.
 */
export function configuredClient(
  settings: McpOAuth,
  issuer: AuthorizationServer,
): OAuthClient | undefined {
  const { clientId, clientSecret, clientMetadataUrl, privateKey, privateKeyId } = settings;
  const key = {
    ...(privateKey === undefined ? {} : { privateKey }),
    ...(privateKeyId === undefined ? {} : { privateKeyId }),
  };
  if (clientId !== undefined) {
    const method =
      settings.clientAuthentication ??
      (privateKey === undefined ? secretMethod(issuer) : "private-key-jwt");
    return {
      clientId,
      clientAuthentication: method,
      ...(clientSecret === undefined ? {} : { clientSecret }),
      ...key,
    };
  }
  const readsDocuments = issuer["client_id_metadata_document_supported"] === true;
  return clientMetadataUrl !== undefined && readsDocuments
    ? { clientId: clientMetadataUrl, ...key }
    : undefined;
}

/** What is registered. */
export interface Registration {
  readonly settings: McpOAuth;
  readonly issuer: AuthorizationServer;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly reader: MetadataReader;
}

/**
 * Registers a client (RFC 7591).
 *
 * @throws CredentialError `authorization-failed` where the server registers none, and then what to do
 */
export async function registerClient(registration: Registration): Promise<RegisteredClient> {
  const { issuer, reader } = registration;
  const what = `The registration at the authorisation server ${redactUrl(issuer.issuer)}`;
  const { registration_endpoint: endpoint } = issuer;
  if (endpoint === undefined) {
    throw failed(
      `The authorisation server ${redactUrl(issuer.issuer)} lets no client register itself. Register one there, and set clientId (and clientSecret) in "auth".`,
    );
  }
  const { status, text } = await sendOAuthRequest(reader.connection, {
    method: "POST",
    url: reader.admit(endpoint, "The registration_endpoint"),
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(clientMetadata(registration)),
  });
  const answer = parseJson(text);
  if (status >= 300 || !isJsonObject(answer) || typeof answer["client_id"] !== "string") {
    const code = isJsonObject(answer) ? registrationCodes.get(answer["error"]) : undefined;
    throw failed(
      `${what} failed: ${code ?? `HTTP ${status} without a client_id`}. Register a client there, and set clientId in "auth".`,
    );
  }
  return toClient(answer, answer["client_id"], issuer);
}

function clientMetadata({ settings, issuer, redirectUri, scopes }: Registration): JsonObject {
  return {
    client_name: settings.clientName ?? "Dragoman",
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    application_type: isOnThisMachine(redirectUri) ? "native" : "web",
    token_endpoint_auth_method: methodToAskFor(issuer),
    ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") }),
  };
}

/** A loopback address, or a scheme of the application's own (RFC 8252, 7). */
function isOnThisMachine(redirectUri: string): boolean {
  const { protocol, hostname } = new URL(redirectUri);
  return protocol !== "https:" || /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
}

/** A public client, which has no secret to lose; else one with a secret that the server takes. */
function methodToAskFor(issuer: AuthorizationServer): string {
  const offered = listOf(issuer.token_endpoint_auth_methods_supported);
  const preferred = ["none", "client_secret_basic", "client_secret_post"];
  return preferred.find((method) => offered.includes(method)) ?? "none";
}

function toClient(
  answer: JsonObject,
  clientId: string,
  issuer: AuthorizationServer,
): RegisteredClient {
  const { client_secret: secret, client_secret_expires_at: expires } = answer;
  const method = answer["token_endpoint_auth_method"];
  if (typeof secret !== "string" || method === "none") {
    return { clientId };
  }
  const isPost = method === "client_secret_post";
  return {
    clientId,
    clientSecret: secret,
    clientAuthentication:
      typeof method === "string" ? (isPost ? "post" : "basic") : secretMethod(issuer),
    ...(typeof expires === "number" && expires > 0 ? { expiresAtMs: expires * 1000 } : {}),
  };
}

/** How the server wants a secret; where it does not say, in a header (RFC 8414, 2). */
function secretMethod(issuer: AuthorizationServer): "basic" | "post" {
  const offered = listOf(issuer.token_endpoint_auth_methods_supported);
  return offered.includes("client_secret_post") && !offered.includes("client_secret_basic")
    ? "post"
    : "basic";
}

/** What RFC 7591 knows; anything else that stands in its place is not shown. */
const registrationCodes: ReadonlyMap<unknown, string> = new Map(
  [
    "invalid_redirect_uri",
    "invalid_client_metadata",
    "invalid_software_statement",
    "unapproved_software_statement",
    "access_denied",
  ].map((code) => [code, code]),
);

const failed = (message: string): CredentialError =>
  new CredentialError(message, { code: "authorization-failed" });
