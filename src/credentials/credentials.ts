import { untilAborted } from "../base/abort.ts";
import { checkObject } from "../base/check-object.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import type { Credential, CredentialScope, CredentialSource } from "../base/credential.ts";
import type { CredentialStore } from "../base/credential-store.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { Secret } from "../base/secret.ts";
import { resolveSecret } from "../base/secret-value.ts";
import { AddressGuard } from "../http/address-guard.ts";
import { toBasicAuthorization } from "../http/basic-authorization.ts";
import type { ConnectionOptions } from "../http/connection-pool.ts";
import type { HttpLimits } from "../http/http-request.ts";
import type {
  ApiKeyDefinition,
  CredentialDefinition,
  OAuth2Definition,
  OpenIdConnectDefinition,
} from "./credential-definition.ts";
import { CredentialError } from "./credential-error.ts";
import { MemoryCredentialStore } from "./memory-credential-store.ts";
import type { OAuthConnection } from "./oauth-connection.ts";
import { OAuthServer, type PendingAuthorization } from "./oauth-server.ts";
import { TokenKeeper } from "./token-keeper.ts";
import { type TokenDefinition, tokenKey, tokenSubject } from "./token-subject.ts";

/** What {@link Credentials} are made of. */
export interface CredentialsOptions {
  /** Credentials by the names that tools ask for. */
  readonly definitions: Readonly<Record<string, CredentialDefinition>>;
  /** Where tokens are kept. Default: in memory, as long as the process lives. */
  readonly store?: CredentialStore;
  /** Proxy, certificates and times of every request to an authorisation server. */
  readonly http?: ConnectionOptions & HttpLimits;
  /**
   * Where endpoints may lie that a discovery document names outside of its own origin. Default: at
   * public addresses. Behind `http.proxy` it is not asked.
   */
  readonly guard?: AddressGuard;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
}

const credentialsName = "set of options of Credentials, { definitions, store, … },";

/** How long a person may take to grant access. */
const authorizationMs = 10 * 60_000;

/**
 * An application's credentials by name, and the tokens that come of them. Tokens are fetched when they
 * are first needed, renewed a minute before they expire, and kept in the store. However many ask at
 * once, also in several processes that share a store, one request is made. What a person has granted
 * is kept apart for each actor.
 *
 * Give it to `configure({ credentials })`; a tool then asks `call.binding.credential(name)`.
 */
export class Credentials implements CredentialSource {
  readonly #definitions: ReadonlyMap<string, CredentialDefinition>;
  readonly #store: CredentialStore;
  readonly #clock: Clock;
  readonly #connection: OAuthConnection;
  readonly #keeper: TokenKeeper;
  readonly #servers = new Map<string, OAuthServer>();

  constructor(options: CredentialsOptions) {
    checkObject(options, ["definitions", "store", "http", "guard", "clock"], credentialsName);
    checkObject(
      options.definitions,
      Object.keys(options.definitions ?? {}),
      "set of definitions of Credentials",
    );
    const { definitions, http = {}, clock = systemClock } = options;
    this.#definitions = new Map(Object.entries(definitions));
    this.#clock = clock;
    this.#store = options.store ?? new MemoryCredentialStore({ clock });
    const guard = options.guard ?? new AddressGuard();
    this.#connection = { http, guard, nowMs: () => clock.now() };
    this.#keeper = new TokenKeeper(this.#store, this.#connection.nowMs);
  }

  /**
   * The credential of that name, for the actor of the scope.
   *
   * @throws ConfigurationError `invalid-configuration` where none is defined by that name.
   * @throws CredentialError `authorization-required` where the actor has yet to grant access.
   */
  async credential(name: string, scope: CredentialScope = {}): Promise<Credential> {
    scope.signal?.throwIfAborted();
    const found = this.#credential(name, this.#definition(name), scope, undefined);
    return scope.signal === undefined ? found : untilAborted(found, scope.signal);
  }

  /**
   * Begins to ask a person for access. The application sends the person to `url`; what comes back to
   * `redirectUri` goes to {@link finishAuthorization} within ten minutes, for the same actor.
   */
  async startAuthorization(
    name: string,
    { redirectUri, actor }: { readonly redirectUri: string; readonly actor?: string },
  ): Promise<{ readonly url: string }> {
    const definition = this.#authorizationDefinition(name);
    const { url, pending } = await this.#server(name, definition).startAuthorization(redirectUri);
    const record = { ...pending, name, ...(actor === undefined ? {} : { actor }) };
    const expiresAtMs = this.#clock.now() + authorizationMs;
    await this.#store.write(pendingKey(pending.state), record, expiresAtMs);
    return { url: url.href };
  }

  /**
   * Ends what {@link startAuthorization} began: checks the answer, fetches the tokens and keeps them.
   *
   * @param answer the URL that the person came back to, query included.
   * @throws CredentialError `authorization-failed` where the answer is not one to a question that was
   * asked for this actor, or was given before, or says no.
   */
  async finishAuthorization(
    answer: string | URL,
    scope: CredentialScope = {},
  ): Promise<{ readonly name: string }> {
    const url = URL.parse(String(answer));
    const state = url?.searchParams.get("state") ?? "";
    const pending = await this.#takePending(state);
    const name = String(pending?.["name"]);
    if (url === null || pending === undefined || pending["actor"] !== scope.actor) {
      throw new CredentialError(
        "The answer belongs to no authorisation that was begun for this actor in the last ten minutes. Begin it again.",
        { code: "authorization-failed" },
      );
    }
    const definition = this.#authorizationDefinition(name);
    // Written by startAuthorization.
    const kept = pending as unknown as PendingAuthorization;
    const tokens = await this.#server(name, definition).finishAuthorization(url, kept, scope);
    await this.#keeper.put(tokenKey(name, definition, scope), tokens);
    return { name };
  }

  /** Forgets the tokens of that name and actor. The server is not told. */
  async forget(name: string, scope: CredentialScope = {}): Promise<void> {
    const definition = this.#definition(name);
    if (isTokenDefinition(definition)) {
      await this.#keeper.drop(tokenKey(name, definition, scope));
    }
  }

  async #credential(
    name: string,
    definition: CredentialDefinition,
    scope: CredentialScope,
    refused: Secret | undefined,
  ): Promise<Credential> {
    const secret = await this.#secret(name, definition, scope, refused);
    return {
      name,
      secret,
      headers: headersOf(definition, secret),
      query:
        definition.kind === "api-key" && definition.in === "query"
          ? { [definition.name ?? "api_key"]: secret }
          : {},
      renew: () => this.#credential(name, definition, scope, secret),
    };
  }

  async #secret(
    name: string,
    definition: CredentialDefinition,
    scope: CredentialScope,
    refused: Secret | undefined,
  ): Promise<Secret> {
    switch (definition.kind) {
      case "api-key":
        return resolveSecret(definition.value, scope);
      case "bearer":
        return resolveSecret(definition.token, scope);
      case "basic":
        return resolveSecret(definition.password, scope);
      case "google-service-account":
      case "oauth2":
      case "openid-connect":
        return this.#accessToken(name, definition, scope, refused);
    }
  }

  async #accessToken(
    name: string,
    definition: TokenDefinition,
    scope: CredentialScope,
    refused: Secret | undefined,
  ): Promise<Secret> {
    const subject = tokenSubject(name, definition, {
      connection: this.#connection,
      scope,
      ...("grant" in definition ? { server: this.#server(name, definition) } : {}),
    });
    return (await this.#keeper.tokens(subject, refused)).accessToken;
  }

  #definition(name: string): CredentialDefinition {
    const definition = this.#definitions.get(name);
    if (definition === undefined) {
      const known = [...this.#definitions.keys()].join(", ") || "none";
      throw new ConfigurationError(
        `There is no credential ${JSON.stringify(name)}. Defined: ${known}.`,
        { code: "invalid-configuration" },
      );
    }
    return definition;
  }

  #authorizationDefinition(name: string): OAuth2Definition | OpenIdConnectDefinition {
    const definition = this.#definition(name);
    if (!("grant" in definition) || definition.grant !== "authorization-code") {
      throw new ConfigurationError(
        `The credential ${JSON.stringify(name)} is not one that a person grants (grant: "authorization-code").`,
        { code: "invalid-configuration" },
      );
    }
    return definition;
  }

  #server(name: string, definition: OAuth2Definition | OpenIdConnectDefinition): OAuthServer {
    const server = this.#servers.get(name) ?? new OAuthServer(definition, this.#connection);
    this.#servers.set(name, server);
    return server;
  }

  /** A question is answered once. */
  async #takePending(state: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    const key = pendingKey(state);
    return this.#store.exclusively(key, async () => {
      const pending = await this.#store.read(key);
      if (pending !== undefined) {
        await this.#store.delete(key);
      }
      return pending;
    });
  }
}

const pendingKey = (state: string): string => `pending ${state}`;

const isTokenDefinition = (definition: CredentialDefinition): definition is TokenDefinition =>
  "grant" in definition || definition.kind === "google-service-account";

function headersOf(
  definition: CredentialDefinition,
  secret: Secret,
): Readonly<Record<string, Secret>> {
  switch (definition.kind) {
    case "api-key":
      return apiKeyHeaders(definition, secret);
    case "basic":
      return {
        authorization: new Secret(toBasicAuthorization(definition.username, secret.reveal())),
      };
    case "bearer":
    case "oauth2":
    case "openid-connect":
    case "google-service-account":
      return { authorization: new Secret(`Bearer ${secret.reveal()}`) };
  }
}

function apiKeyHeaders(
  definition: ApiKeyDefinition,
  secret: Secret,
): Readonly<Record<string, Secret>> {
  const { name } = definition;
  const place = definition.in ?? "header";
  switch (place) {
    case "header":
      return { [(name ?? "x-api-key").toLowerCase()]: secret };
    case "cookie":
      return { cookie: new Secret(`${name ?? "api_key"}=${encodeURIComponent(secret.reveal())}`) };
    case "query":
      return {};
  }
}
