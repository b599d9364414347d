import { expect, test } from "vitest";
import { readTokenChallenge } from "./www-authenticate.ts";

test.each([
  ["Bearer", { scheme: "bearer" }],
  [
    'Bearer resource_metadata="https://a.example/x, y", scope="a b"',
    { scheme: "bearer", resourceMetadata: "https://a.example/x, y", scope: "a b" },
  ],
  [
    'Basic realm="say \\"hi\\", Bearer", bearer error=insufficient_scope , scope = "files:write"',
    { scheme: "bearer", error: "insufficient_scope", scope: "files:write" },
  ],
  ['DPoP algs="ES256", Bearer scope="x"', { scheme: "bearer", scope: "x" }],
  ['DPoP error="use_dpop_nonce"', { scheme: "dpop", error: "use_dpop_nonce" }],
  ['Bearer scope="first", scope="second"', { scheme: "bearer", scope: "first" }],
  ['Bearer __proto__="x", constructor="y"', { scheme: "bearer" }],
])("the challenge %s is read", (header, challenge) => {
  expect(readTokenChallenge(header)).toEqual(challenge);
});

test.each([undefined, "", "Basic realm=x", "Negotiate YWJj==", '"', ","])(
  "%s holds no challenge for a token",
  (header) => {
    expect(readTokenChallenge(header)).toBeUndefined();
  },
);

test("a header of any shape is read in linear time", () => {
  const header = `Bearer ${'a="'.repeat(50_000)}${"\\".repeat(50_001)}`;
  expect(readTokenChallenge(header)?.scheme).toBe("bearer");
});
