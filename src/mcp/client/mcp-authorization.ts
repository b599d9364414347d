import { type Clock, systemClock } from "../../base/clock.ts";
import { ConfigurationError, messageOf } from "../../base/dragoman-error.ts";
import { redactUrl } from "../../base/redact-url.ts";
import { version } from "../../base/version.ts";
import type { McpOAuth } from "../../tool/mcp-oauth.ts";
import type { McpServerConfig, UrlTransport } from "../../tool/mcp-server-config.ts";
import type { EndedAccess } from "../authorization/oauth-login.ts";
import { ServerAuthorization } from "../authorization/server-authorization.ts";
import { readTokenChallenge, type TokenChallenge } from "../authorization/www-authenticate.ts";
import { parseMcpServerConfig } from "../config/parse-mcp-server-config.ts";
import { beginningOf, HttpCaller } from "../links/http-caller.ts";
import { McpError } from "../wire/mcp-error.ts";
import { protocolVersions } from "../wire/protocol-version.ts";

/** Whose access is asked for. */
export interface McpAuthorizationOptions {
  /** The actor of the runs that are to use it. Absent: the application itself. */
  readonly actor?: string;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
}

/** How long the server may take to say what it wants. */
const probeMs = 15_000;

/**
 * Asks a person for access to an MCP server before it is needed, or where the answer comes to another
 * process than the one that asked: a web application begins in one request and ends in another. The
 * `auth` of the configuration must be OAuth, with the same `store` as where the access is used.
 */
export class McpAuthorization {
  readonly #transport: UrlTransport;
  readonly #server: string;
  readonly #clock: Clock;
  readonly #authorization: ServerAuthorization;

  /** @throws ConfigurationError where the configuration is at fault, or its server not one for OAuth */
  constructor(config: McpServerConfig, options: McpAuthorizationOptions = {}) {
    const { actor, clock = systemClock } = options;
    const { name, transport } = parseMcpServerConfig(config, "McpAuthorization");
    const auth = transport.type === "stdio" ? undefined : transport.auth;
    if (transport.type === "stdio" || !isOAuth(auth)) {
      throw new ConfigurationError(
        `The MCP server "${name}" is not one for OAuth. Give it a "url", and "auth": { "type": "oauth" }.`,
        { code: "invalid-configuration" },
      );
    }
    this.#transport = transport;
    this.#server = name;
    this.#clock = clock;
    this.#authorization = new ServerAuthorization({
      server: name,
      transport,
      settings: auth,
      actor,
      clock,
    });
  }

  /**
   * Begins to ask. The application sends the person to `url`; what comes back to `redirectUri` goes to
   * {@link finish} within ten minutes, for the same server and actor.
   *
   * @returns the URL, the `state` that comes back with the answer, who asks and for what
   * @throws McpError `mcp-authorization` where nobody can be asked
   */
  async start({ redirectUri }: { readonly redirectUri: string }): Promise<{
    readonly url: string;
    readonly state: string;
    readonly issuer: string;
    readonly scopes: readonly string[];
  }> {
    const { challenge, isRefused } = await this.#probe();
    try {
      return await this.#authorization.login.start(redirectUri, challenge, isRefused);
    } catch (error) {
      throw this.#authorization.failure(error);
    }
  }

  /**
   * Ends what {@link start} began: checks the answer, fetches the tokens and keeps them.
   *
   * @param answer the URL that the person came back to, query included
   * @throws McpError `mcp-authorization` where it is no answer to a question that was asked for this
   * server and actor, or was given before, or says no
   */
  async finish(answer: string | URL): Promise<void> {
    const url = URL.parse(String(answer)) ?? new URL("about:blank"); // belongs to no question
    try {
      await this.#authorization.login.finish(url);
    } catch (error) {
      throw this.#authorization.failure(error);
    }
  }

  /**
   * Removes the tokens from the store, and has the authorisation server take them back (RFC 7009) where
   * it has a way to do that. It does not reject because that failed: the tokens are removed all the same.
   *
   * @returns what became of them; the `error` of a failure is an McpError `mcp-authorization`
   */
  async forget(): Promise<EndedAccess> {
    const ended = await this.#authorization.login.end();
    if (ended.kind !== "failed") {
      return ended;
    }
    const { issuer, error: cause } = ended;
    const message = `The tokens of the MCP server "${this.#server}" are removed here, but ${redactUrl(issuer)} has not taken them back: ${messageOf(cause)} They hold there until they expire; take the access back on its own pages.`;
    const error = new McpError(message, {
      code: "mcp-authorization",
      server: this.#server,
      cause,
    });
    return { kind: "failed", issuer, error };
  }

  /** Asks the server something, to be told what it wants to be shown. */
  async #probe(): Promise<{
    readonly challenge: TokenChallenge | undefined;
    readonly isRefused: boolean;
  }> {
    const { auth: _ours, ...transport } = this.#transport;
    const caller = new HttpCaller(this.#server, transport, this.#clock);
    const signal = AbortSignal.timeout(probeMs);
    const [protocolVersion] = protocolVersions;
    const clientInfo = { name: "dragoman", version };
    const params = { protocolVersion, capabilities: {}, clientInfo };
    const response = await caller.send({
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
      signal,
    });
    const { status, headers } = response;
    const session = headers["mcp-session-id"];
    response.cancel();
    if (session !== undefined) {
      const end = { method: "DELETE", headers: { "mcp-session-id": session }, signal } as const;
      await caller.send(end).then(beginningOf, () => {}); // a server need not have an end of sessions
    }
    return {
      challenge: readTokenChallenge(headers["www-authenticate"]),
      isRefused: status === 401,
    };
  }
}

const isOAuth = (auth: UrlTransport["auth"]): auth is McpOAuth =>
  auth !== undefined && "type" in auth;
