import { beforeAll, expect, test } from "vitest";
import { createCertificate } from "../../test/certificate.ts";
import { failureOf } from "../../test/failure-of.ts";
import { startHttp, startHttps, startTcp } from "../../test/loopback.ts";
import { startProxy } from "../../test/proxy.ts";
import { ToolCertificateError } from "../base/tool-error.ts";
import { HttpClient } from "./http-client.ts";
import type { HttpOptions } from "./http-options.ts";

type Certificate = Awaited<ReturnType<typeof createCertificate>>;
let trusted: Certificate;
let expired: Certificate;
let otherHost: Certificate;

beforeAll(async () => {
  trusted = await createCertificate();
  expired = await createCertificate({ notAfter: new Date(Date.now() - 86_400_000) });
  otherHost = await createCertificate({ ip: "192.0.2.1" });
});

const quiet = { instrumentor: () => {} };

const get = async (origin: string, options: HttpOptions): Promise<string> => {
  const client = new HttpClient({ baseUrl: origin, options: { ...quiet, ...options } });
  return (await client.get("/")).body;
};

test.each([
  ["signed by itself", () => ({ ...trusted, ca: undefined }), "DEPTH_ZERO_SELF_SIGNED_CERT"],
  ["expired", () => ({ ...expired, ca: expired.cert }), "CERT_HAS_EXPIRED"],
  [
    "for another host",
    () => ({ ...otherHost, ca: otherHost.cert }),
    "ERR_TLS_CERT_ALTNAME_INVALID",
  ],
])(
  "L-H6, L-H15: a certificate that is %s is a ToolCertificateError with its cause",
  async (_name, given, code) => {
    const { cert, key, ca } = given();
    await using server = await startHttps({ cert, key }, (_incoming, response) =>
      response.end("ok"),
    );
    const error = await failureOf(get(server.origin, ca === undefined ? {} : { tls: { ca } }));
    expect(error).toBeInstanceOf(ToolCertificateError);
    expect(error).toMatchObject({ code: "tool-certificate", cause: { code } });
    expect(await get(server.origin, { tls: { rejectUnauthorized: false } })).toBe("ok");
  },
);

test("L-H6: a certificate whose authority is given is trusted, for requests that give it", async () => {
  await using server = await startHttps(trusted, (_incoming, response) => response.end("ok"));
  expect(await get(server.origin, { tls: { ca: trusted.cert } })).toBe("ok");
  expect(await failureOf(get(server.origin, {}))).toBeInstanceOf(ToolCertificateError);
});

test("L-H15: plain HTTP where TLS is expected is a ToolNetworkError", async () => {
  await using server = await startHttp((_incoming, response) => response.end("ok"));
  const error = await failureOf(get(server.origin.replace("http:", "https:"), {}));
  expect(error).toMatchObject({ code: "tool-network" });
});

test("L-H4: connections over TLS are kept", async () => {
  await using server = await startHttps(trusted, (_incoming, response) => response.end("ok"));
  for (let count = 0; count < 3; count += 1) {
    await get(server.origin, { tls: { ca: trusted.cert } });
  }
  expect(server.connections).toBe(1);
});

test("L-H6: a request goes through the proxy, with the user-info of its URL as credentials", async () => {
  await using server = await startHttp((incoming, response) =>
    response.end(`${incoming.headers.host} ${incoming.headers["proxy-authorization"]}`),
  );
  await using proxy = await startProxy();
  const url = proxy.url.replace("//", "//ann:pass@");
  const body = await get(server.origin, { proxy: url });
  expect(body).toContain(`127.0.0.1:${server.port}`);
  expect(proxy.seen).toEqual([`GET ${server.origin}/ Basic ${btoa("ann:pass")}`]);
});

test("L-H6: a request over TLS tunnels through the proxy, which sees no more than the host", async () => {
  await using server = await startHttps(trusted, (incoming, response) =>
    response.end(String(incoming.headers["proxy-authorization"])),
  );
  await using proxy = await startProxy();
  const options = { proxy: proxy.url.replace("//", "//ann:pass@"), tls: { ca: trusted.cert } };
  expect(await get(server.origin, options)).toBe("undefined");
  expect(await get(server.origin, options)).toBe("undefined");
  expect(proxy.seen).toEqual([`CONNECT 127.0.0.1:${server.port} Basic ${btoa("ann:pass")}`]);
});

test("L-H6: a certificate is checked through a proxy as well", async () => {
  await using server = await startHttps(otherHost, (_incoming, response) => response.end("ok"));
  await using proxy = await startProxy();
  const options = { proxy: proxy.url, tls: { ca: otherHost.cert } };
  expect(await failureOf(get(server.origin, options))).toBeInstanceOf(ToolCertificateError);
});

test("L-H15: a proxy that refuses the tunnel is a ToolNetworkError that names it without its credentials", async () => {
  await using proxy = await startProxy(407);
  const options = { proxy: proxy.url.replace("//", "//ann:pass@") };
  const error = await failureOf(get("https://127.0.0.1:1", options));
  expect(error).toMatchObject({
    code: "tool-network",
    message: expect.stringMatching(/^The proxy http:\/\/127.0.0.1:\d+\/ answered 407/),
  });
});

test("L-H5: a proxy that does not open the tunnel in time is a ToolTimeoutError, and is let go", async () => {
  await using proxy = await startTcp((socket) => socket.resume());
  const options = { proxy: proxy.origin, connectTimeoutMs: 30 };
  const error = await failureOf(get("https://127.0.0.1:1", options));
  expect(error).toMatchObject({ code: "tool-timeout" });
  await proxy.allClosed();
});

test("L-H16: a proxy that is no http(s) URL is a ToolError", async () => {
  const error = await failureOf(get("https://127.0.0.1:1", { proxy: "socks5://127.0.0.1" }));
  expect(error).toMatchObject({ code: "tool-failed" });
});
