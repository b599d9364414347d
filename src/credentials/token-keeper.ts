import type { CredentialScope } from "../base/credential.ts";
import type { Secret } from "../base/secret.ts";
import { ToolError } from "../base/tool-error.ts";
import type {
  GoogleServiceAccountDefinition,
  OAuth2Definition,
  OpenIdConnectDefinition,
} from "./credential-definition.ts";
import { CredentialError } from "./credential-error.ts";
import type { CredentialStore } from "./credential-store.ts";
import { requestServiceAccountTokens } from "./google-service-account.ts";
import type { OAuthConnection, OAuthServer } from "./oauth-server.ts";
import { fromTokenRecord, type TokenSet, toTokenRecord } from "./token-set.ts";

/** Definitions whose secret is a token that is fetched and renewed. */
export type TokenDefinition =
  | OAuth2Definition
  | OpenIdConnectDefinition
  | GoogleServiceAccountDefinition;

/** A token is renewed so long before it expires. */
const earlyMs = 60_000;

/** Fetches, renews and keeps tokens: one request at a time for each token, whoever asks. */
export class TokenKeeper {
  readonly #store: CredentialStore;
  readonly #connection: OAuthConnection;
  readonly #underWay = new Map<string, Promise<TokenSet>>();

  constructor(store: CredentialStore, connection: OAuthConnection) {
    this.#store = store;
    this.#connection = connection;
  }

  /** A token that holds for a while yet, and is another than the one that was refused. */
  async accessToken(
    name: string,
    definition: TokenDefinition,
    server: OAuthServer | undefined,
    scope: CredentialScope,
    refused: Secret | undefined,
  ): Promise<Secret> {
    const key = keyOf(name, definition, scope);
    const holds: Holds = (tokens, forMs) =>
      tokens.accessToken.reveal() !== refused?.reveal() &&
      (tokens.expiresAtMs ?? Infinity) - forMs > this.#connection.nowMs();
    const stored = fromTokenRecord(await this.#store.read(key));
    if (stored !== undefined && holds(stored, earlyMs)) {
      return stored.accessToken;
    }
    // One request serves all who wait, so that no one's signal may end it.
    const renewal =
      this.#underWay.get(key) ??
      this.#renew(key, holds, (current) =>
        this.#obtain(definition, server, current, ownerOf(definition, scope)),
      ).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, renewal);
    return (await renewal).accessToken;
  }

  /** Keeps tokens that came about elsewhere. */
  async put(
    name: string,
    definition: TokenDefinition,
    scope: CredentialScope,
    tokens: TokenSet,
  ): Promise<void> {
    const key = keyOf(name, definition, scope);
    await this.#store.exclusively(key, () => this.#store.write(key, toTokenRecord(tokens)));
  }

  async drop(name: string, definition: TokenDefinition, scope: CredentialScope): Promise<void> {
    const key = keyOf(name, definition, scope);
    await this.#store.exclusively(key, () => this.#store.delete(key));
  }

  #renew(
    key: string,
    holds: Holds,
    obtain: (current: TokenSet | undefined) => Promise<TokenSet>,
  ): Promise<TokenSet> {
    return this.#store.exclusively(key, async () => {
      const current = fromTokenRecord(await this.#store.read(key));
      if (current !== undefined && holds(current, earlyMs)) {
        return current; // another process has renewed it while we waited
      }
      try {
        const tokens = await obtain(current);
        await this.#store.write(key, toTokenRecord(tokens));
        return tokens;
      } catch (error) {
        return await this.#afterFailure(key, current, holds, error);
      }
    });
  }

  async #afterFailure(
    key: string,
    current: TokenSet | undefined,
    holds: Holds,
    error: unknown,
  ): Promise<TokenSet> {
    if (CredentialError.is(error) && error.code === "authorization-required") {
      await this.#store.delete(key); // the grant is gone
    } else if (ToolError.is(error) && current !== undefined && holds(current, 0)) {
      return current; // the server cannot be reached, and what we have still holds
    }
    throw error;
  }

  async #obtain(
    definition: TokenDefinition,
    server: OAuthServer | undefined,
    current: TokenSet | undefined,
    scope: CredentialScope,
  ): Promise<TokenSet> {
    if (definition.kind === "google-service-account") {
      return requestServiceAccountTokens(definition, this.#connection, scope);
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
}

/** Whether tokens hold for so long yet, and are others than those that were refused. */
type Holds = (tokens: TokenSet, forMs: number) => boolean;

/** Only what a person has granted belongs to an actor; all else is the application's. */
function ownerOf(definition: TokenDefinition, { actor }: CredentialScope): CredentialScope {
  const isGranted = "grant" in definition && definition.grant === "authorization-code";
  return isGranted && actor !== undefined ? { actor } : {};
}

/** What a token is for: a definition that changes starts anew, and what one actor granted is theirs. */
function keyOf(name: string, definition: TokenDefinition, scope: CredentialScope): string {
  if (definition.kind === "google-service-account") {
    return JSON.stringify(["token", name, definition.scopes, definition.subject]);
  }
  const { clientId, scopes, parameters, grant } = definition;
  const server = definition.kind === "oauth2" ? definition.tokenUrl : definition.issuer;
  const { actor } = ownerOf(definition, scope);
  return JSON.stringify(["token", name, server, clientId, scopes, parameters, grant, actor]);
}
