import type { AuthorizationServer } from "oauth4webapi";
import type { Clock } from "../../base/clock.ts";
import { redactUrl } from "../../base/redact-url.ts";
import { DpopKey } from "../../credentials/dpop-key.ts";
import { OAuthServer } from "../../credentials/oauth-server.ts";
import type { TokenSet } from "../../credentials/token-set.ts";
import type { McpOAuth } from "../../tool/mcp-oauth.ts";
import type { UrlTransport } from "../../tool/mcp-server-config.ts";
import { discoverIssuer } from "./issuer-metadata.ts";
import { MetadataReader, refused } from "./metadata-reader.ts";
import type { OAuthAccount, ServerAccess } from "./oauth-account.ts";
import { configuredClient, type RegisteredClient, registerClient } from "./oauth-client.ts";
import { selectScopes } from "./oauth-scopes.ts";
import { discoverProtectedResource } from "./protected-resource.ts";
import type { TokenChallenge } from "./www-authenticate.ts";

/** What access there could be: all that it takes but a client. */
export type Prospect = Omit<ServerAccess, "client"> & {
  readonly metadata: AuthorizationServer;
  /** The access that we have by the same authorisation server to the same resource. */
  readonly known: ServerAccess | undefined;
};

/** What an {@link AccessFinder} is made of. */
export interface AccessFinderOptions {
  /** The MCP server. */
  readonly server: URL;
  readonly transport: UrlTransport;
  readonly settings: McpOAuth;
  readonly account: OAuthAccount;
  readonly clock: Clock;
}

/** Finds out who gives access to an MCP server, and speaks with that authorisation server. */
export class AccessFinder {
  readonly #options: AccessFinderOptions;
  readonly #reader: MetadataReader;
  /** By issuer. */
  readonly #metadata = new Map<string, AuthorizationServer>();

  constructor(options: AccessFinderOptions) {
    const { transport, settings, clock } = options;
    this.#options = options;
    this.#reader = new MetadataReader(transport, settings, clock);
  }

  /**
   * Asks the MCP server and the authorisation server that it names, anew each time: a server that
   * moves to another one is followed, but with nothing that the old one gave.
   */
  async find(challenge: TokenChallenge | undefined): Promise<Prospect> {
    const { server, settings, account } = this.#options;
    const found = await discoverProtectedResource(
      server,
      challenge?.resourceMetadata,
      this.#reader,
    );
    const { resource, isLegacy } = found;
    const before = await account.readAccess();
    const issuer = await this.#chooseIssuer(found.issuers, before?.issuer);
    const metadata = await this.#askIssuer(issuer, isLegacy);
    const known = before?.issuer === issuer && before.resource === resource ? before : undefined;
    const scopes = selectScopes({
      challenged: challenge?.scope,
      supported: found.scopes,
      before: known?.scopes ?? [],
      settings,
      issuer: metadata,
    });
    return { issuer, resource, isLegacy, scopes, metadata, known };
  }

  /** The client to be, registered where it must be. */
  async clientFor(
    { issuer, metadata, scopes }: Prospect,
    redirectUri: string,
  ): Promise<RegisteredClient> {
    const { settings, account } = this.#options;
    const configured = configuredClient(settings, metadata);
    if (configured !== undefined) {
      return { clientId: configured.clientId };
    }
    const kept = await account.readClient(issuer, redirectUri);
    if (kept !== undefined) {
      return kept;
    }
    const client = await registerClient({
      settings,
      issuer: metadata,
      redirectUri,
      scopes,
      reader: this.#reader,
    });
    await account.writeClient(issuer, redirectUri, client);
    return client;
  }

  /** The authorisation server of an access, as its client sees it. */
  async serverOf(access: ServerAccess): Promise<OAuthServer> {
    const { settings, transport } = this.#options;
    const { issuer, resource, isLegacy, scopes } = access;
    const metadata = this.#metadata.get(issuer) ?? (await this.#askIssuer(issuer, isLegacy));
    const { authorization_endpoint: authorizationUrl } = metadata;
    const grant = settings.grant ?? "authorization-code";
    return new OAuthServer(
      {
        kind: "oauth2",
        issuer,
        tokenUrl: metadata.token_endpoint ?? "",
        ...(authorizationUrl === undefined ? {} : { authorizationUrl }),
        ...(configuredClient(settings, metadata) ?? access.client),
        grant: grant === "jwt-bearer" ? "client-credentials" : grant,
        scopes,
        parameters: isLegacy ? {} : { resource },
        // Every endpoint was admitted; the reader knows where http: may be.
        allowInsecureHttp: transport.allowInsecureHttp ?? false,
      },
      this.#reader.connection,
      { metadata, dpopKey: DpopKey.from(access.dpopKey) },
    );
  }

  /**
   * Takes the tokens of an access back at the authorisation server that gave them.
   *
   * @returns whether it has a way to do that.
   * @throws CredentialError, ToolError where it refuses, or cannot be reached
   */
  async revoke(access: ServerAccess, tokens: TokenSet): Promise<boolean> {
    const server = await this.serverOf(access);
    const { revocation_endpoint: endpoint } = this.#metadata.get(access.issuer) ?? {};
    if (endpoint !== undefined) {
      this.#reader.admit(endpoint, `The revocation_endpoint of ${redactUrl(access.issuer)}`);
    }
    return server.revokeTokens(tokens, {});
  }

  async #askIssuer(issuer: string, isLegacy: boolean): Promise<AuthorizationServer> {
    const { grant = "authorization-code" } = this.#options.settings;
    const asksPeople = grant === "authorization-code";
    const metadata = await discoverIssuer({ issuer, isLegacy, asksPeople }, this.#reader);
    this.#metadata.set(issuer, metadata);
    return metadata;
  }

  async #chooseIssuer(named: readonly string[], before: string | undefined): Promise<string> {
    const { account, server, settings } = this.#options;
    const bound = await account.boundIssuer();
    if (settings.issuer !== undefined && !named.includes(settings.issuer)) {
      throw refused(
        `The MCP server at ${redactUrl(server)} names ${named.map((issuer) => redactUrl(issuer)).join(", ")} as its authorisation server, and not ${redactUrl(settings.issuer)}, the "issuer" of its "auth".`,
      );
    }
    const chosen = [bound, before].find((issuer) => issuer !== undefined && named.includes(issuer));
    const issuer = chosen ?? named[0] ?? "";
    await account.bindIssuer(issuer);
    return issuer;
  }
}
