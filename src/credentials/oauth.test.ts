import { inspect } from "node:util";
import { expect, test } from "vitest";
import {
  type AuthorizationServer,
  startAuthorizationServer,
} from "../../test/authorization-server.ts";
import { failureOf } from "../../test/failure-of.ts";
import type { Credential } from "../base/credential.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import type { Secret } from "../base/secret.ts";
import { manualClock } from "../testing/manual-clock.ts";
import type { CredentialDefinition, OAuth2Definition } from "./credential-definition.ts";
import { Credentials } from "./credentials.ts";
import { MemoryCredentialStore } from "./memory-credential-store.ts";

const revealed = (secrets: Readonly<Record<string, Secret>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(secrets).map(([name, secret]) => [name, secret.reveal()]));

const one = (definition: CredentialDefinition): Credentials =>
  new Credentials({ definitions: { one: definition } });

const clientOf = (
  server: AuthorizationServer,
  changes: Partial<OAuth2Definition> = {},
): OAuth2Definition => ({
  kind: "oauth2",
  grant: "client-credentials",
  tokenUrl: `${server.origin}/token`,
  authorizationUrl: `${server.origin}/authorize?tenant=1`,
  clientId: "client",
  clientSecret: "hunter2",
  scopes: ["read", "write"],
  allowInsecureHttp: true,
  ...changes,
});

const tokenOf = async (credential: Promise<Credential>): Promise<string> =>
  (await credential).secret.reveal();

test("client credentials are exchanged for a token, which is kept until a minute before it expires", async () => {
  await using server = await startAuthorizationServer({ expiresIn: 600 });
  const clock = manualClock(Date.now());
  const definitions = { api: clientOf(server, { parameters: { audience: "x" } }) };
  const credentials = new Credentials({ definitions, clock });
  expect(revealed((await credentials.credential("api")).headers)).toEqual({
    authorization: "Bearer access-1",
  });
  clock.advance(539_000);
  expect(await tokenOf(credentials.credential("api"))).toBe("access-1");
  clock.advance(2_000);
  expect(await tokenOf(credentials.credential("api"))).toBe("access-2");
  expect(server.requests[0]).toEqual({
    grant_type: "client_credentials",
    scope: "read write",
    audience: "x",
    authorization: `Basic ${btoa("client:hunter2")}`,
  });
});

test("a client secret can be sent in the body", async () => {
  await using server = await startAuthorizationServer();
  const definitions = { api: clientOf(server, { clientAuthentication: "post" }) };
  await new Credentials({ definitions }).credential("api");
  expect(server.requests[0]).toMatchObject({ client_secret: "hunter2", authorization: "" });
});

test("however many ask at once, one request is made", async () => {
  await using server = await startAuthorizationServer();
  const credentials = new Credentials({ definitions: { api: clientOf(server) } });
  const tokens = await Promise.all(
    Array.from({ length: 20 }, (_none, index) =>
      tokenOf(credentials.credential("api", { actor: `actor-${index}` })),
    ),
  );
  expect(new Set(tokens)).toEqual(new Set(["access-1"]));
  expect(server.requests).toHaveLength(1);
});

test("however many ask at once, a server that fails is asked once", async () => {
  await using server = await startAuthorizationServer();
  server.fail({ status: 500, body: "" });
  const credentials = new Credentials({ definitions: { api: clientOf(server) } });
  const asking = Array.from({ length: 20 }, () => failureOf(credentials.credential("api")));
  for (const error of await Promise.all(asking)) {
    expect(error).toMatchObject({ code: "token-refused" });
  }
  expect(server.requests).toHaveLength(1);
});

test("one who gives up does not end the request for those who wait", async () => {
  await using server = await startAuthorizationServer();
  const credentials = new Credentials({ definitions: { api: clientOf(server) } });
  const abort = new AbortController();
  const first = failureOf(credentials.credential("api", { signal: abort.signal }));
  const second = tokenOf(credentials.credential("api"));
  abort.abort("enough");
  expect(await first).toBe("enough");
  expect(await second).toBe("access-1");
});

test("tokens that the peer refuses are renewed once, whoever noticed it", async () => {
  await using server = await startAuthorizationServer();
  const credentials = new Credentials({ definitions: { api: clientOf(server) } });
  const [a, b] = [await credentials.credential("api"), await credentials.credential("api")];
  expect(await tokenOf(a.renew())).toBe("access-2");
  expect(await tokenOf(b.renew())).toBe("access-2");
  expect(server.requests).toHaveLength(2);
});

const redirectUri = "http://127.0.0.1:8080/callback?from=1";

test("what a person grants is exchanged with PKCE, kept for that actor, and renewed", async () => {
  await using server = await startAuthorizationServer({ expiresIn: 600 });
  const clock = manualClock(Date.now());
  const calendar = clientOf(server, {
    grant: "authorization-code",
    authorizationParameters: { access_type: "offline" },
  });
  const credentials = new Credentials({ definitions: { calendar }, clock });
  const ann = { actor: "ann" };
  const missing = { code: "authorization-required" };
  expect(await failureOf(credentials.credential("calendar", ann))).toMatchObject(missing);

  const { url } = await credentials.startAuthorization("calendar", { redirectUri, ...ann });
  expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({
    tenant: "1",
    response_type: "code",
    client_id: "client",
    redirect_uri: redirectUri,
    scope: "read write",
    code_challenge_method: "S256",
    access_type: "offline",
  });
  expect(await credentials.finishAuthorization(server.grant(url), ann)).toEqual({
    name: "calendar",
  });
  expect(await tokenOf(credentials.credential("calendar", ann))).toBe("access-1");
  expect(await failureOf(credentials.credential("calendar", { actor: "bob" }))).toMatchObject(
    missing,
  );
  expect(await failureOf(credentials.credential("calendar"))).toMatchObject(missing);

  clock.advance(600_000);
  const tokens = await Promise.all(
    [1, 2, 3].map(() => tokenOf(credentials.credential("calendar", ann))),
  );
  expect(tokens).toEqual(["access-2", "access-2", "access-2"]);
  clock.advance(600_000); // the second refresh token is the one that came with the first renewal
  expect(await tokenOf(credentials.credential("calendar", ann))).toBe("access-3");

  await credentials.forget("calendar", ann);
  expect(await failureOf(credentials.credential("calendar", ann))).toMatchObject(missing);
});

test("a grant that was taken back is forgotten, and the actor is to authorise again", async () => {
  await using server = await startAuthorizationServer();
  const definitions = { calendar: clientOf(server, { grant: "authorization-code" }) };
  const credentials = new Credentials({ definitions });
  const { url } = await credentials.startAuthorization("calendar", { redirectUri });
  await credentials.finishAuthorization(server.grant(url));
  const credential = await credentials.credential("calendar");
  server.fail({ status: 400, body: '{"error":"invalid_grant","error_description":"hunter2"}' });
  const error = await failureOf(credential.renew());
  expect(error).toMatchObject({ code: "authorization-required" });
  expect(inspect(error, { depth: 9 })).not.toContain("hunter2");
  await failureOf(credentials.credential("calendar"));
  expect(server.requests).toHaveLength(2); // no third try with a token that is gone
});

test("a token that still holds is used while the authorisation server cannot be reached", async () => {
  await using server = await startAuthorizationServer({ expiresIn: 600 });
  const clock = manualClock(Date.now());
  const credentials = new Credentials({ definitions: { api: clientOf(server) }, clock });
  const credential = await credentials.credential("api");
  server.fail("reset");
  clock.advance(570_000);
  expect(await tokenOf(credentials.credential("api"))).toBe("access-1");
  expect(await failureOf(credential.renew())).toMatchObject({ code: "tool-network" });
  clock.advance(31_000);
  expect(await failureOf(credentials.credential("api"))).toMatchObject({ code: "tool-network" });
});

test("an authorisation is finished once, in time, and for the actor who began it", async () => {
  await using server = await startAuthorizationServer();
  const clock = manualClock(Date.now());
  const definitions = { calendar: clientOf(server, { grant: "authorization-code" }) };
  const credentials = new Credentials({ definitions, clock });
  const begin = async (): Promise<string> =>
    server.grant(
      (await credentials.startAuthorization("calendar", { redirectUri, actor: "ann" })).url,
    );
  const wrong = { code: "authorization-failed" };
  const finish = (answer: string, actor = "ann"): Promise<unknown> =>
    credentials.finishAuthorization(answer, { actor });

  expect(await failureOf(finish(await begin(), "mallory"))).toMatchObject(wrong);
  const answer = await begin();
  await finish(answer);
  expect(await failureOf(finish(answer))).toMatchObject(wrong);
  const late = await begin();
  clock.advance(10 * 60_000);
  expect(await failureOf(finish(late))).toMatchObject(wrong);
  expect(await failureOf(finish(`${redirectUri}&code=x&state=guessed`))).toMatchObject(wrong);
  expect(await failureOf(finish("not a url"))).toMatchObject(wrong);
  expect(server.requests).toHaveLength(1);
});

test("the issuer of an answer is compared where it is known, and what nobody asked for is left aside", async () => {
  await using server = await startAuthorizationServer();
  const grant = "authorization-code";
  // With a nonce the server adds an ID token, as some do to plain OAuth.
  const authorizationParameters = { nonce: "n" };
  const definitions = {
    loose: clientOf(server, { grant, authorizationParameters }),
    strict: clientOf(server, { grant, issuer: server.origin }),
  };
  const credentials = new Credentials({ definitions });
  const finish = async (name: string, issuer: string): Promise<unknown> => {
    const { url } = await credentials.startAuthorization(name, { redirectUri });
    return credentials.finishAuthorization(`${server.grant(url)}&iss=${issuer}`);
  };
  expect(await finish("loose", "https://other.example")).toEqual({ name: "loose" });
  expect(await finish("strict", server.origin)).toEqual({ name: "strict" });
  expect(await failureOf(finish("strict", "https://other.example"))).toMatchObject({
    code: "authorization-failed",
  });
});

test("an answer that says no is an authorisation that failed", async () => {
  await using server = await startAuthorizationServer();
  const definitions = { calendar: clientOf(server, { grant: "authorization-code" }) };
  const credentials = new Credentials({ definitions });
  const { url } = await credentials.startAuthorization("calendar", { redirectUri });
  const state = new URL(url).searchParams.get("state");
  const answer = `${redirectUri}&error=access_denied&state=${state}&error_description=hunter2`;
  const error = await failureOf(credentials.finishAuthorization(answer));
  expect(error).toMatchObject({
    code: "authorization-failed",
    message: expect.stringContaining("access_denied"),
  });
  expect(inspect(error, { depth: 9 })).not.toContain("hunter2");
});

test.each([
  [
    { status: 401, body: '{"error":"invalid_client","client_secret":"hunter2"}' },
    "invalid_client",
    "client-refused",
  ],
  [{ status: 200, body: '{"access_token":"hunter2"}' }, "OAUTH_INVALID_RESPONSE"],
  [{ status: 200, body: "<html>hunter2</html>" }, "OAUTH_PARSE_ERROR"],
  [{ status: 400, body: '{"error":"hunter_two"}' }, "OAUTH_RESPONSE_BODY_ERROR"],
  [{ status: 302, body: "" }, "OAUTH_"],
])(
  "an authorisation server that answers %j is an error without its words",
  async (answer, reason, code = "token-refused") => {
    await using server = await startAuthorizationServer();
    server.fail(answer);
    const credentials = new Credentials({ definitions: { api: clientOf(server) } });
    const error = await failureOf(credentials.credential("api"));
    expect(error).toMatchObject({ code, message: expect.stringContaining(reason) });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/hunter/);
  },
);

test("without allowInsecureHttp an http: endpoint is refused", async () => {
  await using server = await startAuthorizationServer();
  const definitions = {
    api: clientOf(server, { allowInsecureHttp: false }),
    calendar: clientOf(server, { allowInsecureHttp: false, grant: "authorization-code" }),
  };
  const credentials = new Credentials({ definitions });
  expect(await failureOf(credentials.credential("api"))).toMatchObject({
    message: expect.stringContaining("OAUTH_HTTP_REQUEST_FORBIDDEN"),
  });
  const starting = credentials.startAuthorization("calendar", { redirectUri });
  expect(await failureOf(starting)).toBeInstanceOf(ConfigurationError);
  expect(server.requests).toHaveLength(0);
});

const openId = (
  server: AuthorizationServer,
  grant: "authorization-code" | "client-credentials" = "authorization-code",
): CredentialDefinition => ({
  kind: "openid-connect",
  issuer: server.origin,
  grant,
  clientId: "client",
  allowInsecureHttp: true,
});

test("an OpenID Connect provider's endpoints are discovered, and its ID token is checked", async () => {
  await using server = await startAuthorizationServer();
  const credentials = one(openId(server));
  const { url } = await credentials.startAuthorization("one", { redirectUri });
  expect(url).toContain(`${server.origin}/authorize?`);
  expect(new URL(url).searchParams.get("scope")).toBe("openid");
  await credentials.finishAuthorization(server.grant(url));
  expect(await tokenOf(credentials.credential("one"))).toBe("access-1");
  expect(server.requests[0]).toMatchObject({ client_id: "client", authorization: "" });
});

test.each([
  ["nonce", { nonce: "other" }],
  ["issuer", { iss: "https://other.example" }],
  ["audience", { aud: "other" }],
  ["expiry", { exp: 1 }],
])("an ID token with a wrong %s is refused", async (_name, claims) => {
  await using server = await startAuthorizationServer({ claims });
  const credentials = one(openId(server));
  const { url } = await credentials.startAuthorization("one", { redirectUri });
  const error = await failureOf(credentials.finishAuthorization(server.grant(url)));
  expect(error).toMatchObject({ code: "token-refused" });
  expect(await failureOf(credentials.credential("one"))).toMatchObject({
    code: "authorization-required",
  });
});

test("a discovery document of another issuer is refused", async () => {
  await using server = await startAuthorizationServer({
    metadata: { issuer: "https://other.example" },
  });
  const error = await failureOf(one(openId(server, "client-credentials")).credential("one"));
  expect(error).toMatchObject({ code: "token-refused" });
});

test("an endpoint that a discovery document names elsewhere must be public", async () => {
  await using inside = await startAuthorizationServer();
  const token_endpoint = inside.origin.replace("127.0.0.1", "127.0.0.2");
  await using server = await startAuthorizationServer({ metadata: { token_endpoint } });
  const error = await failureOf(one(openId(server, "client-credentials")).credential("one"));
  expect(error).toMatchObject({ code: "tool-address-refused" });
});

test("two sets of credentials that share a store share its tokens, and spend a refresh token once", async () => {
  await using server = await startAuthorizationServer({ expiresIn: 600 });
  const clock = manualClock(Date.now());
  const store = new MemoryCredentialStore({ clock });
  const definitions = { calendar: clientOf(server, { grant: "authorization-code" }) };
  const [a, b] = [1, 2].map(() => new Credentials({ definitions, store, clock })) as [
    Credentials,
    Credentials,
  ]; // two of two
  const { url } = await a.startAuthorization("calendar", { redirectUri });
  await b.finishAuthorization(server.grant(url));
  clock.advance(600_000);
  const tokens = await Promise.all([a, b].map((each) => tokenOf(each.credential("calendar"))));
  expect(tokens).toEqual(["access-2", "access-2"]);
});
