import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { createFakeServer } from "../../../test/fixtures/mcp/fake-server.ts";
import { call, connect, failureOf } from "../../../test/fixtures/mcp/http-peer.ts";
import { type IssuerBehaviour, OAuthIssuer } from "../../../test/fixtures/mcp/oauth-issuer.ts";
import { personAt, serveProtected } from "../../../test/fixtures/mcp/oauth-peer.ts";
import { MemoryCredentialStore } from "../../credentials/memory-credential-store.ts";
import type { McpOAuth } from "../../tool/mcp-oauth.ts";
import { McpClient } from "../client/mcp-client.ts";

/** The first token request of a client, against an issuer that behaves so. */
async function tokenRequest(behaviour: IssuerBehaviour, auth: Partial<McpOAuth>) {
  await using issuer = await OAuthIssuer.start(behaviour);
  const server = await serveProtected({ issuer: () => issuer });
  const person = personAt(() => issuer);
  const store = new MemoryCredentialStore();
  await call(await connect(server.url, { auth: { ...person.auth, store, ...auth } }));
  return { ...issuer.to("/token")[0], registrations: issuer.to("/register"), server, issuer };
}

const methods = (...names: readonly string[]): IssuerBehaviour => ({
  metadata: { token_endpoint_auth_methods_supported: names },
  clients: { "desk-1": "s%c ret+1234" },
});

const desk = { clientId: "desk-1", clientSecret: "s%c ret+1234" };

test("a registered client shows its secret in the header, form-encoded", async () => {
  const basic = `Basic ${btoa("desk-1:s%25c+ret%2B1234")}`;
  const request = tokenRequest(
    { ...methods("client_secret_basic"), clients: { "desk-1": "s%25c+ret%2B1234" } },
    desk,
  );
  expect(await request).toMatchObject({ authorization: basic, registrations: [] });
});

test("a registered client shows its secret in the body where the issuer takes it only there", async () => {
  const { sent, authorization } = await tokenRequest(methods("client_secret_post"), desk);
  expect(sent).toMatchObject({ client_secret: "s%c ret+1234" });
  expect(authorization).toBe("");
});

test("client credentials need no person", async () => {
  const { sent, server, issuer } = await tokenRequest(methods("client_secret_post"), {
    ...desk,
    grant: "client-credentials",
    scopes: ["tickets"],
  });
  expect(sent).toMatchObject({
    grant_type: "client_credentials",
    scope: "tickets",
    resource: server.url,
  });
  expect(issuer.to("/authorize")).toEqual([]);
});

test.each([
  ["ec", { namedCurve: "P-256" }, "sha256"],
  ["rsa", { modulusLength: 2048 }, "sha256"],
  ["ed25519", {}, undefined],
] as const)("a client with a key (%s) signs for its issuer", async (type, options, digest) => {
  const { privateKey } = generateKeyPairSync(type as "rsa", options as { modulusLength: number });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const { sent = {}, issuer } = await tokenRequest(methods("private_key_jwt"), {
    grant: "client-credentials",
    clientId: "desk-1",
    privateKey: async () => pem,
    privateKeyId: "key-1",
  });
  const assertion = String(sent["client_assertion"]);
  const [header = "", claims = "", signature = ""] = assertion.split(".");
  const read = (part: string): unknown => JSON.parse(Buffer.from(part, "base64url").toString());
  expect(read(header)).toMatchObject({ kid: "key-1" });
  expect(read(claims)).toMatchObject({ iss: "desk-1", sub: "desk-1", aud: issuer.origin });
  const key = { key: createPublicKey(privateKey), dsaEncoding: "ieee-p1363" as const };
  const signed = Buffer.from(`${header}.${claims}`);
  expect(verify(digest, signed, key, Buffer.from(signature, "base64url"))).toBe(true);
  expect(assertion).not.toContain(pem);
});

test("a client that describes itself in a document is known by its URL, where the issuer reads such", async () => {
  const clientMetadataUrl = "https://app.example/client.json";
  const read = { client_id_metadata_document_supported: true };
  const known = await tokenRequest({ metadata: read }, { clientMetadataUrl });
  expect(known.sent).toMatchObject({ client_id: clientMetadataUrl });
  expect(known.registrations).toEqual([]);
  const unknown = await tokenRequest({}, { clientMetadataUrl });
  expect(unknown.registrations).toHaveLength(1);
});

test("a client registers with a secret where the issuer takes no public ones, and shows that", async () => {
  const { sent, registrations } = await tokenRequest(methods("client_secret_post"), {});
  expect(registrations[0]?.sent).toMatchObject({
    token_endpoint_auth_method: "client_secret_post",
  });
  expect(sent).toMatchObject({ client_secret: expect.stringMatching(/^registered-secret-/) });
});

test("a client registers once for all actors of an application", async () => {
  await using issuer = await OAuthIssuer.start();
  const server = await serveProtected({ issuer: () => issuer });
  const auth = { ...personAt(() => issuer).auth, store: new MemoryCredentialStore() };
  await connect(server.url, { auth }, { actor: "ann" });
  await connect(server.url, { auth }, { actor: "bob" });
  expect(issuer.to("/register")).toHaveLength(1);
});

test("an issuer that registers no clients is an error that says what to do", async () => {
  await using issuer = await OAuthIssuer.start({ metadata: { registration_endpoint: undefined } });
  const server = await serveProtected({ issuer: () => issuer });
  const auth = { ...personAt(() => issuer).auth, store: new MemoryCredentialStore() };
  expect((await failureOf(connect(server.url, { auth }))).message).toContain("set clientId");
});

test("access for whom an assertion names is asked for with that, for each token", async () => {
  await using issuer = await OAuthIssuer.start({
    intercept: (path, response) => {
      const isToken = path === "/token";
      if (isToken) {
        const token = `access-${issuer.to("/token").length}`;
        issuer.tokens.set(token, { resource: server.url, scopes: [], clientId: "desk" });
        response.end(JSON.stringify({ access_token: token, token_type: "Bearer" }));
      }
      return isToken;
    },
  });
  const server = await serveProtected({ issuer: () => issuer });
  const asked: unknown[] = [];
  const auth: McpOAuth = {
    type: "oauth",
    grant: "jwt-bearer",
    clientId: "desk",
    store: new MemoryCredentialStore(),
    assertion: (request) => {
      asked.push(request);
      return `assertion-${asked.length}`;
    },
  };
  const connection = await connect(server.url, { auth }, { actor: "ann" });
  issuer.revokeTokens();
  await call(connection);
  expect(asked[0]).toEqual({
    issuer: issuer.origin,
    resource: server.url,
    scopes: [],
    actor: "ann",
  });
  expect(issuer.to("/token").map(({ sent }) => sent)).toMatchObject([
    { assertion: "assertion-1", resource: server.url },
    { assertion: "assertion-2" },
  ]);
});

test("a WebSocket is opened with a token that was granted for it", async () => {
  await using issuer = await OAuthIssuer.start();
  const sockets = new WebSocketServer({
    port: 0,
    host: "127.0.0.1",
    verifyClient: ({ req }, answer) => {
      const token = req.headers.authorization?.replace("Bearer ", "") ?? "";
      const where = `Bearer resource_metadata="${new URL("/.well-known/oauth-protected-resource/mcp", metadata.url)}"`;
      answer(issuer.tokens.has(token), 401, "", { "www-authenticate": where });
    },
  });
  sockets.on("connection", (socket) => {
    const brain = createFakeServer((message) => socket.send(JSON.stringify(message)));
    socket.on("message", (data) => brain.receive(JSON.parse(String(data))));
  });
  await new Promise((resolve) => sockets.once("listening", resolve));
  const { port } = sockets.address() as { port: number };
  const resource = `http://127.0.0.1:${port}/`;
  const metadata = await serveProtected({ issuer: () => issuer, resource: { resource } });
  const auth = { ...personAt(() => issuer).auth, store: new MemoryCredentialStore() };
  const url = `ws://127.0.0.1:${port}/`;
  const transport = { type: "ws", url, allowInsecureHttp: true, auth } as const;
  await using client = new McpClient({ name: "far", transport });
  await client.connect();
  expect(await client.callTool("echo", {})).toHaveProperty("content");
  await client.disconnect();
  await new Promise((resolve) => sockets.close(resolve));
  expect(issuer.to("/authorize")[0]?.sent).toMatchObject({ resource });
});
