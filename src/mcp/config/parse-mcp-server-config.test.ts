import { expect, test } from "vitest";
import { ConfigurationError } from "../../base/dragoman-error.ts";
import { parseMcpServerConfig } from "./parse-mcp-server-config.ts";

const stdio = { type: "stdio", command: "node", args: ["server.js"], env: { KEY: "1" }, cwd: "/" };
const http = { type: "streamable-http", url: "https://mcp.example/rpc" };

const faultOf = (value: unknown): string => {
  try {
    parseMcpServerConfig(value, "mcp[0]");
  } catch (error) {
    expect(ConfigurationError.is(error)).toBe(true);
    return (error as Error).message; // just checked
  }
  throw new Error("the configuration was accepted");
};

test("R2, G-T2: a complete configuration comes back unchanged", () => {
  const config = { name: "files", description: "Files", transport: stdio, timeoutMs: 500 };
  expect(parseMcpServerConfig(config, "here")).toEqual(config);
  const remote = {
    name: "remote",
    transport: {
      ...http,
      headers: { "x-tenant": "a" },
      token: "t",
      signer: () => ({}),
      allowInsecureHttp: false,
      maxResponseBytes: 1000,
    },
  };
  expect(parseMcpServerConfig(remote, "here")).toEqual(remote);
});

test.each(["stdio", "sse", "ws", "websocket", "streamable-http", "http"])(
  "R1, L-C2: the transport type %s is taken over as it is",
  (type) => {
    const scheme = type.startsWith("w") ? "wss" : "https";
    const transport =
      type === "stdio" ? stdio : { type, url: `${scheme}://mcp.example/`, token: "t" };
    expect(parseMcpServerConfig({ name: "a", transport }, "here").transport).toEqual(transport);
  },
);

test.each([
  [
    { name: "a", transport: { ...stdio, comand: "x" } },
    ['"comand"', '"command"', "args, env, cwd"],
  ],
  [{ name: "a", transport: stdio, time: 3 }, ['Unknown key "time"', "timeoutMs"]],
  [{ name: "a", transport: { ...http, header: {} } }, ['"header"', 'mean "headers"']],
  [{ name: "a", transport: { ...http, tls: { caa: "x" } } }, ['"caa" in "tls"', 'mean "ca"']],
  [{ name: "a", transport: { type: "stdio", url: "https://h/" } }, ['Unknown key "url"']],
])("R5: an unknown key is named, with what is allowed: %j", (value, parts) => {
  for (const part of ["mcp[0]: ", ...parts]) {
    expect(faultOf(value)).toContain(part);
  }
});

test("G-T15: limits are taken over, and a wrong one is named", () => {
  const config = { name: "a", transport: stdio, limits: { maxTools: 5, maxImageBytes: 1_000 } };
  expect(parseMcpServerConfig(config, "here")).toEqual(config);
  const withLimits = (limits: unknown): unknown => ({ name: "a", transport: stdio, limits });
  expect(faultOf(withLimits({ maxTool: 1 }))).toContain('"maxTool" in the limits. Did you mean');
  expect(faultOf(withLimits({ maxPages: 0 }))).toContain('"maxPages" must be a positive whole');
  expect(faultOf(withLimits({ maxDefinitionDepth: 501 }))).toContain("at most 500, got 501");
  expect(faultOf(withLimits(7))).toContain("must be an object");
});

test("an unknown transport type lists the valid ones", () => {
  const message = faultOf({ name: "a", transport: { type: "stido" } });
  expect(message).toContain("Invalid transport type: stido");
  expect(message).toContain('Did you mean "stdio"?');
  expect(message).toContain("Must be one of: stdio, sse, ws, websocket, streamable-http, http");
});

test("a flat transport is explained", () => {
  const message = faultOf({ name: "a", transport: "stdio", command: "node" });
  expect(message).toContain("must be an object");
  expect(message).toContain('{ type: "stdio", command: "…" }');
});

test.each([
  [{ transport: stdio }, '"name" is missing'],
  [{ name: " ", transport: stdio }, '"name" is empty'],
  [{ name: "a" }, '"transport" is missing'],
  [{ name: "a", transport: {} }, '"type" is missing in the transport'],
  [{ name: "a", transport: { type: "stdio" } }, '"command" is missing in the stdio transport'],
  [{ name: "a", transport: { type: "http" } }, '"url" is missing in the http transport'],
  [{ name: "a", transport: { ...stdio, args: "x" } }, '"args" must be a list of texts, got a text'],
  [{ name: "a", transport: { ...stdio, args: [1] } }, '"args"[0] must be a text, got a number'],
  [{ name: "a", transport: { ...stdio, env: { A: 1 } } }, '"A" in "env" must be a text'],
  [{ name: "a", transport: { ...stdio, command: "a\0b" } }, "NUL character"],
  [{ name: "a", transport: stdio, timeoutMs: "15" }, '"timeoutMs" must be a positive whole number'],
  [{ name: "a", transport: stdio, timeoutMs: 0 }, "got 0"],
  [[], "must be an object, got a list"],
  [null, "must be an object, got null"],
])("R2, R3: %j is refused", (value, part) => {
  expect(faultOf(value)).toContain(part);
});

test.each([
  ["mcp.example/rpc", "is not a URL"],
  ["ftp://mcp.example/", "must begin with https://"],
  [
    "http://mcp.example/rpc",
    'mcp[0]: "url" is http://mcp.example/rpc, and what goes over http: is not encrypted: anyone on the way can read the credentials. Use https://; or, if all of the network on the way is your own, write "allowInsecureHttp": true beside "url".',
  ],
  [
    "http://127.0.0.1:3000/mcp",
    'mcp[0]: "url" is http://127.0.0.1:3000/mcp, and what goes over http: is not encrypted, so it must be allowed, also on this machine: write "allowInsecureHttp": true beside "url".',
  ],
])("G-T16: the url %s is refused", (url, part) => {
  expect(faultOf({ name: "a", transport: { type: "http", url } })).toContain(part);
});

test("G-T16: an http: url passes where it is allowed", () => {
  const transport = { type: "http", url: "http://127.0.0.1/mcp", allowInsecureHttp: true };
  expect(parseMcpServerConfig({ name: "a", transport }, "here").transport).toEqual(transport);
});

test("no value is repeated in a message, for it may be a secret", () => {
  const secret = "s3cr3t-value";
  const faults = [
    { name: "a", transport: { ...http, headers: { authorization: `${secret}\r\nx: y` } } },
    { name: "a", transport: { ...http, token: `${secret}\n` } },
    { name: "a", transport: { ...http, token: secret, headers: { Authorization: secret } } },
    { name: "a", transport: { type: "http", url: `http://u:${secret}@h/?key=${secret}` } },
    { name: "a", transport: { type: "http", url: `//u:${secret}@h` } },
    { name: "a", transport: { ...stdio, env: { KEY: `${secret}\0` } } },
  ].map(faultOf);
  expect(faults.filter((message) => message.includes(secret))).toEqual([]);
});

test("P9: a server's sandbox is plain data; true is short for one that shows nothing of yours", () => {
  const sandboxOf = (sandbox: unknown): unknown => {
    const config = { name: "a", transport: { ...stdio, sandbox } };
    const { transport } = parseMcpServerConfig(config, "here");
    return transport.type === "stdio" ? transport.sandbox : expect.unreachable("it is stdio");
  };
  const settings = { folders: ["/srv", { path: "/data", at: "/d", writable: true }] };
  expect(sandboxOf(settings)).toEqual(settings);
  expect(sandboxOf(true)).toEqual({});
  expect(sandboxOf(false)).toBeUndefined();
});

test.each([
  ["yes", '"sandbox" must be an object'],
  [{ folder: [] }, 'Unknown key "folder" in the sandbox. Did you mean "folders"?'],
  [{ network: ["a.example"] }, "is a list of hosts, which is not offered"],
])("P9: the sandbox %j is refused", (sandbox, fault) => {
  expect(faultOf({ name: "a", transport: { ...stdio, sandbox } })).toContain(fault);
});
