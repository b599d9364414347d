import { expect, test } from "vitest";
import { createCertificate } from "../../../test/certificate.ts";
import { startHttps } from "../../../test/loopback.ts";
import { systemClock } from "../../base/clock.ts";
import type { McpOAuth } from "../../tool/mcp-oauth.ts";
import type { UrlTransport } from "../../tool/mcp-server-config.ts";
import { MetadataReader } from "./metadata-reader.ts";

const readerFor = (transport: UrlTransport, auth: Partial<McpOAuth> = {}): MetadataReader =>
  new MetadataReader(transport, { type: "oauth", ...auth }, systemClock);

const publicServer: UrlTransport = { url: "https://mcp.example/rpc" };

test("http: is admitted on the server's own host only, and only where the configuration allows it", () => {
  const url = "http://127.0.0.1:8080/mcp";
  const own = readerFor({ url, allowInsecureHttp: true });
  expect(own.admit("http://127.0.0.1:9090/token", "It").port).toBe("9090");
  for (const [reader, other] of [
    [own, "http://127.0.0.2/token"],
    [own, "http://8.8.8.8/token"],
    [readerFor(publicServer), "http://mcp.example/token"],
  ] as const) {
    expect(() => reader.admit(other, "It")).toThrow("is not one of https:");
  }
});

test("a private address is admitted where it is named in allow, and the one of the server itself", () => {
  const sso = "https://10.1.2.3/sso";
  expect(() => readerFor(publicServer).admit(sso, "It")).toThrow(
    "10.1.2.3 is not a public address",
  );
  expect(readerFor(publicServer, { allow: [{ cidr: "10.1.0.0/16" }] }).admit(sso, "It").href).toBe(
    sso,
  );
  expect(readerFor(publicServer, { issuer: sso }).admit(sso, "It").href).toBe(sso);
  expect(readerFor({ url: "https://10.1.2.3:8443/mcp" }).admit(sso, "It").href).toBe(sso);
});

test("the origin of the server may be asked at whatever address its name has, others of its name may not", () => {
  const { connection } = readerFor({ url: "https://mcp.corp.example:8443/mcp" });
  expect(connection.trustedOrigins).toEqual(["https://mcp.corp.example:8443"]);
});

test("a name that leads to a private address is refused as it is connected to, also below a public server", async () => {
  await using server = await startHttps(await createCertificate(), (_incoming, response) => {
    response.end("{}");
  });
  const reader = readerFor(publicServer);
  const url = `https://localhost:${server.port}/`;
  await expect(reader.read(url, "It")).rejects.toMatchObject({
    code: "discovery-refused",
    message: expect.stringMatching(/localhost is not a public address.*"allow"/s),
  });
  expect(server.connections).toBe(0);
});

test("the authority that a server's certificate comes from is trusted for its authorisation server, too", async () => {
  const certificate = await createCertificate();
  await using server = await startHttps(certificate, (_incoming, response) => {
    response.end('{"issuer": "x"}');
  });
  const transport = { url: `${server.origin}/mcp`, tls: { ca: certificate.cert } };
  expect(await readerFor(transport).read(`${server.origin}/meta`, "It")).toEqual({ issuer: "x" });
});
