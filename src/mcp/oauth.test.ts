import { join } from "node:path";
import { expect, test } from "vitest";
import { agentOf, modelOf } from "../../test/agent-fixture.ts";
import { CliFolder } from "../../test/cli-fixture.ts";
import { call, connect, failureOf } from "../../test/fixtures/mcp/http-peer.ts";
import { OAuthIssuer } from "../../test/fixtures/mcp/oauth-issuer.ts";
import { personAt, serveProtected, tokensShown } from "../../test/fixtures/mcp/oauth-peer.ts";
import { startProxy } from "../../test/proxy.ts";
import { EncryptedFileStore } from "../credentials/encrypted-file-store.ts";
import { MemoryCredentialStore } from "../credentials/memory-credential-store.ts";
import { manualClock } from "../testing/manual-clock.ts";
import type { McpOAuth } from "../tool/mcp-oauth.ts";
import type { McpConnection } from "./connection/mcp-connection.ts";
import { mcpToolset } from "./toolset/mcp-toolset.ts";

/** A server, its issuer, a person who grants all, and a store. */
async function world() {
  const issuer = await OAuthIssuer.start();
  const server = await serveProtected({ issuer: () => issuer });
  const person = personAt(() => issuer);
  const store = new MemoryCredentialStore();
  const auth: McpOAuth = { ...person.auth, store };
  return {
    issuer,
    server,
    person,
    store,
    auth,
    [Symbol.asyncDispose]: () => issuer[Symbol.asyncDispose](),
  };
}

test("a server that wants access is asked who gives it, and a person grants it with PKCE", async () => {
  await using here = await world();
  const { issuer, server, person, auth } = here;
  const connection = await connect(server.url, { auth });
  expect(await call(connection)).toHaveProperty("content");
  expect(person.asked).toHaveLength(1);
  const [registration] = issuer.to("/register");
  expect(registration?.sent).toMatchObject({
    client_name: "Dragoman",
    redirect_uris: ["https://app.example/callback"],
    grant_types: ["authorization_code", "refresh_token"],
    application_type: "web",
    token_endpoint_auth_method: "none",
  });
  const [asked] = issuer.to("/authorize");
  expect(asked?.sent).toMatchObject({
    response_type: "code",
    code_challenge_method: "S256",
    resource: server.url,
  });
  const [token] = issuer.to("/token");
  expect(token?.sent).toMatchObject({ grant_type: "authorization_code", resource: server.url });
});

test("what was granted serves every later connection of the same actor, without asking", async () => {
  await using here = await world();
  const { issuer, server, person, auth } = here;
  await call(await connect(server.url, { auth }));
  const before = issuer.requests.length;
  await call(await connect(server.url, { auth }));
  expect(person.asked).toHaveLength(1);
  expect(issuer.requests).toHaveLength(before);
});

test("two actors never share a token: each is asked, also side by side", async () => {
  await using here = await world();
  const { server, person, auth } = here;
  const [ann, bob] = await Promise.all([
    connect(server.url, { auth }, { actor: "ann" }),
    connect(server.url, { auth }, { actor: "bob" }),
  ]);
  await call(ann);
  await call(bob);
  await call(await connect(server.url, { auth }, { actor: "ann" }));
  expect(person.asked.map(({ actor }) => actor).toSorted()).toEqual(["ann", "bob"]);
  const [first, second, third] = tokensShown(server);
  expect(first).not.toBe(second);
  expect(third).toBe(first);
});

test("many who want the same access at once ask one person one question", async () => {
  await using here = await world();
  const { issuer, server, person, auth } = here;
  const connections = await Promise.all(
    Array.from({ length: 8 }, () => connect(server.url, { auth }, { actor: "ann" })),
  );
  await Promise.all(connections.map((connection) => call(connection)));
  expect(person.asked).toHaveLength(1);
  expect(issuer.to("/token")).toHaveLength(1);
});

test("fifty calls that meet a token which is good no longer renew it once, and all succeed", async () => {
  await using here = await world();
  const { issuer, server, person, auth } = here;
  const connections = await Promise.all([1, 2].map(() => connect(server.url, { auth })));
  issuer.revokeTokens();
  const results = await Promise.all(
    Array.from({ length: 50 }, (_none, index) => call(connections[index % 2] ?? never())),
  );
  expect(results).toHaveLength(50);
  const grants = issuer.to("/token").map(({ sent }) => sent["grant_type"]);
  expect(grants).toEqual(["authorization_code", "refresh_token"]);
  expect(issuer.to("/token")[1]?.sent).toMatchObject({ resource: server.url });
  expect(person.asked).toHaveLength(1);
});

const never = (): never => {
  throw new Error("there are two connections");
};

test("a token is renewed before it expires, each time with the newest refresh token", async () => {
  await using here = await world();
  const { issuer, server, person, auth } = here;
  issuer.behaviour = { expiresIn: 600 };
  const clock = manualClock(Date.now());
  const connection = await connect(server.url, { auth }, { clock });
  for (const _turn of [1, 2, 3]) {
    clock.advance(545_000);
    await call(connection);
  }
  const grants = issuer.to("/token").map(({ sent }) => sent["grant_type"]);
  expect(grants).toEqual(["authorization_code", ...Array(3).fill("refresh_token")]);
  expect(server.requests.filter(({ headers }) => headers.authorization === undefined)).toHaveLength(
    3,
  );
  expect(person.asked).toHaveLength(1);
});

test("a grant that was taken back is asked for again", async () => {
  await using here = await world();
  const { issuer, server, person, auth } = here;
  const connection = await connect(server.url, { auth });
  issuer.revokeAll();
  expect(await call(connection)).toHaveProperty("content");
  expect(person.asked).toHaveLength(2);
});

test("a client that the authorisation server has forgotten registers itself again", async () => {
  await using here = await world();
  const { issuer, server, person, auth } = here;
  const connection = await connect(server.url, { auth });
  issuer.revokeTokens();
  issuer.forgetClients();
  expect(await call(connection)).toHaveProperty("content");
  expect(person.asked).toHaveLength(2);
  expect(issuer.to("/register")).toHaveLength(2);
});

test("more access is asked for when a call needs it, together with what was granted before", async () => {
  await using here = await world();
  const { issuer, person, store } = here;
  const server = await serveProtected({
    issuer: () => issuer,
    resource: { scopes_supported: ["read"] },
    needs: ({ message }) => (message?.["method"] === "tools/call" ? ["write"] : ["read"]),
  });
  const connection = await connect(server.url, { auth: { ...person.auth, store } });
  expect(await call(connection)).toHaveProperty("content");
  expect(person.asked.map(({ scopes }) => scopes)).toEqual([["read"], ["read", "write"]]);
  expect(
    server.requests.filter(({ message }) => message?.["method"] === "tools/call"),
  ).toHaveLength(2);
});

test("a server that is never content is not asked for ever, and later calls do not ask again", async () => {
  await using here = await world();
  const { issuer, person, store } = here;
  const server = await serveProtected({
    issuer: () => issuer,
    needs: ({ message }) => (message?.["method"] === "tools/call" ? ["moon"] : []),
    intercept: () => {
      for (const [token, what] of issuer.tokens) {
        issuer.tokens.set(token, { ...what, scopes: [] }); // the scope is never granted
      }
      return false;
    },
  });
  const connection = await connect(server.url, { auth: { ...person.auth, store } });
  const first = await failureOf(call(connection));
  expect(first).toMatchObject({ code: "mcp-authorization", status: 403 });
  expect(first.message).toContain("it wants moon");
  expect(person.asked).toHaveLength(2);
  expect((await failureOf(call(connection))).code).toBe("mcp-authorization");
  expect(person.asked).toHaveLength(2);
});

test("the time that a person takes is not the server's", async () => {
  await using here = await world();
  const { issuer, server, store } = here;
  const clock = manualClock(Date.now());
  const auth: McpOAuth = {
    type: "oauth",
    store,
    redirectUri: "https://app.example/callback",
    async onAuthorizationUrl({ url }) {
      clock.advance(120_000); // the time limit of the connection is 10 seconds
      return issuer.grant(url);
    },
  };
  expect(await call(await connect(server.url, { auth }, { clock }))).toHaveProperty("content");
});

test("after ten minutes nobody waits any longer", async () => {
  await using here = await world();
  const { server, store } = here;
  const clock = manualClock(Date.now());
  const signals: AbortSignal[] = [];
  const auth: McpOAuth = {
    type: "oauth",
    store,
    onAuthorizationUrl({ signal }) {
      signals.push(signal);
      clock.advance(600_000);
    },
  };
  const failure = await failureOf(connect(server.url, { auth }, { clock }));
  expect(failure.message).toContain("Nobody has granted access within ten minutes");
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

test("whoever stops waiting for a person ends the question", async () => {
  await using here = await world();
  const { server, store } = here;
  const stop = new AbortController();
  const listeners: string[] = [];
  const auth: McpOAuth = {
    type: "oauth",
    store,
    onAuthorizationUrl({ url }) {
      listeners.push(new URL(url).searchParams.get("redirect_uri") ?? "");
      stop.abort(new Error("enough"));
    },
  };
  await expect(connect(server.url, { auth }, { signal: stop.signal })).rejects.toThrow("enough");
  const [listener = ""] = listeners;
  await expect.poll(() => fetch(listener).catch(() => "closed")).toBe("closed");
});

test("without a redirect URI the answer is awaited on this machine", async () => {
  await using here = await world();
  const { issuer, server, store } = here;
  const pages: string[] = [];
  const auth: McpOAuth = {
    type: "oauth",
    store,
    async onAuthorizationUrl({ url }) {
      pages.push(await (await fetch(issuer.grant(url))).text());
    },
  };
  expect(await call(await connect(server.url, { auth }))).toHaveProperty("content");
  expect(pages[0]).toContain("Access was granted.");
  expect(issuer.to("/register")[0]?.sent).toMatchObject({ application_type: "native" });
});

test("where nobody can be asked, the error says what to do", async () => {
  await using here = await world();
  const { issuer, server, store } = here;
  const failure = await failureOf(connect(server.url, { auth: { type: "oauth", store } }));
  expect(failure).toMatchObject({ code: "mcp-authorization", status: 401 });
  expect(failure.message).toContain("dragoman mcp login");
  expect(issuer.to("/register")).toHaveLength(0);
});

test("what onAuthorizationUrl throws is the application's, and no failure of the server", async () => {
  await using here = await world();
  const { server, store } = here;
  const auth: McpOAuth = {
    type: "oauth",
    store,
    onAuthorizationUrl() {
      throw new TypeError("no window");
    },
  };
  await expect(connect(server.url, { auth })).rejects.toMatchObject({
    name: "ConfigurationError",
    cause: { message: "no window" },
  });
});

test("a person who says no is an error that says so", async () => {
  await using here = await world();
  const { issuer, server, store, person } = here;
  const auth: McpOAuth = {
    ...person.auth,
    store,
    onAuthorizationUrl: ({ url }) => issuer.grant(url, { error: "access_denied" }),
  };
  const failure = await failureOf(connect(server.url, { auth }));
  expect(failure).toMatchObject({
    code: "mcp-authorization",
    message: expect.stringContaining("access_denied"),
    cause: { code: "authorization-failed" },
  });
});

test("the tools of a run act with the access of the run's actor", async () => {
  await using here = await world();
  const { server, person, auth } = here;
  const transport = { type: "http", url: server.url, allowInsecureHttp: true, auth } as const;
  const toolset = mcpToolset({ name: "far", transport });
  for (const actor of ["ann", "bob", "ann"]) {
    const model = modelOf({ calls: [{ name: "echo" }] }, "done");
    const agent = agentOf({ model, mcp: [toolset] });
    expect(await agent.ask("Go.", { actor })).toMatchObject({ status: "completed" });
  }
  expect(person.asked.map(({ actor }) => actor)).toEqual(["ann", "bob"]);
  const [first, second, third] = tokensShown(server);
  expect(first).not.toBe(second);
  expect(third).toBe(first);
});

test("processes that share a file of tokens renew one once", async () => {
  await using here = await world();
  const { issuer, server, person } = here;
  using folder = new CliFolder();
  const path = join(folder.path, "credentials");
  const secretKey = "0123456789abcdef0123456789abcdef";
  // Each process has a store of its own, and they share nothing but the file.
  const processes = [1, 2, 3].map(() => new EncryptedFileStore({ path, secretKey }));
  const connections: McpConnection[] = [];
  for (const store of processes) {
    connections.push(await connect(server.url, { auth: { ...person.auth, store } }));
  }
  issuer.revokeTokens();
  await Promise.all(connections.map((connection) => call(connection)));
  const grants = issuer.to("/token").map(({ sent }) => sent["grant_type"]);
  expect(grants).toEqual(["authorization_code", "refresh_token"]);
});

test("the proxy of a transport carries what goes to the authorisation server, too", async () => {
  await using here = await world();
  const { issuer, server, auth } = here;
  await using proxy = await startProxy();
  await connect(server.url, { auth, proxy: proxy.url });
  const host = new URL(issuer.origin).host;
  const sent = proxy.seen.filter((line) => line.includes(host));
  expect(sent.length).toBeGreaterThanOrEqual(issuer.to("/token").length);
  const seen = sent.join(" ");
  expect(seen.includes("/token") || seen.includes(`CONNECT ${host}`)).toBe(true);
});
