import type { AuthorizationServer } from "oauth4webapi";
import type { McpOAuth } from "../../tool/mcp-oauth.ts";
import { listOf } from "./issuer-metadata.ts";

/** What bears on the scopes that are asked for. */
export interface ScopeSources {
  /** The `scope` of the server's challenge. */
  readonly challenged: string | undefined;
  /** All that the server knows. */
  readonly supported: readonly string[] | undefined;
  /** What was asked for before, at the same authorisation server. */
  readonly before: readonly string[];
  readonly settings: McpOAuth;
  readonly issuer: AuthorizationServer;
}

/**
 * The scopes to ask for (MCP 2026-07-28, scope selection strategy): what the challenge names; else what
 * the application names; else all that the server knows; else none, which leaves it to the
 * authorisation server. What was asked for before is asked for again, so that a step up loses nothing;
 * a refresh token is asked for where it is offered.
 */
export function selectScopes(sources: ScopeSources): readonly string[] {
  const { challenged, supported, before, settings, issuer } = sources;
  const named = toScopes(challenged ?? "");
  const own = settings.scopes ?? [];
  const wanted = named.length > 0 || own.length > 0 ? named : toScopes((supported ?? []).join(" "));
  const scopes = new Set([...before, ...wanted, ...own]);
  const grant = settings.grant ?? "authorization-code";
  const offersRefresh = listOf(issuer.scopes_supported).includes("offline_access");
  if (grant === "authorization-code" && offersRefresh && scopes.size > 0) {
    scopes.add("offline_access");
  }
  return [...scopes];
}

/** As many scopes of a stranger's are taken up, each of this length at most. */
const most = 100;
const longest = 200;

/** The scopes of a text (RFC 6749, 3.3); what cannot be one is passed over. */
export function toScopes(text: string): readonly string[] {
  return text
    .split(" ")
    .filter((scope) => scope.length <= longest && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
    .slice(0, most);
}
