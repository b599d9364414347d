import { generateKeyPairSync, verify } from "node:crypto";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import { startAuthorizationServer } from "../../test/authorization-server.ts";
import { failureOf } from "../../test/failure-of.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { manualClock } from "../testing/manual-clock.ts";
import type { GoogleServiceAccountDefinition } from "./credential-definition.ts";
import { Credentials } from "./credentials.ts";

const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();

const keyOf = (tokenUrl: string, key = pem): string =>
  JSON.stringify({
    type: "service_account",
    client_email: "robot@project.example",
    private_key: key,
    private_key_id: "key-1",
    token_uri: tokenUrl,
  });

const account = (
  key: string,
  changes: Partial<GoogleServiceAccountDefinition> = {},
): Record<string, GoogleServiceAccountDefinition> => ({
  google: {
    kind: "google-service-account",
    key,
    scopes: ["https://example.test/auth/drive", "https://example.test/auth/mail"],
    allowInsecureHttp: true,
    ...changes,
  },
});

test("a service account's signed assertion is exchanged for a token, which is kept", async () => {
  await using server = await startAuthorizationServer();
  const clock = manualClock(1_800_000_000_000);
  const tokenUrl = `${server.origin}/token`;
  const definitions = account(keyOf(tokenUrl), { subject: "ann@project.example" });
  const credentials = new Credentials({ definitions, clock });
  const { headers } = await credentials.credential("google");
  await credentials.credential("google");
  expect(headers["authorization"]?.reveal()).toBe("Bearer access-1");
  expect(server.requests).toHaveLength(1);

  const { grant_type: grant, assertion = "" } = server.requests[0] ?? {};
  expect(grant).toBe("urn:ietf:params:oauth:grant-type:jwt-bearer");
  const [header = "", claims = "", signature = ""] = assertion.split(".");
  const decode = (part: string): unknown => JSON.parse(Buffer.from(part, "base64url").toString());
  expect(decode(header)).toEqual({ alg: "RS256", typ: "JWT", kid: "key-1" });
  expect(decode(claims)).toEqual({
    iss: "robot@project.example",
    sub: "ann@project.example",
    scope: "https://example.test/auth/drive https://example.test/auth/mail",
    aud: tokenUrl,
    iat: 1_800_000_000,
    exp: 1_800_003_600,
  });
  const signed = Buffer.from(`${header}.${claims}`);
  expect(verify("RSA-SHA256", signed, publicKey, Buffer.from(signature, "base64url"))).toBe(true);
});

test("a refusal is an error without the server's words", async () => {
  await using server = await startAuthorizationServer();
  server.fail({ status: 400, body: '{"error":"invalid_scope","error_description":"hunter2"}' });
  const credentials = new Credentials({ definitions: account(keyOf(`${server.origin}/token`)) });
  const error = await failureOf(credentials.credential("google"));
  expect(error).toMatchObject({
    code: "token-refused",
    message: expect.stringContaining("invalid_scope"),
  });
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("hunter2");
});

test.each([
  ["no JSON", "hunter2"],
  ["a key file without a key", '{"client_email":"hunter2"}'],
  ["a private key that is none", keyOf("https://127.0.0.1:1/", "hunter2")],
])("%s is a ConfigurationError that does not show it", async (_name, key) => {
  const error = await failureOf(
    new Credentials({ definitions: account(key) }).credential("google"),
  );
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("hunter2");
});

test("without allowInsecureHttp an http: token endpoint is refused", async () => {
  await using server = await startAuthorizationServer();
  const definitions = account(keyOf(`${server.origin}/token`), { allowInsecureHttp: false });
  const error = await failureOf(new Credentials({ definitions }).credential("google"));
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(server.requests).toHaveLength(0);
});
