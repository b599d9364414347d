import { expect, test } from "vitest";
import { secretsIn } from "./secret-arguments.ts";

const secret = "hunter-2-hunter";

test.each([
  ["--token", secret],
  ["-token", secret],
  ["--api-key", secret],
  ["--apiKey", secret],
  ["--github.token", secret],
  ["--key", secret],
  ["--password", secret],
  [`--api-key=${secret}`],
  [`--api-key="${secret}"`],
  [`API_KEY=${secret}`],
  ["-e", `GITHUB_TOKEN=${secret}`],
  [`--env=DB_PASSWORD=${secret}`],
  ["--header", `Authorization: Bearer ${secret}`],
  ["-H", `x-api-key:${secret}`],
  [`postgres://me:${secret}@db.example/sales`],
  [`--db=postgres://me:${secret}@db.example/sales`],
  [`https://mcp.example/sse?api_key=${secret}`],
  ["-c", `server --token ${secret} --verbose`],
  ["-c", `TOKEN='${secret}' server`],
])("the secret of %j is found", (...args) => {
  expect(secretsIn(["server.js", ...args, "--verbose"])).toContain(secret);
});

test.each([
  "sk-proj-0123456789abcdef",
  "ghp_0123456789abcdefghij",
  "eyJhbGciOiJIUzI1NiJ9.e30.abcdefgh",
  "aB3dE5gH7jK9mN1pQ3sT5vW7",
])("%s has the form of a token", (token) => {
  expect(secretsIn([token])).toEqual([token]);
});

test("what is no secret stays readable", () => {
  const args = [
    ...["-y", "@modelcontextprotocol/server-filesystem@2026.1.14", "/home/me/Documents2026"],
    ...[
      "--token-file",
      "/run/secrets/token",
      "--port=3000",
      "https://mcp.example/sse?page=12345678",
    ],
    ...[
      "--token",
      "--verbose",
      "NODE_ENV=production",
      "dist/index.js",
      "some-long-package-name-v2",
    ],
  ];
  expect(secretsIn(args)).toEqual([]);
});
