import { expect, test } from "vitest";
import { Secret } from "../../base/secret.ts";
import { MemoryCredentialStore } from "../../credentials/memory-credential-store.ts";
import type { McpOAuth } from "../../tool/mcp-oauth.ts";
import { parseMcpTransport } from "./parse-mcp-server-config.ts";

const parse = (auth: unknown): unknown =>
  parseMcpTransport({ type: "http", url: "https://mcp.example/rpc", auth }, "here");

test("every setting of OAuth comes back unchanged", () => {
  const auth: McpOAuth = {
    type: "oauth",
    grant: "authorization-code",
    clientId: "desk",
    clientSecret: new Secret("hunter2"),
    clientAuthentication: "post",
    issuer: "https://login.example",
    clientMetadataUrl: "https://app.example/client.json",
    clientName: "Desk",
    scopes: ["read"],
    dpop: false,
    redirectUri: "http://127.0.0.1:8080/callback",
    onAuthorizationUrl: () => {},
    allow: [{ host: "sso.internal" }, { cidr: "10.0.0.0/8", port: 443 }],
    store: new MemoryCredentialStore(),
  };
  expect(parse(auth)).toMatchObject({ auth });
});

test.each([
  [{ type: "oauth2" }, '"type" of "auth" must be "oauth"'],
  [{}, "or have a method token()"],
  [{ type: "oauth", clientID: "x" }, 'Unknown key "clientID" in "auth". Did you mean "clientId"?'],
  [{ type: "oauth", grant: "password" }, '"grant" must be one of "authorization-code"'],
  [{ type: "oauth", clientSecret: "hunter2" }, 'needs the "clientId"'],
  [{ type: "oauth", privateKey: "hunter2" }, 'needs the "clientId"'],
  [{ type: "oauth", clientId: "x", clientSecret: "hunter2", privateKey: "y" }, "Give one of them"],
  [{ type: "oauth", grant: "client-credentials" }, 'needs a "clientId"'],
  [{ type: "oauth", grant: "client-credentials", clientId: "x" }, 'or a "privateKey"'],
  [{ type: "oauth", grant: "jwt-bearer", clientId: "x" }, 'an "assertion"'],
  [{ type: "oauth", issuer: "http://login.example" }, '"issuer" must be a whole https: URL'],
  [{ type: "oauth", redirectUri: "http://app.example/cb" }, '"redirectUri" must be'],
  [{ type: "oauth", redirectUri: "nowhere" }, '"redirectUri" must be'],
  [{ type: "oauth", allow: "10.0.0.0/8" }, '"allow" must be a list'],
  [{ type: "oauth", allow: [{}] }, 'needs a "host"'],
  [{ type: "oauth", allow: [{ cidr: "10.0.0.0/99" }] }, '"cidr" must be a block'],
  [{ type: "oauth", store: {} }, '"store" must be a CredentialStore'],
  [{ type: "oauth", scopes: "read" }, '"scopes" must be a list'],
])("%j is refused with a message that says what is allowed, and no secret", (auth, message) => {
  expect(() => parse(auth)).toThrow(message);
  expect(() => parse(auth)).not.toThrow("hunter2");
});

test("OAuth and a token exclude each other", () => {
  const auth = { type: "oauth" };
  const url = "https://mcp.example/rpc";
  expect(() => parseMcpTransport({ type: "http", url, auth, token: "t" }, "here")).toThrow(
    "Give one of them",
  );
});
