import type { CredentialStore } from "../../base/credential-store.ts";
import type { JsonObject } from "../../base/json.ts";
import { redactUrl } from "../../base/redact-url.ts";
import type { McpOAuth } from "../../tool/mcp-oauth.ts";
import { listOf } from "./issuer-metadata.ts";
import { refused } from "./metadata-reader.ts";
import type { RegisteredClient } from "./oauth-client.ts";

/** By whom, for what and as whom we have access to a server. */
export interface ServerAccess {
  readonly issuer: string;
  /** The audience of the tokens. */
  readonly resource: string;
  /** The server knows no resource parameter, and its authorisation server need publish nothing. */
  readonly isLegacy: boolean;
  /** Asked for so far. */
  readonly scopes: readonly string[];
  /** Without the secret of a client that the configuration names: that is not kept twice. */
  readonly client: RegisteredClient;
  /** Where people came back to, which is part of what a client registers. */
  readonly redirectUri?: string;
  /** The private key (JWK) that the tokens are bound to, where they are. */
  readonly dpopKey?: JsonObject;
}

/** What makes an account. */
export interface AccountScope {
  readonly store: CredentialStore;
  /** The MCP server. */
  readonly server: URL;
  readonly settings: McpOAuth;
  readonly actor: string | undefined;
}

/** How long a person may take to grant access. */
export const authorizationMs: number = 10 * 60_000;

/**
 * What the store keeps of one actor's access to one server. Every key names the actor, and that of
 * tokens the issuer and the resource too: nothing of one is ever found by another.
 */
export class OAuthAccount {
  readonly store: CredentialStore;
  /** Sets this account apart from all others of the store. */
  readonly key: string;
  readonly #server: string;
  readonly #settings: McpOAuth;
  readonly #owner: string | null;

  constructor({ store, server, settings, actor }: AccountScope) {
    const { grant = "authorization-code", clientId, clientMetadataUrl } = settings;
    this.store = store;
    this.#server = server.href;
    this.#settings = settings;
    // What the application has for itself is the same for all who use it.
    this.#owner = grant === "client-credentials" ? null : (actor ?? null);
    const client = clientId ?? clientMetadataUrl ?? null;
    this.key = JSON.stringify(["mcp", "access", this.#server, grant, client, this.#owner]);
  }

  async readAccess(): Promise<ServerAccess | undefined> {
    return fromRecord(await this.store.read(this.key));
  }

  writeAccess(access: ServerAccess): Promise<void> {
    return this.store.exclusively(this.key, () => this.store.write(this.key, toRecord(access)));
  }

  /** Forgets that there ever was access. */
  async forget(): Promise<void> {
    const access = await this.readAccess();
    if (access !== undefined) {
      await this.store.delete(this.tokenKey(access));
      await this.store.delete(this.key);
    }
  }

  tokenKey({ issuer, resource, client }: ServerAccess): string {
    const { grant = "authorization-code" } = this.#settings;
    return JSON.stringify(["mcp", "token", issuer, resource, grant, client.clientId, this.#owner]);
  }

  /** The client that registered itself at this issuer, if it still may be used there. */
  async readClient(issuer: string, redirectUri: string): Promise<RegisteredClient | undefined> {
    return toClient(await this.store.read(this.#clientKey(issuer, redirectUri)));
  }

  writeClient(issuer: string, redirectUri: string, client: RegisteredClient): Promise<void> {
    const key = this.#clientKey(issuer, redirectUri);
    return this.store.write(key, { ...client }, client.expiresAtMs);
  }

  /** Forgets a client that its issuer no longer knows, and the access that it had. */
  async dropClient({ issuer, redirectUri }: ServerAccess): Promise<void> {
    await this.forget();
    if (redirectUri !== undefined) {
      await this.store.delete(this.#clientKey(issuer, redirectUri));
    }
  }

  #clientKey(issuer: string, redirectUri: string): string {
    return JSON.stringify([
      "mcp",
      "client",
      issuer,
      redirectUri,
      this.#settings.clientName ?? null,
    ]);
  }

  /**
   * A client that the configuration names belongs to the first issuer that it is used with, unless the
   * configuration says to which.
   *
   * @throws CredentialError `discovery-refused` where the server names another
   */
  async bindIssuer(issuer: string): Promise<void> {
    const { clientId } = this.#settings;
    const bound = await this.boundIssuer();
    if (bound !== undefined && bound !== issuer) {
      throw refused(
        `The MCP server at ${redactUrl(this.#server)} now names the authorisation server ${redactUrl(issuer)}, but its client belongs to ${redactUrl(bound)}, and is shown to no other. If the server has moved, register a client there and set "issuer" in "auth".`,
      );
    }
    if (clientId !== undefined && bound === undefined) {
      await this.store.write(this.#issuerKey(clientId), { issuer });
    }
  }

  /** The issuer that the client belongs to, where that is known. */
  async boundIssuer(): Promise<string | undefined> {
    const { issuer, clientId } = this.#settings;
    if (issuer !== undefined || clientId === undefined) {
      return issuer;
    }
    const record = await this.store.read(this.#issuerKey(clientId));
    return typeof record?.["issuer"] === "string" ? record["issuer"] : undefined;
  }

  #issuerKey(clientId: string): string {
    return JSON.stringify(["mcp", "issuer", this.#server, clientId]);
  }
}

const toRecord = ({ client, ...access }: ServerAccess): JsonObject => ({
  ...access,
  client: { ...client },
});

/** An access as it was kept. */
export function fromRecord(record: JsonObject | undefined): ServerAccess | undefined {
  const client = toClient(record?.["client"] as JsonObject | undefined); // as toRecord writes it
  if (record === undefined || client === undefined || typeof record["issuer"] !== "string") {
    return undefined;
  }
  const { issuer, resource, isLegacy, scopes, redirectUri, dpopKey } = record;
  return {
    issuer,
    resource: String(resource),
    isLegacy: isLegacy === true,
    scopes: listOf(scopes),
    client,
    ...(typeof redirectUri === "string" ? { redirectUri } : {}),
    ...(dpopKey === undefined ? {} : { dpopKey: dpopKey as JsonObject }), // as toRecord writes it
  };
}

function toClient(record: JsonObject | undefined): RegisteredClient | undefined {
  const { clientId, clientSecret, clientAuthentication } = record ?? {};
  if (typeof clientId !== "string") {
    return undefined;
  }
  return {
    clientId,
    ...(typeof clientSecret === "string" ? { clientSecret } : {}),
    ...(clientAuthentication === "post" || clientAuthentication === "basic"
      ? { clientAuthentication }
      : {}),
  };
}
