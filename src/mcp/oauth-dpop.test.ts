import { createHash, createPublicKey, type JsonWebKey, verify } from "node:crypto";
import { expect, test } from "vitest";
import { call, connect, failureOf } from "../../test/fixtures/mcp/http-peer.ts";
import { OAuthIssuer } from "../../test/fixtures/mcp/oauth-issuer.ts";
import { personAt, serveProtected } from "../../test/fixtures/mcp/oauth-peer.ts";
import { MemoryCredentialStore } from "../credentials/memory-credential-store.ts";

interface Proof {
  readonly header: { readonly typ: string; readonly alg: string; readonly jwk: JsonWebKey };
  readonly claims: Readonly<Record<string, unknown>>;
}

/** A proof whose signature is right. */
function read(proof: string): Proof {
  const [header = "", claims = "", signature = ""] = proof.split(".");
  const parse = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());
  const { jwk } = parse(header);
  const key = {
    key: createPublicKey({ key: jwk, format: "jwk" }),
    dsaEncoding: "ieee-p1363",
  } as const;
  const signed = Buffer.from(`${header}.${claims}`);
  expect(verify("sha256", signed, key, Buffer.from(signature, "base64url"))).toBe(true);
  return { header: parse(header), claims: parse(claims) };
}

test("with dpop each request proves that its token is ours, by the key that it was asked for with", async () => {
  await using issuer = await OAuthIssuer.start({ tokenType: "DPoP" });
  let wantsNonce = false;
  const server = await serveProtected({
    issuer: () => issuer,
    intercept: ({ headers }, response) => {
      const { nonce } = headers["dpop"]
        ? read(String(headers["dpop"])).claims
        : { nonce: undefined };
      const isRefused = wantsNonce && nonce !== "n-1";
      if (isRefused) {
        const challenge = 'DPoP error="use_dpop_nonce"';
        response.writeHead(401, { "www-authenticate": challenge, "dpop-nonce": "n-1" }).end();
      }
      return isRefused;
    },
  });
  const store = new MemoryCredentialStore();
  const person = personAt(() => issuer);
  await call(await connect(server.url, { auth: { ...person.auth, store, dpop: true } }));
  wantsNonce = true;
  await call(await connect(server.url, { auth: { ...person.auth, store, dpop: true } }));
  const { header: asked } = read(issuer.to("/token")[0]?.dpop ?? "");
  const [token = ""] = issuer.tokens.keys();
  const shown = server.requests.filter(({ headers }) => headers.authorization !== undefined);
  const proofs = shown.map(({ headers }) => read(String(headers["dpop"])));
  expect(new Set(shown.map(({ headers }) => headers.authorization))).toEqual(
    new Set([`DPoP ${token}`]),
  );
  expect(new Set(proofs.map(({ claims }) => claims["jti"])).size).toBe(shown.length);
  for (const { header, claims } of proofs) {
    expect(header).toEqual({ typ: "dpop+jwt", alg: "ES256", jwk: asked.jwk });
    expect(header.jwk).not.toHaveProperty("d");
    const ath = createHash("sha256").update(token).digest("base64url");
    expect(claims).toMatchObject({
      htu: server.url,
      ath,
      htm: expect.stringMatching(/POST|GET|DELETE/),
    });
  }
  expect(person.asked).toHaveLength(1);
});

test("with dpop a token that is not bound is not taken", async () => {
  await using issuer = await OAuthIssuer.start();
  const server = await serveProtected({ issuer: () => issuer });
  const { auth } = personAt(() => issuer);
  const store = new MemoryCredentialStore();
  const failure = await failureOf(connect(server.url, { auth: { ...auth, store, dpop: true } }));
  expect(failure.message).toContain("is not bound to our key");
});
