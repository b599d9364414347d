import type {
  AuthorizationServer,
  Client,
  ClientAuth,
  DPoPHandle,
  TokenEndpointResponse,
} from "oauth4webapi";
import type { CredentialScope } from "../base/credential.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { redactUrl } from "../base/redact-url.ts";
import { Secret } from "../base/secret.ts";
import { authenticateClient } from "./client-authentication.ts";
import type { OAuth2Definition, OpenIdConnectDefinition } from "./credential-definition.ts";
import { CredentialError } from "./credential-error.ts";
import type { DpopKey } from "./dpop-key.ts";
import { type OAuthConnection, sendOAuthRequest } from "./oauth-connection.ts";
import { toCredentialError } from "./oauth-errors.ts";
import { revokeTokens } from "./revoke-tokens.ts";
import type { TokenSet } from "./token-set.ts";

type Definition = OAuth2Definition | OpenIdConnectDefinition;

/** What an authorisation that a person must grant goes on with. */
export interface PendingAuthorization {
  readonly codeVerifier: string;
  readonly nonce: string;
  readonly redirectUri: string;
  readonly state: string;
}

/** What a caller knows of an authorisation server besides the definition. */
export interface OAuthServerOptions {
  /**
   * What the server says of itself, where the caller has found and checked that; the definition then
   * only repeats it, and the guard is asked for every endpoint.
   */
  readonly metadata?: AuthorizationServer;
  /** Tokens must be bound to this key. */
  readonly dpopKey?: DpopKey | undefined;
}

/** One authorisation server as one client of it sees it. */
export class OAuthServer {
  readonly #definition: Definition;
  readonly #connection: OAuthConnection;
  /** The endpoints come from a stranger, not from the configuration. */
  readonly #isDiscovered: boolean;
  #metadata: Promise<AuthorizationServer> | undefined;

  readonly #dpopKey: DpopKey | undefined;
  /** Remembers the nonces that the server wants. */
  #dpop: Promise<DPoPHandle> | undefined;

  constructor(
    definition: Definition,
    connection: OAuthConnection,
    { metadata: discovered, dpopKey }: OAuthServerOptions = {},
  ) {
    this.#dpopKey = dpopKey;
    this.#definition = definition;
    this.#connection =
      discovered === undefined
        ? { trustedOrigins: [configuredOrigin(definition)], ...connection }
        : connection;
    this.#isDiscovered = discovered !== undefined;
    this.#metadata = discovered === undefined ? undefined : Promise.resolve(discovered);
  }

  /** A token for the application itself (RFC 6749, 4.4). */
  requestOwnTokens(scope: CredentialScope): Promise<TokenSet> {
    return this.#request("The request for a token", scope, async (oauth, server, auth) => {
      const parameters = { ...this.#scopeParameter(), ...this.#definition.parameters };
      const response = await oauth.clientCredentialsGrantRequest(
        server,
        this.#client,
        auth,
        parameters,
        await this.#tokenOptions(oauth),
      );
      return oauth.processClientCredentialsResponse(server, this.#client, response);
    });
  }

  /** A token for whom an assertion names (RFC 7523, 2.1). */
  requestTokensFor(assertion: Secret, scope: CredentialScope): Promise<TokenSet> {
    return this.#request("The request for a token", scope, async (oauth, server, auth) => {
      const response = await oauth.genericTokenEndpointRequest(
        server,
        this.#client,
        auth,
        "urn:ietf:params:oauth:grant-type:jwt-bearer",
        {
          assertion: assertion.reveal(),
          ...this.#scopeParameter(),
          ...this.#definition.parameters,
        },
        await this.#tokenOptions(oauth),
      );
      return oauth.processGenericTokenEndpointResponse(server, this.#client, response);
    });
  }

  /** A new token for one that was granted (RFC 6749, 6). */
  async refreshTokens(refreshToken: Secret, scope: CredentialScope): Promise<TokenSet> {
    const tokens = await this.#request(
      "The renewal of a token",
      scope,
      async (oauth, server, auth) => {
        const response = await oauth.refreshTokenGrantRequest(
          server,
          this.#client,
          auth,
          refreshToken.reveal(),
          {
            ...(await this.#tokenOptions(oauth)),
            additionalParameters: { ...this.#definition.parameters },
          },
        );
        return oauth.processRefreshTokenResponse(server, this.#client, response);
      },
    );
    return { refreshToken, ...tokens }; // servers that do not rotate it do not repeat it
  }

  /** The URL at which a person grants access (RFC 6749, 4.1, with PKCE), and what goes with it. */
  async startAuthorization(
    redirectUri: string,
  ): Promise<{ readonly url: URL; readonly pending: PendingAuthorization }> {
    const oauth = await import("oauth4webapi");
    const { authorization_endpoint: endpoint } = await this.#server();
    if (endpoint === undefined) {
      throw new ConfigurationError(
        "This OAuth credential has no authorizationUrl, so that nobody can be asked to grant access.",
        { code: "invalid-configuration" },
      );
    }
    const pending = {
      codeVerifier: oauth.generateRandomCodeVerifier(),
      nonce: oauth.generateRandomNonce(),
      state: oauth.generateRandomState(),
      redirectUri,
    };
    const url = new URL(endpoint);
    this.#requireSecure(url);
    const parameters = {
      response_type: "code",
      client_id: this.#definition.clientId,
      redirect_uri: redirectUri,
      state: pending.state,
      code_challenge: await oauth.calculatePKCECodeChallenge(pending.codeVerifier),
      code_challenge_method: "S256",
      ...(this.#isOpenId ? { nonce: pending.nonce } : {}),
      ...this.#scopeParameter(),
      ...this.#definition.parameters,
      ...this.#definition.authorizationParameters,
    };
    for (const [name, value] of Object.entries(parameters)) {
      url.searchParams.set(name, value);
    }
    return { url, pending };
  }

  /** The tokens for an authorisation that came back to the redirect URI. */
  finishAuthorization(
    answer: URL,
    pending: PendingAuthorization,
    scope: CredentialScope,
  ): Promise<TokenSet> {
    return this.#request("The authorisation", scope, async (oauth, server, auth) => {
      const parameters = this.#validate(oauth, server, answer, pending.state);
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        this.#client,
        auth,
        parameters,
        pending.redirectUri,
        pending.codeVerifier,
        {
          ...(await this.#tokenOptions(oauth)),
          additionalParameters: { ...this.#definition.parameters },
        },
      );
      return oauth.processAuthorizationCodeResponse(
        server,
        this.#client,
        response,
        this.#isOpenId ? { expectedNonce: pending.nonce, requireIdToken: true } : {},
      );
    });
  }

  /**
   * Takes tokens back, where the server has a way to do that.
   *
   * @returns whether it has.
   * @throws CredentialError, ToolError where it refuses or cannot be reached
   */
  async revokeTokens(tokens: TokenSet, scope: CredentialScope): Promise<boolean> {
    const oauth = await import("oauth4webapi");
    const server = await this.#server();
    if (server.revocation_endpoint === undefined) {
      return false;
    }
    const auth = await authenticateClient(oauth, this.#definition, scope);
    const options = this.#options(oauth);
    await revokeTokens(tokens, { oauth, server, client: this.#client, auth, options });
    return true;
  }

  #validate(
    oauth: OAuthLibrary,
    server: AuthorizationServer,
    answer: URL,
    state: string,
  ): URLSearchParams {
    const parameters = new URLSearchParams(answer.search);
    if (!this.#knowsIssuer) {
      parameters.delete("iss"); // there is nothing to compare it with
    }
    const iss = parameters.get("iss");
    if (
      iss === null ? server.authorization_response_iss_parameter_supported : iss !== server.issuer
    ) {
      throw new CredentialError(
        `The answer to the authorisation at ${redactUrl(server.issuer)} ${iss === null ? "does not say who gives it, as that server promises to" : "comes from another authorisation server"} (RFC 9207). It is not used.`,
        { code: "authorization-failed" },
      );
    }
    try {
      return oauth.validateAuthResponse(server, this.#client, parameters, state);
    } catch (thrown) {
      throw toCredentialError(thrown, "The authorisation", "authorization-failed");
    }
  }

  async #request(
    what: string,
    scope: CredentialScope,
    exchange: (
      oauth: OAuthLibrary,
      server: AuthorizationServer,
      auth: ClientAuth,
    ) => Promise<TokenEndpointResponse>,
  ): Promise<TokenSet> {
    const oauth = await import("oauth4webapi");
    const server = await this.#server();
    const at = `${what} at ${redactUrl(server.token_endpoint ?? server.issuer)}`;
    const auth = await authenticateClient(oauth, this.#definition, scope);
    const response = await exchange(oauth, server, auth)
      .catch((thrown: unknown) => {
        if (!oauth.isDPoPNonceError(thrown)) {
          throw thrown;
        }
        return exchange(oauth, server, auth); // now with the nonce
      })
      .catch((thrown: unknown) => {
        throw toCredentialError(thrown, at);
      });
    const tokens = toTokenSet(response, this.#connection.nowMs());
    if (this.#dpopKey !== undefined && !tokens.isBound) {
      throw new CredentialError(`${at} failed: the token is not bound to our key (DPoP).`, {
        code: "token-refused",
      });
    }
    return tokens;
  }

  get #client(): Client {
    return { client_id: this.#definition.clientId };
  }

  get #isOpenId(): boolean {
    return this.#definition.kind === "openid-connect";
  }

  get #knowsIssuer(): boolean {
    return this.#definition.issuer !== undefined;
  }

  #scopeParameter(): { readonly scope?: string } {
    const { scopes, grant } = this.#definition;
    const asked = scopes ?? (this.#isOpenId && grant === "authorization-code" ? ["openid"] : []);
    return asked.length === 0 ? {} : { scope: asked.join(" ") };
  }

  #server(): Promise<AuthorizationServer> {
    this.#metadata ??= this.#loadServer().catch((thrown: unknown) => {
      this.#metadata = undefined; // the next one may try again
      throw thrown;
    });
    return this.#metadata;
  }

  async #loadServer(): Promise<AuthorizationServer> {
    const definition = this.#definition;
    if (definition.kind === "oauth2") {
      const { tokenUrl, authorizationUrl, issuer } = definition;
      return {
        issuer: issuer ?? new URL(tokenUrl).origin,
        token_endpoint: tokenUrl,
        ...(authorizationUrl === undefined ? {} : { authorization_endpoint: authorizationUrl }),
      };
    }
    const oauth = await import("oauth4webapi");
    const issuer = new URL(definition.issuer);
    try {
      const response = await oauth.discoveryRequest(issuer, this.#options(oauth));
      return await oauth.processDiscoveryResponse(issuer, response);
    } catch (thrown) {
      throw toCredentialError(thrown, `The discovery of ${redactUrl(issuer)}`);
    }
  }

  async #tokenOptions(oauth: OAuthLibrary) {
    const dpopKey = this.#dpopKey;
    this.#dpop ??= dpopKey?.toKeyPair().then((pair) => oauth.DPoP(this.#client, pair));
    const dpop = await this.#dpop;
    return { ...this.#options(oauth), ...(dpop === undefined ? {} : { DPoP: dpop }) };
  }

  #options(oauth: OAuthLibrary) {
    return {
      [oauth.customFetch]: (url: string, { method, headers, body }: LibraryRequest) =>
        this.#fetch(new URL(url), method, headers, body),
      [oauth.allowInsecureRequests]: this.#definition.allowInsecureHttp ?? false,
    };
  }

  async #fetch(
    url: URL,
    method: string,
    headers: Record<string, string>,
    body: unknown,
  ): Promise<Response> {
    const answer = await sendOAuthRequest(this.#connection, {
      method,
      url,
      headers,
      ...(body instanceof URLSearchParams ? { body: body.toString() } : {}),
    });
    const { status, text } = answer;
    return new Response(status === 204 ? null : this.#withoutIdToken(text), {
      status,
      headers: answer.headers,
    });
  }

  /** An ID token that nobody asked for cannot be checked, and is of no use here. */
  #withoutIdToken(text: string): string {
    if ((this.#knowsIssuer && !this.#isDiscovered) || !text.includes('"id_token"')) {
      return text;
    }
    return JSON.stringify(JSON.parse(text), (name, value) =>
      name === "id_token" ? undefined : value,
    );
  }

  #requireSecure(url: URL): void {
    const allowed = this.#definition.allowInsecureHttp ? ["https:", "http:"] : ["https:"];
    if (!allowed.includes(url.protocol)) {
      throw new ConfigurationError(
        `The authorisation endpoint ${redactUrl(url)} is not https:. Use one that is, or allowInsecureHttp.`,
        { code: "invalid-configuration" },
      );
    }
  }
}

const configuredOrigin = (definition: Definition): string =>
  new URL(definition.kind === "oauth2" ? definition.tokenUrl : definition.issuer).origin;

type OAuthLibrary = typeof import("oauth4webapi");

interface LibraryRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
}

function toTokenSet(response: TokenEndpointResponse, nowMs: number): TokenSet {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = response;
  return {
    accessToken: new Secret(accessToken),
    ...(refreshToken === undefined ? {} : { refreshToken: new Secret(refreshToken) }),
    ...(seconds === undefined ? {} : { expiresAtMs: nowMs + seconds * 1_000 }),
    ...(response.token_type === "dpop" ? { isBound: true } : {}),
  };
}
