import type { CredentialScope } from "../base/credential.ts";
import type {
  GoogleServiceAccountDefinition,
  OAuth2Definition,
  OpenIdConnectDefinition,
} from "./credential-definition.ts";
import { CredentialError } from "./credential-error.ts";
import { requestServiceAccountTokens } from "./google-service-account.ts";
import type { OAuthConnection } from "./oauth-connection.ts";
import type { OAuthServer } from "./oauth-server.ts";
import type { TokenSubject } from "./token-keeper.ts";
import type { TokenSet } from "./token-set.ts";

/** Definitions whose secret is a token that is fetched and renewed. */
export type TokenDefinition =
  | OAuth2Definition
  | OpenIdConnectDefinition
  | GoogleServiceAccountDefinition;

/** How the tokens of a definition are had. */
export interface TokenSource {
  readonly connection: OAuthConnection;
  /** Absent for a definition that needs none. */
  readonly server?: OAuthServer;
  readonly scope: CredentialScope;
}

/** The tokens of a named definition, for the actor of the scope. */
export function tokenSubject(
  name: string,
  definition: TokenDefinition,
  source: TokenSource,
): TokenSubject {
  const scope = ownerOf(definition, source.scope);
  return {
    key: tokenKey(name, definition, source.scope),
    obtain: (current) => obtain(definition, current, { ...source, scope }),
  };
}

/** What a token is for: a definition that changes starts anew, and what one actor granted is theirs. */
export function tokenKey(
  name: string,
  definition: TokenDefinition,
  scope: CredentialScope,
): string {
  if (definition.kind === "google-service-account") {
    return JSON.stringify(["token", name, definition.scopes, definition.subject]);
  }
  const { clientId, scopes, parameters, grant } = definition;
  const server = definition.kind === "oauth2" ? definition.tokenUrl : definition.issuer;
  const { actor } = ownerOf(definition, scope);
  return JSON.stringify(["token", name, server, clientId, scopes, parameters, grant, actor]);
}

/** Only what a person has granted belongs to an actor; all else is the application's. */
function ownerOf(definition: TokenDefinition, { actor }: CredentialScope): CredentialScope {
  const isGranted = "grant" in definition && definition.grant === "authorization-code";
  return isGranted && actor !== undefined ? { actor } : {};
}

async function obtain(
  definition: TokenDefinition,
  current: TokenSet | undefined,
  { connection, server, scope }: TokenSource,
): Promise<TokenSet> {
  if (definition.kind === "google-service-account") {
    return requestServiceAccountTokens(definition, connection, scope);
  }
  if (definition.grant === "client-credentials" && server !== undefined) {
    return server.requestOwnTokens(scope);
  }
  if (current?.refreshToken !== undefined && server !== undefined) {
    return server.refreshTokens(current.refreshToken, scope);
  }
  throw new CredentialError(
    "Access has not been granted, or has expired. Send the actor through startAuthorization.",
    { code: "authorization-required" },
  );
}
