import { expect, test } from "vitest";
import { failureOf } from "../../test/failure-of.ts";
import { startHttp } from "../../test/loopback.ts";
import { AddressGuard } from "./address-guard.ts";
import { guardedFetch } from "./guarded-fetch.ts";
import { HttpClient } from "./http-client.ts";
import { isPublicAddress } from "./public-address.ts";

/** Hosts that are refused however they are written; each is asked as `http://<host>/`. */
const refusedHosts = [
  // loopback: dotted, short, decimal, octal, hexadecimal, mixed, escaped, other digits, dot at the end
  "127.0.0.1",
  "127.0.0.1.",
  "127.1",
  "127.0.1",
  "2130706433",
  "017700000001",
  "0x7f000001",
  "0x7f.1",
  "0177.0.0.1",
  "0177.0x0.0.1",
  "127.255.255.254",
  "%31%32%37.0.0.1",
  "①②⑦.⓪.⓪.①",
  "127。0。0。1",
  "0x7F.0.0.0x1",
  "00000177.1",
  // "this" network, shared, private, link-local and metadata
  "0.0.0.0",
  "0",
  "0.1.2.3",
  "10.0.0.1",
  "0xa.1",
  "167772161",
  "012.0.0.1",
  "100.64.0.1",
  "100.100.100.200",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.0.1",
  "3232235521",
  "0300.0250.1",
  "169.254.169.254",
  "2852039166",
  "0xA9FEA9FE",
  "0251.0376.0251.0376",
  "169.254.43518",
  "168.63.129.16",
  // protocols, documentation, benchmarks, multicast, reserved, broadcast
  "192.0.0.1",
  "192.0.2.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "239.255.255.250",
  "240.0.0.1",
  "255.255.255.255",
  // IPv6: unspecified, loopback, unique-local, link-local, site-local, multicast, documentation, discard
  "[::]",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[0000::0001]",
  "[fc00::1]",
  "[fd00:ec2::254]",
  "[fe80::1]",
  "[febf::1]",
  "[fec0::1]",
  "[ff02::1]",
  "[2001:db8::1]",
  "[3fff::1]",
  "[100::1]",
  "[5f00::1]",
  // IPv4 within IPv6: mapped, compatible, translated (well-known and local prefix), 6to4, Teredo
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[0:0:0:0:0:ffff:10.0.0.1]",
  "[::ffff:a9fe:a9fe]",
  "[::ffff:0.0.0.0]",
  "[::127.0.0.1]",
  "[::7f00:1]",
  "[::ffff:0:127.0.0.1]",
  "[64:ff9b::127.0.0.1]",
  "[64:ff9b::a9fe:a9fe]",
  "[64:ff9b::]",
  "[64:ff9b:1::a00:1]",
  "[2002:7f00:1::]",
  "[2001:0::1]",
] as const;

test("the table of refused hosts is long enough", () => {
  expect(new Set(refusedHosts).size).toBeGreaterThanOrEqual(60);
});

test.each(refusedHosts)("the guard refuses http://%s/", async (host) => {
  const error = await failureOf(guardedFetch({ method: "GET", url: `http://${host}/` }));
  expect(error).toMatchObject({ code: "tool-address-refused" });
});

test.each(["http://[fe80::1%25eth0]/", "http://[fe80::1%eth0]/", "http://127.0.0.1%00/"])(
  "a URL with a zone id or a NUL, %s, is no URL",
  async (url) => {
    expect(await failureOf(guardedFetch({ method: "GET", url }))).toMatchObject({
      code: "tool-failed",
    });
  },
);

test.each(["fe80::1%eth0", "", "localhost", "127.0.0.1:80", "0x7f.1"])(
  "%j is not a public address",
  (address) => {
    expect(isPublicAddress(address)).toBe(false);
  },
);

test.each([
  "1.1.1.1",
  "8.8.8.8",
  "99.255.255.255",
  "100.63.255.255",
  "100.128.0.0",
  "172.15.0.1",
  "172.32.0.1",
  "192.167.1.1",
  "192.169.0.1",
  "169.253.0.1",
  "198.17.0.1",
  "198.20.0.1",
  "223.255.255.255",
  "2606:4700:4700::1111",
  "2a00:1450::1",
  "::ffff:8.8.8.8",
  "64:ff9b::808:808",
  "2001:4860:4860::8888",
])("%s is a public address", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test("a name is judged by what it resolves to, and one refused address refuses it", async () => {
  for (const addresses of [["127.0.0.1"], ["8.8.8.8", "10.0.0.1"], ["::1"], ["fe80::1%eth0"]]) {
    const guard = new AddressGuard({ resolve: async () => addresses });
    const error = await failureOf(
      guardedFetch({ method: "GET", url: "http://inside.test/", guard }),
    );
    expect(error).toMatchObject({ code: "tool-address-refused" });
  }
});

test.each(["localhost", "LOCALHOST.", "x.localhost"])(
  "the system's own names, such as %s, are refused",
  async (host) => {
    const error = await failureOf(guardedFetch({ method: "GET", url: `http://${host}:1/` }));
    // Where the system knows the name it is loopback, elsewhere it is unknown: never a connection.
    expect(error).toMatchObject({
      code: expect.stringMatching(/^tool-address-refused$|^tool-network$/),
      message: expect.stringMatching(/not a public address|host name/),
    });
  },
);

test("a name that does not resolve is refused, whatever the reason", async () => {
  const failing = new AddressGuard({ resolve: () => Promise.reject(new Error("SERVFAIL")) });
  const empty = new AddressGuard({ resolve: async () => [] });
  const request = { method: "GET", url: "http://gone.test/" } as const;
  expect(await failureOf(guardedFetch({ ...request, guard: failing }))).toMatchObject({
    code: "tool-network",
    cause: { message: "SERVFAIL" },
  });
  expect(await failureOf(guardedFetch({ ...request, guard: empty }))).toMatchObject({
    code: "tool-address-refused",
  });
});

test("the connection goes to the address that was checked, though the name means another one a moment later", async () => {
  await using server = await startHttp((_incoming, response) => response.end("inside"));
  const answers = [["127.0.0.1"], ["127.0.0.2"]];
  const resolved: string[] = [];
  const guard = new AddressGuard({
    allow: [{ cidr: "127.0.0.1/32" }],
    resolve: async () => {
      const addresses = answers.shift() ?? [];
      resolved.push(...addresses);
      return addresses;
    },
  });
  const url = `http://rebind.test:${server.port}/`;
  const ask = async (): Promise<string> =>
    (await guardedFetch({ method: "GET", url, guard, keepAlive: false })).text();
  expect(await ask()).toBe("inside");
  expect(resolved).toEqual(["127.0.0.1"]); // resolved once: check and connection are one
  expect(await failureOf(ask())).toMatchObject({ code: "tool-address-refused" });
});

test("each redirect is checked as the first URL is", async () => {
  const locations = [
    "http://127.0.0.2:1/",
    "http://169.254.169.254/latest/meta-data",
    "//[::1]/",
    "http://2130706434/",
  ];
  for (const location of locations) {
    await using server = await startHttp((_incoming, response) =>
      response.writeHead(302, { location }).end(),
    );
    const guard = new AddressGuard({ allow: [{ host: "127.0.0.1", port: server.port }] });
    const error = await failureOf(guardedFetch({ method: "GET", url: server.origin, guard }));
    expect(error, location).toMatchObject({ code: "tool-address-refused" });
  }
});

test("a redirect to a name that resolves to the inside is refused", async () => {
  await using server = await startHttp((_incoming, response) =>
    response.writeHead(307, { location: "http://inside.test/" }).end(),
  );
  const guard = new AddressGuard({
    allow: [{ host: "127.0.0.1" }],
    resolve: async () => ["127.0.0.1"],
  });
  const error = await failureOf(
    guardedFetch({ method: "POST", url: server.origin, body: "x", guard }),
  );
  expect(error).toMatchObject({ code: "tool-address-refused" });
});

const port = 8_080;
test.each([
  ["by host", [{ host: "box.test" }], true],
  ["by host in other case", [{ host: "BOX.test" }], true],
  ["by host and port", [{ host: "box.test", port }], true],
  ["by a block of addresses", [{ cidr: "10.0.0.0/8" }], true],
  ["by names below a name", [{ host: "*.test" }], true],
  ["by host, but another port", [{ host: "box.test", port: 81 }], false],
  ["by host, but another block", [{ host: "box.test", cidr: "10.1.0.0/16" }], false],
  ["by another host", [{ host: "ox.test" }], false],
  ["by names below another name", [{ host: "*.box.test" }], false],
])("allowing %s", async (_name, allow, allowed) => {
  const guard = new AddressGuard({ allow, resolve: async () => ["10.0.0.1"] });
  const { lookup } = guard.guard(new URL(`http://box.test:${port}/`));
  const outcome = await new Promise((resolve) => {
    lookup("box.test", {}, (error, address) => resolve(error === null ? address : error));
  });
  expect(outcome).toEqual(
    allowed ? "10.0.0.1" : expect.objectContaining({ code: "tool-address-refused" }),
  );
});

test.each([
  ["http://other.test/", ["8.8.8.8"]],
  ["http://api.test:81/", ["8.8.8.8"]],
  ["http://8.8.8.8/", []],
  ["http://api.test/", ["9.9.9.9"]],
])("with `only`, %s at %j is refused", async (url, addresses) => {
  const guard = new AddressGuard({
    only: [{ host: "api.test", port: 80, cidr: "8.8.8.0/24" }],
    resolve: async () => addresses,
  });
  const error = await failureOf(guardedFetch({ method: "GET", url, guard }));
  expect(error).toMatchObject({ code: "tool-address-refused" });
});

test("`only` does not allow what is not public", async () => {
  const guard = new AddressGuard({ only: [{ host: "127.0.0.1" }] });
  expect(() => guard.guard(new URL("http://127.0.0.1/"))).toThrow("not a public address");
});

test.each(["10.0.0.0", "10.0.0.0/33", "inside/8", "fd00::/129", "10.0.0.0/", "0x0a.0.0.0/8"])(
  "%j is no block of addresses",
  (cidr) => {
    expect(() => new AddressGuard({ allow: [{ cidr }] })).toThrow("not a block of addresses");
  },
);

test("a rule that names nothing, and so would mean everything, is an error", () => {
  expect(() => new AddressGuard({ allow: [{}] })).toThrow("names nothing");
});

test("an HttpClient can be guarded, and then takes no proxy", async () => {
  await using server = await startHttp((_incoming, response) => response.end("inside"));
  const guard = new AddressGuard();
  const options = { guard, instrumentor: () => {} };
  const client = new HttpClient({ baseUrl: server.origin, options });
  expect(await failureOf(client.get("/"))).toMatchObject({ code: "tool-address-refused" });
  const proxied = client.get("http://8.8.8.8/", { options: { proxy: server.origin } });
  expect(await failureOf(proxied)).toMatchObject({ message: expect.stringContaining("proxy") });
});
