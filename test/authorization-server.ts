import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type LoopbackServer, startHttp } from "./loopback.ts";

/** How an {@link AuthorizationServer} behaves. */
export interface AuthorizationServerOptions {
  /** How long a token is said to hold, in seconds. Default 3 600. */
  readonly expiresIn?: number;
  /** Changes the claims of ID tokens. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Changes the discovery document. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

interface Grant {
  readonly challenge: string;
  readonly nonce: string | null;
  readonly redirectUri: string;
  readonly clientId: string;
}

type Failure = { readonly status: number; readonly body: string } | "reset";

const refusal = '{"error":"invalid_grant","error_description":"hunter2"}';

/** Starts an authorisation server on the loopback interface. */
export async function startAuthorizationServer(
  options: AuthorizationServerOptions = {},
): Promise<AuthorizationServer> {
  const server: AuthorizationServer = new AuthorizationServer(options);
  await server.start();
  return server;
}

/**
 * An OAuth authorisation server that is strict about what it is sent: codes need their PKCE verifier,
 * and each refresh token works once.
 */
export class AuthorizationServer implements AsyncDisposable {
  /** The parameters of each token request, in order, with the `authorization` header. */
  readonly requests: Readonly<Record<string, string>>[] = [];
  readonly #options: AuthorizationServerOptions;
  readonly #codes = new Map<string, Grant>();
  readonly #refreshTokens = new Set<string>();
  #failure: Failure | undefined;
  #server: LoopbackServer | undefined;
  #count = 0;

  constructor(options: AuthorizationServerOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#server = await startHttp((incoming, response) => this.#serve(incoming, response));
  }

  get origin(): string {
    return this.#server?.origin ?? "";
  }

  /** What the next token requests are answered with instead. */
  fail(failure: Failure): void {
    this.#failure = failure;
  }

  /** Grants access as the person at the browser would; gives the URL that the browser comes back to. */
  grant(authorizationUrl: string): string {
    const asked = new URL(authorizationUrl).searchParams;
    const code = randomUUID();
    const redirectUri = asked.get("redirect_uri") ?? "";
    this.#codes.set(code, {
      challenge: asked.get("code_challenge") ?? "",
      nonce: asked.get("nonce"),
      redirectUri,
      clientId: asked.get("client_id") ?? "",
    });
    const back = new URL(redirectUri);
    back.searchParams.set("code", code);
    back.searchParams.set("state", asked.get("state") ?? "");
    return back.href;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }

  #serve(incoming: IncomingMessage, response: ServerResponse): void {
    response.setHeader("content-type", "application/json");
    if (incoming.url === "/.well-known/openid-configuration") {
      response.end(JSON.stringify(this.#metadata()));
      return;
    }
    let text = "";
    incoming.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
    });
    incoming.on("end", () => {
      const sent = Object.fromEntries(new URLSearchParams(text));
      this.requests.push({ ...sent, authorization: incoming.headers.authorization ?? "" });
      if (this.#failure === "reset") {
        incoming.socket.resetAndDestroy();
        return;
      }
      const body = this.#failure?.body ?? this.#answer(sent);
      response.writeHead(this.#failure?.status ?? (body === refusal ? 400 : 200)).end(body);
    });
  }

  #metadata(): object {
    return {
      issuer: this.origin,
      authorization_endpoint: `${this.origin}/authorize`,
      token_endpoint: `${this.origin}/token`,
      ...this.#options.metadata,
    };
  }

  #answer(sent: Readonly<Record<string, string>>): string {
    switch (sent["grant_type"]) {
      case "authorization_code":
        return this.#redeem(sent);
      case "refresh_token":
        return this.#refreshTokens.delete(sent["refresh_token"] ?? "") ? this.#issue() : refusal;
      default:
        return this.#issue();
    }
  }

  #redeem(sent: Readonly<Record<string, string>>): string {
    const code = sent["code"] ?? "";
    const grant = this.#codes.get(code);
    this.#codes.delete(code);
    const verifier = sent["code_verifier"] ?? "";
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    if (grant?.challenge !== challenge || grant.redirectUri !== sent["redirect_uri"]) {
      return refusal;
    }
    return this.#issue(grant.nonce === null ? undefined : grant);
  }

  #issue(grant?: Grant): string {
    this.#count += 1;
    const refreshToken = `refresh-${randomUUID()}`;
    this.#refreshTokens.add(refreshToken);
    return JSON.stringify({
      access_token: `access-${this.#count}`,
      token_type: "Bearer",
      expires_in: this.#options.expiresIn ?? 3_600,
      refresh_token: refreshToken,
      ...(grant === undefined ? {} : { id_token: this.#idToken(grant) }),
    });
  }

  /** Over TLS from the token endpoint, ID tokens are taken on their claims, so that any signature does. */
  #idToken({ nonce, clientId }: Grant): string {
    const iat = Math.floor(Date.now() / 1_000);
    const claims = { iss: this.origin, sub: "ann", aud: clientId, nonce, iat, exp: iat + 60 };
    return [
      { alg: "RS256", typ: "JWT" },
      { ...claims, ...this.#options.claims },
    ]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .concat("c2lnbmF0dXJl")
      .join(".");
  }
}
