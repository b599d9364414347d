import type { SecretValue } from "../base/secret-value.ts";

/** A key that the API takes in a header, a query parameter or a cookie. */
export interface ApiKeyDefinition {
  readonly kind: "api-key";
  readonly value: SecretValue;
  /** Default `header`. */
  readonly in?: "header" | "query" | "cookie";
  /** Default `X-API-Key` in a header, `api_key` elsewhere. */
  readonly name?: string;
}

/** A token for `Authorization: Bearer` (RFC 6750). */
export interface BearerDefinition {
  readonly kind: "bearer";
  readonly token: SecretValue;
}

/** User name and password for `Authorization: Basic` (RFC 7617). */
export interface BasicDefinition {
  readonly kind: "basic";
  readonly username: string;
  readonly password: SecretValue;
}

/** How a client proves who it is: its secret in a header or in the body, or a signed assertion. */
export type ClientAuthentication = "basic" | "post" | "private-key-jwt";

/** What all of OAuth has in common. */
export interface OAuthClientDefinition {
  readonly clientId: string;
  /** Absent: a public client, which PKCE protects. */
  readonly clientSecret?: SecretValue;
  /**
   * How the client shows who it is. Default `private-key-jwt` where there is a `privateKey`, else `basic`.
   */
  readonly clientAuthentication?: ClientAuthentication;
  /** The private key (PEM, PKCS #8; RSA, P-256, P-384, P-521 or Ed25519) of a client that signs (RFC 7523, 2.2). */
  readonly privateKey?: SecretValue;
  /** The `kid` by which the server knows the key. */
  readonly privateKeyId?: string;
  readonly scopes?: readonly string[];
  /** Further parameters of every request (`resource`, `audience`); no secrets. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Further parameters of the URL at which a person grants access (`access_type`, `prompt`). */
  readonly authorizationParameters?: Readonly<Record<string, string>>;
  /**
   * `client-credentials`: the application's own access, one token for all. `authorization-code`: what
   * a person grants, one token for each actor.
   */
  readonly grant: "client-credentials" | "authorization-code";
  /** Allows `http:` endpoints. Default false: only `https:`. */
  readonly allowInsecureHttp?: boolean;
}

/** An access token by OAuth 2 (RFC 6749, with PKCE of RFC 7636), whose endpoints are known. */
export interface OAuth2Definition extends OAuthClientDefinition {
  readonly kind: "oauth2";
  readonly tokenUrl: string;
  /** Needed for `authorization-code`. */
  readonly authorizationUrl?: string;
  /** If given, the `iss` of an answer must be this (RFC 9207). */
  readonly issuer?: string;
}

/** An access token from an OpenID Connect provider, whose endpoints are discovered. */
export interface OpenIdConnectDefinition extends OAuthClientDefinition {
  readonly kind: "openid-connect";
  /** Its metadata stands below this URL, at `/.well-known/openid-configuration`. */
  readonly issuer: string;
}

/** An access token for a Google service account, by a signed assertion (RFC 7523). */
export interface GoogleServiceAccountDefinition {
  readonly kind: "google-service-account";
  /** The text of the JSON key file. */
  readonly key: SecretValue;
  readonly scopes: readonly string[];
  /** The user to act for, where the account may (domain-wide delegation). */
  readonly subject?: string;
  /** Allows an `http:` token endpoint in the key. Default false. */
  readonly allowInsecureHttp?: boolean;
}

/** A credential as it is configured. */
export type CredentialDefinition =
  | ApiKeyDefinition
  | BearerDefinition
  | BasicDefinition
  | OAuth2Definition
  | OpenIdConnectDefinition
  | GoogleServiceAccountDefinition;
