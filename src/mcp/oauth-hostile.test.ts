import { inspect } from "node:util";
import { expect, test } from "vitest";
import { call, connect, failureOf, serve } from "../../test/fixtures/mcp/http-peer.ts";
import { type IssuerBehaviour, OAuthIssuer } from "../../test/fixtures/mcp/oauth-issuer.ts";
import {
  type ProtectedBehaviour,
  personAt,
  serveProtected,
} from "../../test/fixtures/mcp/oauth-peer.ts";
import { startHttp } from "../../test/loopback.ts";
import { MemoryCredentialStore } from "../credentials/memory-credential-store.ts";
import type { McpOAuth } from "../tool/mcp-oauth.ts";
import { McpAuthorization } from "./client/mcp-authorization.ts";

interface Attack {
  readonly issuer?: IssuerBehaviour;
  readonly server?: Omit<ProtectedBehaviour, "issuer">;
  readonly auth?: Partial<McpOAuth>;
  readonly says: string;
}

const linkLocal = "http://169.254.169.254/latest/meta-data";

/** What a server, or the authorisation server that it names, may say; nobody is then asked anything. */
const attacks: Readonly<Record<string, Attack>> = {
  "metadata at a link-local address": {
    server: { challenge: `resource_metadata="${linkLocal}"` },
    says: "is not one of https:",
  },
  "metadata at a link-local address over https": {
    server: { challenge: 'resource_metadata="https://169.254.169.254/latest"' },
    says: "169.254.169.254 is not a public address",
  },
  "metadata at an address that is written in another way": {
    server: { challenge: 'resource_metadata="https://0xa9fea9fe/latest"' },
    says: "169.254.169.254 is not a public address",
  },
  "metadata at a private address within IPv6": {
    server: { challenge: 'resource_metadata="https://[::ffff:10.0.0.1]/"' },
    says: "is not a public address",
  },
  "metadata at a name that means this machine": {
    server: { challenge: 'resource_metadata="https://localhost:1/"' },
    says: "is not a public address",
  },
  "metadata in a file": {
    server: { challenge: 'resource_metadata="file:///etc/passwd"' },
    says: "is not one of https:",
  },
  "metadata behind user-info": {
    server: { challenge: 'resource_metadata="https://user:pass@8.8.8.8/"' },
    says: "without user-info",
  },
  "metadata that is redirected to a link-local address": {
    server: {
      intercept: ({ url }, response) => {
        const isMetadata = url.startsWith("/.well-known/");
        if (isMetadata) {
          response.writeHead(302, { location: "https://169.254.169.254/" }).end();
        }
        return isMetadata;
      },
    },
    says: "169.254.169.254 is not a public address",
  },
  "metadata that is redirected in a circle": {
    server: {
      intercept: ({ url }, response) => {
        const isMetadata = url.startsWith("/.well-known/");
        if (isMetadata) {
          response.writeHead(307, { location: url }).end();
        }
        return isMetadata;
      },
    },
    says: "redirected more than 3 times",
  },
  "metadata of another server, whose token it would get": {
    server: { resource: { resource: "https://bank.example/mcp" } },
    says: "is about https://bank.example/mcp, which is another server",
  },
  "metadata of another path of the origin": {
    server: { resource: { resource: undefined } },
    says: "is another server",
  },
  "metadata without an authorisation server": {
    server: { resource: { authorization_servers: [] } },
    says: "names no authorization_servers",
  },
  "metadata that is very long": {
    server: { resource: { padding: "x".repeat(2 * 1024 * 1024) } },
    says: "There is no access",
  },
  "an authorisation server at a private address": {
    server: { resource: { authorization_servers: ["https://10.0.0.1"] } },
    says: "10.0.0.1 is not a public address",
  },
  "an authorisation server over http elsewhere": {
    server: { resource: { authorization_servers: ["http://8.8.8.8"] } },
    says: "is not one of https:",
  },
  "an authorisation server that is not the configured one": {
    auth: { issuer: "https://login.example" },
    says: "and not https://login.example/",
  },
  "an authorisation server that names another issuer": {
    issuer: { metadata: { issuer: "https://login.example" } },
    says: "names another issuer",
  },
  "an authorisation server without PKCE": {
    issuer: { metadata: { code_challenge_methods_supported: undefined } },
    says: "does not offer PKCE with S256",
  },
  "an authorisation server with the plain PKCE only": {
    issuer: { metadata: { code_challenge_methods_supported: ["plain"] } },
    says: "does not offer PKCE with S256",
  },
  "an authorisation server that publishes nothing": {
    issuer: {
      intercept: (path, response) => {
        response.writeHead(404).end();
        return path !== "";
      },
    },
    says: "is at none of its well-known places",
  },
  "a token endpoint at a link-local address": {
    issuer: { metadata: { token_endpoint: "https://169.254.169.254/token" } },
    says: "169.254.169.254 is not a public address",
  },
  "a registration endpoint at a private address": {
    issuer: { metadata: { registration_endpoint: "https://192.168.0.1/" } },
    says: "192.168.0.1 is not a public address",
  },
  "a page for the person that is a script": {
    issuer: { metadata: { authorization_endpoint: "javascript:alert(1)" } },
    says: "is not one of https:",
  },
};

test.each(Object.entries(attacks))(
  "%s is refused before anybody is asked",
  async (_name, attack) => {
    await using issuer = await OAuthIssuer.start(attack.issuer);
    const server = await serveProtected({ ...attack.server, issuer: () => issuer });
    const person = personAt(() => issuer);
    const auth = { ...person.auth, store: new MemoryCredentialStore(), ...attack.auth };
    const failure = await failureOf(connect(server.url, { auth }));
    expect(failure).toMatchObject({ code: "mcp-authorization", server: "far" });
    expect(failure.message).toContain(attack.says);
    expect(person.asked).toEqual([]);
    expect([...issuer.to("/token"), ...issuer.to("/register")]).toEqual([]);
  },
);

/** Answers that a browser may bring, to a question that was asked. */
const answers: Readonly<Record<string, Parameters<OAuthIssuer["grant"]>[1]>> = {
  "of another issuer (mix-up)": { iss: "https://evil.example" },
  "of an issuer that is the same but for a slash": { iss: "/" },
  "without the issuer that was promised": { iss: null },
  "to a question that nobody asked": { state: "other" },
};

test.each(Object.entries(answers))("an answer %s gets no token", async (_name, grant) => {
  await using issuer = await OAuthIssuer.start();
  const server = await serveProtected({ issuer: () => issuer });
  const iss = grant?.iss === "/" ? { iss: `${issuer.origin}/` } : {};
  const auth: McpOAuth = {
    type: "oauth",
    store: new MemoryCredentialStore(),
    redirectUri: "https://app.example/callback",
    onAuthorizationUrl: async ({ url }) => issuer.grant(url, { ...grant, ...iss }),
  };
  const failure = await failureOf(connect(server.url, { auth }));
  expect(failure).toMatchObject({
    code: "mcp-authorization",
    cause: { code: "authorization-failed" },
    message: expect.stringMatching(/another authorisation server|does not say who|belongs to no/),
  });
  expect(issuer.to("/token")).toEqual([]);
});

test("an answer is taken once, by the actor and for the server that asked", async () => {
  await using issuer = await OAuthIssuer.start();
  const store = new MemoryCredentialStore();
  const servers = [
    await serveProtected({ issuer: () => issuer }),
    await serveProtected({ issuer: () => issuer }),
  ] as const;
  const at = (actor: string, index: 0 | 1 = 0): McpAuthorization =>
    new McpAuthorization(
      {
        name: "far",
        transport: {
          type: "http",
          url: servers[index].url,
          allowInsecureHttp: true,
          auth: { type: "oauth", store },
        },
      },
      { actor },
    );
  const redirectUri = "https://app.example/callback";
  const failed = { code: "mcp-authorization", cause: { code: "authorization-failed" } };
  const { url } = await at("ann").start({ redirectUri });
  expect(await failureOf(at("bob").finish(issuer.grant(url)))).toMatchObject(failed);
  const second = await at("ann").start({ redirectUri });
  expect(await failureOf(at("ann", 1).finish(issuer.grant(second.url)))).toMatchObject(failed);
  const third = await at("ann").start({ redirectUri });
  const answer = issuer.grant(third.url);
  await at("ann").finish(answer); // in another object, as in another process
  expect(await failureOf(at("ann").finish(answer))).toMatchObject(failed);
  expect(issuer.to("/token")).toHaveLength(1);
  const [{ url: mine }] = servers;
  await call(await connect(mine, { auth: { type: "oauth", store } }, { actor: "ann" }));
  await at("ann").forget();
  const without = connect(mine, { auth: { type: "oauth", store } }, { actor: "ann" });
  expect((await failureOf(without)).code).toBe("mcp-authorization");
});

test("a server that moves to another issuer takes nothing of the old one there: it registers and asks anew", async () => {
  await using old = await OAuthIssuer.start({
    metadata: { token_endpoint_auth_methods_supported: ["client_secret_basic"] },
  });
  await using fresh = await OAuthIssuer.start();
  let issuer = old;
  const server = await serveProtected({ issuer: () => issuer });
  const person = personAt(() => issuer);
  const auth = { ...person.auth, store: new MemoryCredentialStore() };
  const connection = await connect(server.url, { auth });
  await call(connection);
  const before = old.requests.length;
  issuer = fresh;
  expect(await call(connection)).toHaveProperty("content");
  expect(person.asked).toHaveLength(2);
  const given = [...old.requests, ...old.tokens.keys()];
  const secrets = JSON.stringify(given).match(
    /(?:client|access|refresh|registered-secret)-[\w-]{36}/g,
  );
  expect(secrets?.length).toBeGreaterThan(1);
  for (const secret of secrets ?? []) {
    expect(JSON.stringify(fresh.requests)).not.toContain(secret);
  }
  expect(old.requests).toHaveLength(before);
});

test("a client that the configuration names stays with the issuer that it was used with first", async () => {
  await using old = await OAuthIssuer.start({ clients: { desk: "hunter2hunter2" } });
  await using evil = await OAuthIssuer.start({ clients: { desk: "hunter2hunter2" } });
  let issuer = old;
  const server = await serveProtected({ issuer: () => issuer });
  const auth: McpOAuth = {
    type: "oauth",
    grant: "client-credentials",
    clientId: "desk",
    clientSecret: "hunter2hunter2",
    store: new MemoryCredentialStore(),
  };
  const connection = await connect(server.url, { auth });
  await call(connection);
  issuer = evil;
  const failure = await failureOf(call(connection));
  expect(failure.message).toContain("is shown to no other");
  expect(evil.to("/token")).toEqual([]);
});

test("a token is good for one server only, and each gets its own", async () => {
  await using issuer = await OAuthIssuer.start();
  const [one, two] = [
    await serveProtected({ issuer: () => issuer }),
    await serveProtected({ issuer: () => issuer }),
  ];
  const auth = { ...personAt(() => issuer).auth, store: new MemoryCredentialStore() };
  await call(await connect(one.url, { auth }));
  await call(await connect(two.url, { auth }));
  await call(await connect(one.url, { auth }));
  const shown = [one, two].map(
    ({ requests }) => new Set(requests.flatMap(({ headers }) => headers.authorization ?? [])),
  );
  expect(shown.map(({ size }) => size)).toEqual([1, 1]);
  expect(shown[0]).not.toEqual(shown[1]);
  expect([...issuer.tokens.values()].map(({ resource }) => resource)).toEqual([one.url, two.url]);
});

test("a server that refuses every token is given no more than a few", async () => {
  await using issuer = await OAuthIssuer.start();
  const server = await serveProtected({
    issuer: () => issuer,
    intercept: ({ headers }, response) => {
      const isShown = headers.authorization !== undefined;
      if (isShown) {
        response.writeHead(401, { "www-authenticate": "Bearer error=invalid_token" }).end();
      }
      return isShown;
    },
  });
  const person = personAt(() => issuer);
  const auth = { ...person.auth, store: new MemoryCredentialStore() };
  expect((await failureOf(connect(server.url, { auth }))).code).toBe("mcp-authorization");
  expect(person.asked).toHaveLength(2);
  expect(issuer.tokens.size).toBe(4); // each of two grants, and its renewal
});

test("no redirect carries a token to another origin", async () => {
  await using issuer = await OAuthIssuer.start();
  const other = await serve();
  let away = false;
  const server = await serveProtected({
    issuer: () => issuer,
    intercept: (_request, response) => {
      if (away) {
        response.writeHead(307, { location: other.url }).end();
      }
      return away;
    },
  });
  const auth = { ...personAt(() => issuer).auth, store: new MemoryCredentialStore() };
  const connection = await connect(server.url, { auth });
  away = true;
  expect((await failureOf(call(connection))).message).toContain("another origin");
  expect(other.requests).toEqual([]);
});

test("a token request that is redirected is not sent again", async () => {
  const seen: string[] = [];
  await using other = await startHttp((incoming, response) => {
    seen.push(incoming.url ?? "");
    response.end();
  });
  await using issuer = await OAuthIssuer.start({
    intercept: (path, response) => {
      if (path === "/token") {
        response.writeHead(307, { location: other.origin }).end();
      }
      return path === "/token";
    },
  });
  const server = await serveProtected({ issuer: () => issuer });
  const auth = { ...personAt(() => issuer).auth, store: new MemoryCredentialStore() };
  expect((await failureOf(connect(server.url, { auth }))).code).toBe("mcp-authorization");
  expect(seen).toEqual([]);
});

/** Ways in which access fails late, when secrets are known. */
const failures: Readonly<Record<string, (issuer: OAuthIssuer) => void>> = {
  "the authorisation server refuses the client": (issuer) => issuer.forgetClients(),
  "everything was taken back": (issuer) => issuer.revokeAll(),
  "the authorisation server breaks": (issuer) => {
    issuer.behaviour = {
      intercept: (_path, response) => {
        response.writeHead(500).end("no");
        return true;
      },
    };
  },
  "the authorisation server speaks nonsense": (issuer) => {
    issuer.behaviour = {
      intercept: (path, response) => {
        if (path === "/token") {
          response.end(`{"access_token": ${JSON.stringify([...issuer.tokens.keys()])}}`);
        }
        return path === "/token";
      },
    };
  },
};

test.each(Object.entries(failures))(
  "no token, code or secret stands in an error where %s",
  async (_name, spoil) => {
    await using issuer = await OAuthIssuer.start({
      metadata: { token_endpoint_auth_methods_supported: ["client_secret_post"] },
    });
    const server = await serveProtected({ issuer: () => issuer });
    const store = new MemoryCredentialStore();
    const person = personAt(() => issuer);
    const first = await connect(server.url, { auth: { ...person.auth, store } });
    await call(first);
    const tokens = [...issuer.tokens.keys()];
    issuer.revokeTokens();
    spoil(issuer);
    const second = connect(server.url, { auth: { type: "oauth", store } });
    const failure = await failureOf(second);
    const shown = `${inspect(failure, { depth: 12, showHidden: true })} ${stacksOf(failure)} ${JSON.stringify(failure)}`;
    const secrets = JSON.stringify([issuer.requests, tokens]).match(
      /(?:code|access|refresh|registered-secret)-[\w-]{36}/g,
    );
    expect(secrets?.length).toBeGreaterThan(2);
    for (const secret of secrets ?? []) {
      expect(shown).not.toContain(secret);
    }
  },
);

const stacksOf = (error: unknown): string =>
  error instanceof Error ? `${error.stack} ${stacksOf(error.cause)}` : "";
