import { isIP } from "node:net";
import type { Clock } from "../../base/clock.ts";
import { isJsonObject, type JsonObject, parseJson } from "../../base/json.ts";
import { redactUrl } from "../../base/redact-url.ts";
import { ToolError } from "../../base/tool-error.ts";
import { CredentialError } from "../../credentials/credential-error.ts";
import {
  type OAuthConnection,
  type OAuthResponse,
  sendOAuthRequest,
} from "../../credentials/oauth-connection.ts";
import { AddressGuard } from "../../http/address-guard.ts";
import type { McpOAuth } from "../../tool/mcp-oauth.ts";
import type { UrlTransport } from "../../tool/mcp-server-config.ts";

/** A document may lie behind so many redirects. */
const mostRedirects = 3;

/**
 * Reads what servers publish on their authorisation. Whatever URL they name is a stranger's: it must be
 * `https:`, and must not lead to a private, link-local or metadata address, unless the MCP server is
 * itself configured at that host (and then, with `allowInsecureHttp`, may be `http:`).
 */
export class MetadataReader {
  /** For every other request to an authorisation server of this MCP server. */
  readonly connection: OAuthConnection;
  readonly #insecureHosts: ReadonlySet<string>;

  constructor(transport: UrlTransport, { issuer, allow = [] }: McpOAuth, clock: Clock) {
    const { proxy, tls, allowInsecureHttp } = transport;
    const configured = [transport.url, ...(issuer === undefined ? [] : [issuer])].map(toWebUrl);
    const insecure = configured.filter(({ protocol }) => protocol === "http:");
    this.#insecureHosts = new Set(
      allowInsecureHttp ? insecure.map(({ hostname }) => hostname) : [],
    );
    // A name may come to mean another address; an address, and localhost, remain what they are.
    const fixed = configured.map(hostOf).filter((host) => isIP(host) !== 0 || host === "localhost");
    this.connection = {
      http: {
        ...(proxy === undefined ? {} : { proxy }),
        // Our own certificate, and trust without a check, are for the MCP server alone.
        ...(tls?.ca === undefined ? {} : { tls: { ca: tls.ca } }),
      },
      guard: new AddressGuard({ allow: [...fixed.map((host) => ({ host })), ...allow] }),
      trustedOrigins: configured.map(({ origin }) => origin),
      nowMs: () => clock.now(),
    };
  }

  /**
   * The URL that a server names, if it may be used.
   *
   * @throws CredentialError `discovery-refused`
   */
  admit(text: string, what: string): URL {
    const url = URL.parse(text);
    const isSecure =
      url?.protocol === "https:" ||
      (url?.protocol === "http:" && this.#insecureHosts.has(url.hostname));
    if (url === null || !isSecure || url.username !== "" || url.password !== "") {
      const why =
        url === null ? "is no URL" : `(${redactUrl(url)}) is not one of https: without user-info`;
      throw refused(`${what} ${why}.`);
    }
    try {
      if (!this.connection.trustedOrigins?.includes(url.origin)) {
        this.connection.guard.guard(url); // also behind a proxy, where nobody asks it later
      }
    } catch (error) {
      throw toRefusal(error, what);
    }
    return url;
  }

  /**
   * The document at a URL, or undefined where there is none: a 4xx, or something that is no JSON.
   *
   * @throws CredentialError `discovery-refused`; ToolError where the server cannot be reached or fails
   */
  async read(text: string, what: string): Promise<JsonObject | undefined> {
    let url = this.admit(text, what);
    for (let redirects = 0; ; redirects += 1) {
      const { status, headers, text: body } = await this.#get(url, what);
      const { location } = headers;
      if (location === undefined || status < 300 || status > 399) {
        return this.#document(url, what, status, body);
      }
      if (redirects === mostRedirects) {
        throw refused(`${what} is redirected more than ${mostRedirects} times.`);
      }
      url = this.admit(URL.parse(location, url.href)?.href ?? "", `The redirect of ${lower(what)}`);
    }
  }

  async #get(url: URL, what: string): Promise<OAuthResponse> {
    const headers = { accept: "application/json" };
    try {
      return await sendOAuthRequest(this.connection, { method: "GET", url, headers });
    } catch (error) {
      throw toRefusal(error, what);
    }
  }

  #document(url: URL, what: string, status: number, body: string): JsonObject | undefined {
    if (status >= 500 || status === 429) {
      throw new ToolError(`${what} cannot be had now: ${redactUrl(url)} answered HTTP ${status}.`, {
        code: "tool-http",
      });
    }
    const document = status === 200 ? parseJson(body) : undefined;
    return isJsonObject(document) ? document : undefined;
  }
}

/** What a server says cannot be used. */
export const refused = (message: string): CredentialError =>
  new CredentialError(message, { code: "discovery-refused" });

function toRefusal(error: unknown, what: string): unknown {
  return ToolError.is(error) && error.code === "tool-address-refused"
    ? refused(
        `${what} may not be asked: ${error.message.replace(/ Allow it .*$/s, "")} If it is meant to be, name it in "allow" of its "auth".`,
      )
    : error;
}

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** WebSockets are opened by a request over HTTP. */
const toWebUrl = (url: string): URL => new URL(url.replace(/^ws/, "http"));

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "");
