import { untilAborted } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { CredentialStore } from "../../base/credential-store.ts";
import { ConfigurationError, messageOf } from "../../base/dragoman-error.ts";
import { Secret } from "../../base/secret.ts";
import { ToolError } from "../../base/tool-error.ts";
import { CredentialError } from "../../credentials/credential-error.ts";
import { DpopKey } from "../../credentials/dpop-key.ts";
import { openLoopbackRedirect } from "../../credentials/loopback-redirect.ts";
import { MemoryCredentialStore } from "../../credentials/memory-credential-store.ts";
import type { TokenSubject } from "../../credentials/token-keeper.ts";
import type { TokenSet } from "../../credentials/token-set.ts";
import type { McpOAuth } from "../../tool/mcp-oauth.ts";
import type { UrlTransport } from "../../tool/mcp-server-config.ts";
import { McpError } from "../wire/mcp-error.ts";
import { AccessFinder, type Prospect } from "./access-finder.ts";
import type { AccessRefusal } from "./authorization-needed.ts";
import { OAuthAccount, type ServerAccess } from "./oauth-account.ts";
import { type GrantedAccess, OAuthLogin } from "./oauth-login.ts";
import { toScopes } from "./oauth-scopes.ts";
import { type SharedWork, sharedWorkOf } from "./shared-work.ts";

/** Whose access to which server. */
export interface AuthorizationScope {
  /** The alias of the server. */
  readonly server: string;
  readonly transport: UrlTransport;
  readonly settings: McpOAuth;
  readonly actor: string | undefined;
  readonly clock: Clock;
}

/** What is sent with a request. */
export interface ShownAccess {
  readonly token: Secret;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A token is renewed so long before it expires. */
const earlyMs = 60_000;

/**
 * One actor's access to one MCP server by OAuth. Tokens are kept in the store; whoever has the same
 * account there, in any process, shares them, and shares the request or the login that gets them.
 */
export class ServerAuthorization {
  readonly login: OAuthLogin;
  readonly account: OAuthAccount;
  readonly #scope: AuthorizationScope;
  readonly #finder: AccessFinder;
  readonly #shared: SharedWork;
  readonly #recovering = new Map<string, Promise<boolean>>();
  /** Scopes that were asked for in answer to a 403: asking once more would not help. */
  readonly #askedFor = new Set<string>();
  /** The newest, so that not every request reads the store. */
  #current: GrantedAccess | undefined;
  #nonce: string | undefined;

  constructor(scope: AuthorizationScope) {
    const { transport, settings, actor, clock } = scope;
    const store = settings.store ?? memoryStore;
    const server = new URL(transport.url.replace(/^ws/, "http"));
    server.username = "";
    server.password = "";
    server.hash = "";
    this.#scope = scope;
    this.account = new OAuthAccount({ store, server, settings, actor });
    this.#finder = new AccessFinder({ server, transport, settings, account: this.account, clock });
    this.#shared = sharedWorkOf(store, clock);
    const { keeper } = this.#shared;
    const dpop = settings.dpop ?? false;
    this.login = new OAuthLogin({
      account: this.account,
      finder: this.#finder,
      keeper,
      dpop,
      clock,
    });
  }

  /**
   * What shows that we have access; undefined while we have none, and the server may say how it is had.
   *
   * @throws McpError
   */
  async show(request: {
    readonly method: string;
    readonly url: URL;
  }): Promise<ShownAccess | undefined> {
    const current = await this.#fresh();
    if (current === undefined) {
      return undefined;
    }
    const { accessToken: token, isBound } = current.tokens;
    const key = isBound ? DpopKey.from(current.access.dpopKey) : undefined;
    if (key === undefined) {
      return { token, headers: { authorization: `Bearer ${token.reveal()}` } };
    }
    const nowMs = this.#scope.clock.now();
    const dpop = key.prove({ ...request, token, nonce: this.#nonce, nowMs });
    return { token, headers: { authorization: `DPoP ${token.reveal()}`, dpop } };
  }

  /** The server wants this in the proofs to come (RFC 9449, 9). */
  hearNonce(nonce: string): void {
    this.#nonce = nonce;
  }

  /** The access that we have, with tokens that hold for a while yet. */
  async #fresh(): Promise<GrantedAccess | undefined> {
    const { expiresAtMs = Infinity } = this.#current?.tokens ?? {};
    if (this.#current !== undefined && expiresAtMs - earlyMs > this.#scope.clock.now()) {
      return this.#current;
    }
    this.#current = undefined;
    try {
      const access = await this.account.readAccess();
      if (access !== undefined) {
        await this.#use(access, undefined);
      }
    } catch (error) {
      if (!isUnauthorized(error)) {
        throw this.failure(error);
      }
    }
    return this.#current;
  }

  /** From now on it is this access, with tokens that are others than the one that was refused. */
  async #use(access: ServerAccess, refused: Secret | undefined): Promise<void> {
    const tokens = await this.#shared.keeper.tokens(this.#subject(access), refused);
    this.#current = { access, tokens };
  }

  /**
   * Gets another token in place of the one that was refused, where nobody need be asked. Resolves with
   * whether the request may be sent again.
   *
   * @throws McpError
   */
  recover(refusal: AccessRefusal): Promise<boolean> {
    const { status, challenge, refused } = refusal;
    if (challenge?.error === "use_dpop_nonce" && this.#nonce !== undefined) {
      return Promise.resolve(refused !== undefined); // the token is good, the proof was not
    }
    const key = JSON.stringify([status, challenge?.scope, refused?.reveal()]);
    const underWay =
      this.#recovering.get(key) ??
      this.#recover(refusal)
        .catch((error: unknown) => {
          throw this.failure(error);
        })
        .finally(() => this.#recovering.delete(key));
    this.#recovering.set(key, underWay);
    return underWay;
  }

  /**
   * Sends a person to grant access; whoever wants the same waits for the same answer.
   *
   * @throws McpError; ConfigurationError for what the application threw; the signal's reason
   */
  async authorize(refusal: AccessRefusal, signal: AbortSignal): Promise<void> {
    const wanted = [...toScopes(refusal.challenge?.scope ?? "")].toSorted().join(" ");
    const isStepUp = refusal.status === 403;
    if (this.#asks === undefined || (isStepUp && this.#askedFor.has(wanted))) {
      throw this.#error(this.explain(refusal), refusal.status);
    }
    try {
      await this.#shared.login(this.account.key, signal, (shared) => this.#ask(refusal, shared));
    } catch (error) {
      signal.throwIfAborted();
      throw this.failure(error);
    }
    this.#current = undefined; // perhaps another connection has asked
    if (isStepUp) {
      this.#askedFor.add(wanted);
    }
  }

  /** What the refusal means, and what to do. */
  explain({ status, challenge }: AccessRefusal): string {
    const { server } = this.#scope;
    const scopes = toScopes(challenge?.scope ?? "").join(" ");
    const what =
      status === 403
        ? `does not allow this with the access that was granted; it wants ${scopes || "more"} (HTTP 403)`
        : "wants access to be granted (HTTP 401)";
    return `The MCP server "${server}" ${what}. Grant it by McpAuthorization (\`dragoman mcp login\` on the command line), or give its "auth" an onAuthorizationUrl.`;
  }

  get #asks(): McpOAuth["onAuthorizationUrl"] {
    const { grant = "authorization-code", onAuthorizationUrl } = this.#scope.settings;
    return grant === "authorization-code" ? onAuthorizationUrl : undefined;
  }

  async #recover(refusal: AccessRefusal): Promise<boolean> {
    const { challenge, refused } = refusal;
    if (await this.#hasBetter(refusal)) {
      return true;
    }
    this.#current = undefined;
    const prospect = await this.#finder.find(challenge);
    if ((this.#scope.settings.grant ?? "authorization-code") !== "authorization-code") {
      return this.#takeOwn(prospect, refusal);
    }
    const { known } = prospect;
    if (known === undefined || refusal.status === 403) {
      return false;
    }
    try {
      await this.#use(known, refused);
      return true;
    } catch (error) {
      if (isUnauthorized(error)) {
        return false;
      }
      throw error;
    }
  }

  /** Whether somebody has got another token meanwhile, which may do. */
  async #hasBetter({ status, challenge, refused }: AccessRefusal): Promise<boolean> {
    const access = await this.account.readAccess();
    const stored = access && (await this.#shared.keeper.stored(this.account.tokenKey(access)));
    const { expiresAtMs = Infinity } = stored ?? {};
    if (
      access === undefined ||
      stored === undefined ||
      isSame(stored.accessToken, refused) ||
      expiresAtMs <= this.#scope.clock.now()
    ) {
      return false;
    }
    const missing = toScopes(challenge?.scope ?? "").some(
      (scope) => !access.scopes.includes(scope),
    );
    if (status === 403 && missing) {
      return false;
    }
    this.#current = { access, tokens: stored };
    return true;
  }

  /** Tokens that nobody need grant. */
  async #takeOwn(prospect: Prospect, { status, refused }: AccessRefusal): Promise<boolean> {
    const { issuer, resource, isLegacy, scopes, known } = prospect;
    if (status === 403 && scopes.every((scope) => known?.scopes.includes(scope))) {
      return false; // these were asked for, and do not suffice
    }
    const { clientId, dpop } = this.#scope.settings;
    if (clientId === undefined) {
      throw new ConfigurationError(
        `The "auth" of the MCP server "${this.#scope.server}" needs a clientId: a client that nobody stands for cannot register itself.`,
        { code: "invalid-configuration" },
      );
    }
    const key = dpop ? { dpopKey: known?.dpopKey ?? DpopKey.create().record } : {};
    const access = { issuer, resource, isLegacy, scopes, client: { clientId }, ...key };
    await this.#use(access, refused);
    await this.account.writeAccess(access);
    return true;
  }

  #subject(access: ServerAccess): TokenSubject {
    return {
      key: this.account.tokenKey(access),
      obtain: async (current) => {
        try {
          return await this.#obtain(access, current);
        } catch (error) {
          const isForgotten = CredentialError.is(error) && error.code === "client-refused";
          if (!isForgotten || this.#scope.settings.clientId !== undefined) {
            throw error;
          }
          await this.account.dropClient(access); // it registered itself, and can do so again
          throw unauthorized();
        }
      },
    };
  }

  async #obtain(access: ServerAccess, current: TokenSet | undefined): Promise<TokenSet> {
    const { settings, actor } = this.#scope;
    const scope = actor === undefined ? {} : { actor };
    const { grant = "authorization-code", assertion } = settings;
    if (grant === "authorization-code" && current?.refreshToken === undefined) {
      throw unauthorized();
    }
    const server = await this.#finder.serverOf(access);
    if (grant === "client-credentials") {
      return server.requestOwnTokens(scope);
    }
    if (grant === "authorization-code") {
      return server.refreshTokens(current?.refreshToken ?? new Secret(""), scope);
    }
    const { issuer, resource, scopes } = access;
    const made = await calling("assertion", async () =>
      assertion?.({ issuer, resource, scopes, ...scope }),
    );
    return server.requestTokensFor(made instanceof Secret ? made : new Secret(made ?? ""), scope);
  }

  async #ask(refusal: AccessRefusal, signal: AbortSignal): Promise<void> {
    if (await this.#hasBetter(refusal)) {
      return;
    }
    const { settings, server, actor } = this.#scope;
    await using listener =
      settings.redirectUri === undefined ? await openLoopbackRedirect() : undefined;
    const redirectUri = settings.redirectUri ?? listener?.redirectUri ?? "";
    const { state, ...question } = await this.login.start(redirectUri, refusal.challenge);
    const waiting = listener?.answer(state, { signal });
    const given = calling("onAuthorizationUrl", async () =>
      this.#asks?.({ ...question, server, signal, ...(actor === undefined ? {} : { actor }) }),
    );
    const answer = await untilAborted(firstAnswer(given, waiting), signal);
    const url = URL.parse(String(answer));
    if (url === null) {
      throw new ConfigurationError(
        `The onAuthorizationUrl of the MCP server "${server}" must give the URL that the person came back to, query included; with no redirectUri it may give nothing.`,
        { code: "invalid-configuration" },
      );
    }
    this.#current = await this.login.finish(url);
  }

  /** What failed, as a failure of this server; mistakes of the application remain what they are. */
  failure(error: unknown): unknown {
    if (!CredentialError.is(error) && !ToolError.is(error)) {
      return error;
    }
    const { server } = this.#scope;
    const message = `There is no access to the MCP server "${server}". ${error.message}`;
    return new McpError(message, { code: "mcp-authorization", server, cause: error });
  }

  #error(message: string, status: number): McpError {
    const { server } = this.#scope;
    return new McpError(message, { code: "mcp-authorization", server, status });
  }
}

/** What the callback gives, or what comes to the listener, where there is one. */
async function firstAnswer(given: Promise<unknown>, waiting: Promise<URL> | undefined) {
  return waiting === undefined
    ? given
    : Promise.race([waiting, given.then((url) => url ?? waiting)]);
}

const isSame = (left: Secret, right: Secret | undefined): boolean =>
  left.reveal() === right?.reveal();

const unauthorized = (): CredentialError =>
  new CredentialError("Access has not been granted, or has expired.", {
    code: "authorization-required",
  });

const isUnauthorized = (error: unknown): boolean =>
  CredentialError.is(error) && error.code === "authorization-required";

/** Calls the application: what it throws is no failure of the server, and must not pass for one. */
async function calling<Value>(name: string, callback: () => Promise<Value>): Promise<Value> {
  try {
    return await callback();
  } catch (cause) {
    throw new ConfigurationError(
      `The ${name} of an MCP server's "auth" threw: ${messageOf(cause)}`,
      {
        code: "invalid-configuration",
        cause,
      },
    );
  }
}

/** Of all who have not named a store. */
const memoryStore: CredentialStore = new MemoryCredentialStore();
