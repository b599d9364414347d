import type { Secret } from "../../base/secret.ts";
import { McpError } from "../wire/mcp-error.ts";
import type { TokenChallenge } from "./www-authenticate.ts";

/** A request that the server refused for want of access. It has not run, and may be sent again. */
export interface AccessRefusal {
  readonly status: 401 | 403;
  readonly challenge: TokenChallenge | undefined;
  /** The token that was sent, if any. */
  readonly refused: Secret | undefined;
}

/** Access is wanting, and perhaps somebody can be asked for it. */
export class AuthorizationNeeded extends McpError {
  readonly #authorize: (signal: AbortSignal) => Promise<void>;

  constructor(
    message: string,
    options: {
      readonly server: string;
      readonly status: number;
      readonly authorize: (signal: AbortSignal) => Promise<void>;
    },
  ) {
    const { server, status, authorize } = options;
    super(message, { code: "mcp-authorization", server, status });
    this.name = "McpError"; // for those who read it, it is no other kind
    this.#authorize = authorize;
  }

  /**
   * Asks; the request may be sent again when it resolves.
   *
   * @throws McpError where there is nobody to ask, or access is not granted; ConfigurationError for what
   * the application's callback threw; the signal's reason
   */
  authorize(signal: AbortSignal): Promise<void> {
    return this.#authorize(signal);
  }
}
