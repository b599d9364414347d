import { ToolError } from "../base/tool-error.ts";
import { CredentialError, type CredentialErrorCode } from "./credential-error.ts";

/**
 * Whatever a request to an authorisation server failed with, as an error that can be shown. Errors of
 * the network stay; of the server's words only its error code is kept, and no cause, because bodies
 * and parameters may hold tokens.
 */
export function toCredentialError(
  thrown: unknown,
  what: string,
  fallback: CredentialErrorCode = "token-refused",
): Error {
  if (ToolError.is(thrown) || CredentialError.is(thrown)) {
    return thrown;
  }
  const code = errorCodeOf(thrown);
  switch (code) {
    case "invalid_grant":
    case "interaction_required":
      return new CredentialError(`${what} failed: ${code}. The actor must authorise again.`, {
        code: "authorization-required",
      });
    case "invalid_client":
      return new CredentialError(`${what} failed: ${code}. Check the client and its secret.`, {
        code: "client-refused",
      });
    default:
      return new CredentialError(`${what} failed: ${code}.`, { code: fallback });
  }
}

/** What OAuth and OpenID Connect know; anything else that stands in its place is not shown. */
const serverCodes = new Set([
  "invalid_request",
  "invalid_client",
  "invalid_grant",
  "unauthorized_client",
  "unsupported_grant_type",
  "unsupported_response_type",
  "unsupported_token_type",
  "invalid_scope",
  "invalid_target",
  "access_denied",
  "server_error",
  "temporarily_unavailable",
  "interaction_required",
  "login_required",
  "consent_required",
  "account_selection_required",
]);

/** The error code of what OAuth's library threw, or words for there being none. */
export function errorCodeOf(thrown: unknown): string {
  if (typeof thrown === "object" && thrown !== null) {
    const { error, code } = thrown as Record<string, unknown>; // absent ones are undefined
    if (typeof error === "string" && serverCodes.has(error)) {
      return error;
    }
    if (typeof code === "string" && code.startsWith("OAUTH_")) {
      return code; // the library's own
    }
  }
  return "the answer is not what OAuth prescribes";
}
