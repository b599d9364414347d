import type {
  AuthorizationServer,
  Client,
  ClientAuth,
  RevocationRequestOptions,
} from "oauth4webapi";
import { redactUrl } from "../base/redact-url.ts";
import type { Secret } from "../base/secret.ts";
import { errorCodeOf, toCredentialError } from "./oauth-errors.ts";
import type { TokenSet } from "./token-set.ts";

/** Who takes tokens back, and as whom it is asked. */
export interface TokenRevoker {
  readonly oauth: typeof import("oauth4webapi");
  /** With a `revocation_endpoint`. */
  readonly server: AuthorizationServer;
  readonly client: Client;
  readonly auth: ClientAuth;
  readonly options: RevocationRequestOptions;
}

/**
 * Takes tokens back (RFC 7009): the refresh token first, with which others could be had, then the access
 * token, also where the first was refused. A server may be unable to take access tokens back, which
 * expire by themselves; where the refresh token is gone, that is no failure.
 *
 * @throws CredentialError, ToolError of the first that failed
 */
export async function revokeTokens(tokens: TokenSet, revoker: TokenRevoker): Promise<void> {
  const { accessToken, refreshToken } = tokens;
  const failures: unknown[] = [];
  if (refreshToken !== undefined) {
    await revoke(refreshToken, "refresh_token", revoker).catch((error) => failures.push(error));
  }
  await revoke(accessToken, "access_token", revoker).catch((error) => {
    const isGone = refreshToken !== undefined && failures.length === 0;
    if (!(isGone && errorCodeOf(error) === "unsupported_token_type")) {
      failures.push(error);
    }
  });
  if (failures.length > 0) {
    const endpoint = redactUrl(revoker.server.revocation_endpoint ?? "");
    throw toCredentialError(failures[0], `The revocation at ${endpoint}`);
  }
}

async function revoke(
  token: Secret,
  kind: "access_token" | "refresh_token",
  { oauth, server, client, auth, options }: TokenRevoker,
): Promise<void> {
  const hint = { additionalParameters: { token_type_hint: kind } };
  const response = await oauth.revocationRequest(server, client, auth, token.reveal(), {
    ...options,
    ...hint,
  });
  await oauth.processRevocationResponse(response);
}
