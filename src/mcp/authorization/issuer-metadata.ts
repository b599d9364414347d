import type { AuthorizationServer } from "oauth4webapi";
import type { JsonObject } from "../../base/json.ts";
import { redactUrl } from "../../base/redact-url.ts";
import { type MetadataReader, refused } from "./metadata-reader.ts";

/** What is wanted of an authorisation server. */
export interface IssuerWish {
  /** As the MCP server names it. */
  readonly issuer: string;
  /** It need publish nothing: its endpoints then are where revision 2025-03-26 says. */
  readonly isLegacy: boolean;
  /** A person is to be asked there, which takes an endpoint for that, and PKCE with S256. */
  readonly asksPeople: boolean;
}

/**
 * What an authorisation server says of itself (RFC 8414, or OpenID Connect Discovery), from the first
 * of its well-known places where there is something. Its `issuer` must be the one that was asked for,
 * letter for letter; every endpoint must be one that may be used.
 *
 * @throws CredentialError `discovery-refused`; ToolError where it cannot be reached
 */
export async function discoverIssuer(
  wish: IssuerWish,
  reader: MetadataReader,
): Promise<AuthorizationServer> {
  const { issuer, isLegacy } = wish;
  const what = `The metadata of the authorisation server ${redactUrl(issuer)}`;
  const url = reader.admit(issuer, "The authorisation server");
  for (const place of placesOf(url)) {
    const document = await reader.read(place, what);
    if (document !== undefined) {
      return checked(document, wish, reader, what);
    }
  }
  if (!isLegacy) {
    throw refused(`${what} is at none of its well-known places.`);
  }
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
  };
}

/** In the order that MCP prescribes; of an issuer with a path, the metadata of its origin is another's. */
function placesOf({ origin, pathname }: URL): readonly string[] {
  const path = pathname.replace(/\/$/, "");
  return path === ""
    ? [
        `${origin}/.well-known/oauth-authorization-server`,
        `${origin}/.well-known/openid-configuration`,
      ]
    : [
        `${origin}/.well-known/oauth-authorization-server${path}`,
        `${origin}/.well-known/openid-configuration${path}`,
        `${origin}${path}/.well-known/openid-configuration`,
      ];
}

function checked(
  document: JsonObject,
  { issuer, asksPeople }: IssuerWish,
  reader: MetadataReader,
  what: string,
): AuthorizationServer {
  if (document["issuer"] !== issuer) {
    const named = document["issuer"];
    throw refused(
      `${what} names another issuer${typeof named === "string" ? ` (${redactUrl(named)})` : ""}. It must be the same, letter for letter.`,
    );
  }
  const endpoints = asksPeople ? ["token_endpoint", "authorization_endpoint"] : ["token_endpoint"];
  const missing = endpoints.find((name) => typeof document[name] !== "string");
  if (missing !== undefined) {
    throw refused(`${what} has no ${missing}.`);
  }
  for (const name of ["token_endpoint", "authorization_endpoint", "registration_endpoint"]) {
    if (document[name] !== undefined) {
      reader.admit(String(document[name]), `The ${name} of ${redactUrl(issuer)}`);
    }
  }
  if (asksPeople && !listOf(document["code_challenge_methods_supported"]).includes("S256")) {
    throw refused(
      `${what} does not offer PKCE with S256 (code_challenge_methods_supported), without which a stolen code would do. Its operator must turn that on.`,
    );
  }
  // What we use is checked; of the rest oauth4webapi checks what it uses.
  return document as unknown as AuthorizationServer;
}

/** The texts of a list in a document. */
export const listOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
