import { redactUrl } from "../../base/redact-url.ts";
import { listOf } from "./issuer-metadata.ts";
import { type MetadataReader, refused } from "./metadata-reader.ts";

/** What an MCP server says on who may use it (RFC 9728). */
export interface ProtectedResource {
  /** The server as it names itself: the audience of its tokens, letter for letter. */
  readonly resource: string;
  /** Authorisation servers whose tokens it takes; at least one. */
  readonly issuers: readonly string[];
  /** All scopes that it knows, where it says so. */
  readonly scopes: readonly string[] | undefined;
  /**
   * It publishes nothing: a server of revision 2025-03-26, whose own origin is its authorisation server
   * and which knows no resource parameter.
   */
  readonly isLegacy: boolean;
}

/**
 * Asks where the challenge says, else at the well-known place below the origin for the server's path,
 * then at the one for the whole origin.
 *
 * @throws CredentialError `discovery-refused` where the document speaks of another server: a token for
 * that one is none of ours to ask for
 */
export async function discoverProtectedResource(
  server: URL,
  challenged: string | undefined,
  reader: MetadataReader,
): Promise<ProtectedResource> {
  const what = `The metadata of the MCP server at ${redactUrl(server)}`;
  const wellKnown = `${server.origin}/.well-known/oauth-protected-resource`;
  const path = server.pathname.replace(/\/$/, "");
  const places =
    challenged === undefined ? [...new Set([wellKnown + path, wellKnown])] : [challenged];
  for (const place of places) {
    const document = await reader.read(place, what);
    if (document !== undefined) {
      const { resource, authorization_servers: issuers, scopes_supported: scopes } = document;
      return {
        resource: checkResource(resource, server, what),
        issuers: checkIssuers(issuers, what),
        scopes: Array.isArray(scopes) ? listOf(scopes) : undefined,
        isLegacy: false,
      };
    }
  }
  if (challenged !== undefined) {
    throw refused(`${what} is not where its challenge says, at ${redactUrl(challenged)}.`);
  }
  return { resource: server.href, issuers: [server.origin], scopes: undefined, isLegacy: true };
}

/** The server itself, or something that it is a part of, at the same origin. */
function checkResource(resource: unknown, server: URL, what: string): string {
  const url = typeof resource === "string" ? URL.parse(resource) : null;
  const path = url?.pathname.replace(/\/$/, "");
  const isOurs =
    url?.origin === server.origin &&
    url.hash === "" &&
    (server.pathname === path || server.pathname.startsWith(`${path}/`));
  if (typeof resource !== "string" || !isOurs) {
    const named = url === null ? "nothing that is a URL" : redactUrl(url);
    throw refused(
      `${what} is about ${named}, which is another server. A token for that one is not asked for.`,
    );
  }
  return resource;
}

function checkIssuers(issuers: unknown, what: string): readonly string[] {
  const found = listOf(issuers);
  if (found.length === 0) {
    throw refused(`${what} names no authorization_servers.`);
  }
  return found;
}
