import { inspect } from "node:util";
import { expect, test } from "vitest";
import { failureOf } from "../../test/failure-of.ts";
import { startHttp } from "../../test/loopback.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { Secret } from "../base/secret.ts";
import { HttpClient } from "../http/http-client.ts";
import type { CredentialDefinition } from "./credential-definition.ts";
import { Credentials } from "./credentials.ts";

const revealed = (secrets: Readonly<Record<string, Secret>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(secrets).map(([name, secret]) => [name, secret.reveal()]));

const one = (definition: CredentialDefinition): Credentials =>
  new Credentials({ definitions: { one: definition } });

const bearer = { authorization: "Bearer v" };

test.each<[string, CredentialDefinition, object, object]>([
  ["an API key", { kind: "api-key", value: "v" }, { "x-api-key": "v" }, {}],
  [
    "an API key in its own header",
    { kind: "api-key", value: "v", name: "X-Mine" },
    { "x-mine": "v" },
    {},
  ],
  [
    "an API key in the query",
    { kind: "api-key", value: "v", in: "query", name: "appid" },
    {},
    { appid: "v" },
  ],
  [
    "an API key in a cookie",
    { kind: "api-key", value: "v;w", in: "cookie", name: "sid" },
    { cookie: "sid=v%3Bw" },
    {},
  ],
  ["a bearer token", { kind: "bearer", token: new Secret("v") }, bearer, {}],
  ["a token that a function finds", { kind: "bearer", token: async () => "v" }, bearer, {}],
  [
    "a password",
    { kind: "basic", username: "ann", password: "pä:ss" },
    { authorization: `Basic ${Buffer.from("ann:pä:ss").toString("base64")}` },
    {},
  ],
])("L-H18: %s becomes what the request needs", async (_name, definition, headers, query) => {
  const credential = await one(definition).credential("one");
  expect(revealed(credential.headers)).toEqual(headers);
  expect(revealed(credential.query)).toEqual(query);
});

test("a function gives each actor's own secret, anew each time", async () => {
  let count = 0;
  const token = ({ actor }: { readonly actor?: string }): string => {
    count += 1;
    return `${actor}-${count}`;
  };
  const credentials = one({ kind: "bearer", token });
  const ann = await credentials.credential("one", { actor: "ann" });
  expect(ann.secret.reveal()).toBe("ann-1");
  expect((await credentials.credential("one", { actor: "bob" })).secret.reveal()).toBe("bob-2");
  expect((await ann.renew()).secret.reveal()).toBe("ann-3");
});

test("a credential does not show its secrets, and an HttpClient takes it as it is", async () => {
  await using server = await startHttp((incoming, response) =>
    response.end(`${incoming.url} ${incoming.headers.authorization}`),
  );
  const credentials = new Credentials({
    definitions: {
      head: { kind: "bearer", token: "hunter2" },
      query: { kind: "api-key", in: "query", value: "hunter3" },
    },
  });
  const head = await credentials.credential("head");
  const query = await credentials.credential("query");
  for (const shown of [head, query, credentials].map(
    (value) => inspect(value, { depth: 9, showHidden: true }) + JSON.stringify(value),
  )) {
    expect(shown).not.toMatch(/hunter/);
  }
  const client = new HttpClient({ baseUrl: server.origin });
  const { headers } = head;
  expect((await client.get("/", { headers, query: query.query })).body).toBe(
    "/?api_key=hunter3 Bearer hunter2",
  );
});

test("an unknown name is a ConfigurationError that lists the known ones", async () => {
  const error = await failureOf(one({ kind: "bearer", token: "v" }).credential("two"));
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error).toMatchObject({ message: 'There is no credential "two". Defined: one.' });
});
