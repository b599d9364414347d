import type { CredentialStore } from "../base/credential-store.ts";
import type { Secret } from "../base/secret.ts";
import type { SecretValue } from "../base/secret-value.ts";

/**
 * Access to an MCP server by OAuth 2.1 (MCP 2026-07-28, basic/authorization). `{ type: "oauth" }` is
 * enough for a server that lets clients register themselves: where to ask for access, and for what, is
 * learnt from the server. Tokens belong to one actor, one server and one issuer.
 */
export interface McpOAuth {
  readonly type: "oauth";
  /**
   * `authorization-code`: what a person grants (the default). `client-credentials`: the application's
   * own access. `jwt-bearer`: access for whom an `assertion` names.
   */
  readonly grant?: "authorization-code" | "client-credentials" | "jwt-bearer";
  /** The client as it is registered at the authorisation server. Absent: it registers itself. */
  readonly clientId?: string;
  readonly clientSecret?: SecretValue;
  /** The private key (PEM, PKCS #8) of a client that signs instead of showing a secret (RFC 7523). */
  readonly privateKey?: SecretValue;
  /** The `kid` by which the authorisation server knows the key. */
  readonly privateKeyId?: string;
  /** How a secret is sent. Default: as the authorisation server says, else `basic`. */
  readonly clientAuthentication?: "basic" | "post" | "private-key-jwt";
  /**
   * The only authorisation server that may be asked. Absent: the one that the MCP server names, and a
   * `clientId` stays with the first one: its secret never goes to another.
   */
  readonly issuer?: string;
  /** The `https:` URL of our client ID metadata document, for servers that read such. */
  readonly clientMetadataUrl?: string;
  /** The name under which we register, which people see when they are asked. Default `Dragoman`. */
  readonly clientName?: string;
  /** Asked for beside what the server asks for, and instead of all that it knows. */
  readonly scopes?: readonly string[];
  /** The assertion of `jwt-bearer`; called for each token. */
  readonly assertion?: (request: AssertionRequest) => string | Secret | Promise<string | Secret>;
  /** Binds tokens to a key of ours (DPoP, RFC 9449), so that a stolen one is of no use. Default false. */
  readonly dpop?: boolean;
  /**
   * Where people come back to. Absent: a listener on 127.0.0.1 that stands for the time of the login,
   * which suits programs on a person's own machine.
   */
  readonly redirectUri?: string;
  /**
   * Sends a person to the page where they grant access. With a `redirectUri` it gives the URL that they
   * came back to; else it may give nothing. Absent: a server that wants access to be granted cannot be
   * used until it has been, by `McpAuthorization` or `dragoman mcp login`. The time that a person
   * takes (at most ten minutes) does not count as the server's.
   */
  readonly onAuthorizationUrl?:
    | ((request: AuthorizationUrl) => void | Promise<void>)
    | ((request: AuthorizationUrl) => string | URL | Promise<string | URL>);
  /** Addresses of authorisation servers that are not public. The MCP server's own host may be asked anyway. */
  readonly allow?: readonly {
    readonly host?: string;
    readonly port?: number;
    readonly cidr?: string;
  }[];
  /** Where tokens are kept. Default: in memory, as long as the process lives. */
  readonly store?: CredentialStore;
}

/** What an assertion is wanted for. */
export interface AssertionRequest {
  /** The authorisation server that is to accept it: its audience. */
  readonly issuer: string;
  /** The MCP server that is to be used, as it names itself. */
  readonly resource: string;
  readonly scopes: readonly string[];
  /** The authenticated caller of the run. */
  readonly actor?: string;
}

/** Where a person is asked for access. */
export interface AuthorizationUrl {
  /** For the person's browser: `http:` or `https:`. A stranger's address: show it, hand it to no shell. */
  readonly url: string;
  /** The alias of the MCP server. */
  readonly server: string;
  /** Who asks. */
  readonly issuer: string;
  /** What is asked for. */
  readonly scopes: readonly string[];
  /** For whom. */
  readonly actor?: string;
  /** Aborts when nobody waits for the answer any longer. */
  readonly signal: AbortSignal;
}
