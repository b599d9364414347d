import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { CredentialError } from "../../credentials/credential-error.ts";
import { DpopKey } from "../../credentials/dpop-key.ts";
import type { PendingAuthorization } from "../../credentials/oauth-server.ts";
import type { TokenKeeper } from "../../credentials/token-keeper.ts";
import type { TokenSet } from "../../credentials/token-set.ts";
import type { AccessFinder } from "./access-finder.ts";
import { refused } from "./metadata-reader.ts";
import {
  authorizationMs,
  fromRecord,
  type OAuthAccount,
  type ServerAccess,
} from "./oauth-account.ts";
import type { TokenChallenge } from "./www-authenticate.ts";

/** What an {@link OAuthLogin} is made of. */
export interface OAuthLoginOptions {
  readonly account: OAuthAccount;
  readonly finder: AccessFinder;
  readonly keeper: TokenKeeper;
  /** Tokens are to be bound to a key, a fresh one for each login. */
  readonly dpop: boolean;
  readonly clock: Clock;
}

/** A question to a person. */
export interface OAuthQuestion {
  /** Where the person's browser is to go. */
  readonly url: string;
  /** Comes back with the answer. */
  readonly state: string;
  readonly issuer: string;
  readonly scopes: readonly string[];
}

/** What a person has granted. */
export interface GrantedAccess {
  readonly access: ServerAccess;
  readonly tokens: TokenSet;
}

/** What became of an access that was ended: it is removed here in any case. */
export type EndedAccess =
  /** There was none. */
  | { readonly kind: "nothing" }
  /** The authorisation server has taken its tokens back, or has no way to do that. */
  | { readonly kind: "revoked" | "unsupported"; readonly issuer: string }
  /** It was not to be reached, or has refused: the tokens hold there until they expire. */
  | { readonly kind: "failed"; readonly issuer: string; readonly error: unknown };

/**
 * Asks a person for access and takes the answer, perhaps in another process: what lies between stands
 * in the store, for ten minutes. An answer is taken once, for the account that asked, and is checked
 * against the authorisation server that was asked (state, `iss`, PKCE), whoever sent it.
 */
export class OAuthLogin {
  readonly #options: OAuthLoginOptions;

  constructor(options: OAuthLoginOptions) {
    this.#options = options;
  }

  /** @param isRefused whether the server has turned a request away; if not, it must say who gives access */
  async start(
    redirectUri: string,
    challenge: TokenChallenge | undefined,
    isRefused = true,
  ): Promise<OAuthQuestion> {
    const { account, finder, clock } = this.#options;
    const prospect = await finder.find(challenge);
    if (prospect.isLegacy && !isRefused) {
      throw refused("It takes requests without any, and does not say who could give it.");
    }
    const { issuer, resource, isLegacy, scopes } = prospect;
    const client = await finder.clientFor(prospect, redirectUri);
    const dpopKey = this.#options.dpop ? { dpopKey: DpopKey.create().record } : {};
    const access = { issuer, resource, isLegacy, scopes, client, redirectUri, ...dpopKey };
    const server = await finder.serverOf(access);
    const { url, pending } = await server.startAuthorization(redirectUri);
    const record = {
      ...pending,
      account: account.key,
      access: { ...access, client: { ...client } },
    };
    const expiresAtMs = clock.now() + authorizationMs;
    await account.store.write(pendingKey(pending.state), record, expiresAtMs);
    return { url: url.href, state: pending.state, issuer, scopes };
  }

  /** @throws CredentialError `authorization-failed`, `token-refused` */
  async finish(answer: URL): Promise<GrantedAccess> {
    const { account, finder, keeper } = this.#options;
    const pending = await this.#take(answer.searchParams.get("state") ?? "");
    const access = fromRecord(pending?.["access"] as JsonObject | undefined); // as start writes it
    if (pending === undefined || access === undefined || pending["account"] !== account.key) {
      throw new CredentialError(
        "The answer belongs to no authorisation that was begun for this server and actor in the last ten minutes. Begin it again.",
        { code: "authorization-failed" },
      );
    }
    const server = await finder.serverOf(access);
    const kept = pending as unknown as PendingAuthorization; // as start writes it
    const tokens = await server.finishAuthorization(answer, kept, {});
    await keeper.put(account.tokenKey(access), tokens);
    await account.writeAccess(access);
    return { access, tokens };
  }

  /**
   * Removes the access here, whatever becomes of the rest, and then takes its tokens back where they
   * were given. It does not reject because that failed.
   */
  async end(): Promise<EndedAccess> {
    const { account, finder, keeper } = this.#options;
    const access = await account.readAccess();
    const tokens = access && (await keeper.take(account.tokenKey(access)));
    await account.forget();
    if (access === undefined || tokens === undefined) {
      return { kind: "nothing" };
    }
    const { issuer } = access;
    try {
      const isRevoked = await finder.revoke(access, tokens);
      return { kind: isRevoked ? "revoked" : "unsupported", issuer };
    } catch (error) {
      return { kind: "failed", issuer, error };
    }
  }

  async #take(state: string): Promise<JsonObject | undefined> {
    const { store } = this.#options.account;
    const key = pendingKey(state);
    return store.exclusively(key, async () => {
      const pending = await store.read(key);
      if (pending !== undefined) {
        await store.delete(key);
      }
      return pending;
    });
  }
}

const pendingKey = (state: string): string => JSON.stringify(["mcp", "pending", state]);
