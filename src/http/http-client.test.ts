import { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test, vi } from "vitest";
import { echo, headersHeard, heard } from "../../test/echo.ts";
import { failureOf } from "../../test/failure-of.ts";
import { type LoopbackServer, startHttp, startTcp } from "../../test/loopback.ts";
import { Secret } from "../base/secret.ts";
import {
  ToolError,
  ToolHttpError,
  ToolNetworkError,
  ToolTimeoutError,
} from "../base/tool-error.ts";
import { version } from "../base/version.ts";
import { HttpClient, type HttpClientOptions } from "./http-client.ts";
import { httpClientFor } from "./http-client-for.ts";
import type { HttpEvent } from "./http-instrumentor.ts";
import type { HttpOptions } from "./http-options.ts";

const clientOf = (
  server: LoopbackServer,
  { path = "", options = {}, ...rest }: Partial<HttpClientOptions> & { path?: string } = {},
): HttpClient =>
  new HttpClient({
    baseUrl: server.origin + path,
    ...rest,
    options: { instrumentor: () => {}, ...options },
  });

test.each(["", "api.example", "/v1", "ftp://api.example", "http://", "javascript:alert(1)"])(
  "L-H1, L-H16: the base URL %j is a ToolError",
  (baseUrl) => {
    expect(() => new HttpClient({ baseUrl })).toThrow(ToolError);
  },
);

test.each(["http", "https"])("L-H1: a base URL of %s is taken, as a text or as a URL", (scheme) => {
  for (const baseUrl of [`${scheme}://api.example/v1`, new URL(`${scheme}://api.example`)]) {
    expect(new HttpClient({ baseUrl })).toBeInstanceOf(HttpClient);
  }
});

test("L-H1: the error of a base URL does not show it", () => {
  const open = (): HttpClient => new HttpClient({ baseUrl: "http://ann:hunter2@host:99999" });
  expect(open).toThrow(/^(?!.*hunter2).*base URL.*not valid/s);
});

test("L-H2: default headers go with every request, and a request's own override them in any case", async () => {
  await using server = await startHttp(echo);
  const client = clientOf(server, { headers: { "X-One": "1", "X-Two": "2" } });
  const { "x-one": one, "x-two": two } = await headersHeard(
    client.get("/", { headers: { "x-two": "other" } }),
  );
  expect([one, two]).toEqual(["1", "other"]);
  expect(await headersHeard(client.get("/"))).toMatchObject({ "x-one": "1", "x-two": "2" });
});

test("L-H3: the user agent names product, version and HTTP library, unless one is given", async () => {
  await using server = await startHttp(echo);
  const { "user-agent": ours } = await headersHeard(clientOf(server).get("/"));
  expect(ours).toBe(`Dragoman/${version} node-http/${process.versions.node}`);
  const client = clientOf(server, { headers: { "User-Agent": "Mine/1" } });
  expect(await headersHeard(client.get("/"))).toMatchObject({ "user-agent": "Mine/1" });
});

test("L-H4: a client keeps its connection, unless that is switched off", async () => {
  await using server = await startHttp(echo);
  const client = clientOf(server);
  await client.get("/");
  await client.post("/", { body: {} });
  expect(server.connections).toBe(1);
  await client.get("/", { options: { keepAlive: false } });
  expect(server.connections).toBe(2);
});

test("L-H5: by default connecting may take 5 s, each silence 15 s and each wait to write 15 s", async () => {
  await using server = await startHttp(echo);
  const timers = vi.spyOn(globalThis, "setTimeout");
  const sockets = vi.spyOn(Socket.prototype, "setTimeout");
  const post = async (options: HttpOptions): Promise<readonly unknown[]> => {
    sockets.mockClear();
    await clientOf(server).post("/", { body: { a: 1 }, options: { keepAlive: false, ...options } });
    const others = [11_000, 4_000]; // what is given here, and how long an idle connection is kept
    const times = sockets.mock.calls.map(([timeoutMs]) => timeoutMs);
    return [...new Set(times.filter((timeoutMs) => !others.includes(timeoutMs)))];
  };
  expect(await post({ readTimeoutMs: 11_000 })).toEqual([15_000]);
  expect(await post({ writeTimeoutMs: 11_000 })).toEqual([15_000]);
  expect(await post({ readTimeoutMs: 11_000, writeTimeoutMs: 11_000 })).toEqual([]);
  expect(timers.mock.calls.map(([, delay]) => delay)).toContain(5_000);
});

test("L-H5: a request's own time overrides the client's", async () => {
  await using server = await startHttp(() => {});
  const client = clientOf(server, { options: { readTimeoutMs: 60_000 } });
  const error = await failureOf(client.get("/", { options: { readTimeoutMs: 20 } }));
  expect(error).toBeInstanceOf(ToolTimeoutError);
});

test.each(["get", "head", "post", "put", "patch", "delete"] as const)(
  "L-H8: %s is sent as such, with its query, headers, options and body",
  async (method) => {
    const asked: unknown[] = [];
    await using server = await startHttp((incoming, response) => {
      void text(incoming).then((body) => {
        asked.push([incoming.method, incoming.url, incoming.headers["x-a"], body]);
        response.end();
      });
    });
    const told: string[] = [];
    const options: HttpOptions = { instrumentor: ({ kind }) => told.push(kind) };
    const body = method === "get" || method === "head" ? undefined : "words";
    const request = { query: { q: 1 }, headers: { "x-a": "2" }, options };
    await clientOf(server)[method]("/x", { ...request, ...(body && { body }) });
    expect(asked).toEqual([[method.toUpperCase(), "/x?q=1", "2", body ?? ""]]);
    expect(told).toEqual(["request-start", "request-end"]);
  },
);

test.each([
  ["users", "", "/users"],
  ["/users", "", "/users"],
  ["users", "/v1", "/v1/users"],
  ["/users", "/v1", "/v1/users"],
  ["/users/", "/v1/", "/v1/users/"],
  ["", "/v1/", "/v1/"],
  ["users?a=1#part", "/v1?key=k", "/v1/users?key=k&a=1"],
  ["users:batchGet", "/v1", "/v1/users:batchGet"],
  ["//other.example/x", "/v1", "/v1/other.example/x"],
  ["a/../b", "/v1", "/v1/b"],
])("L-H9: the relative path %j joins the base path %j as %s", async (path, base, url) => {
  await using server = await startHttp(echo);
  expect(await heard(clientOf(server, { path: base }).get(path))).toMatchObject({ url });
});

test.each(["../admin", "a/../../admin", "%2e%2e/admin", "..\\admin", "/../admin"])(
  "L-H9: the relative path %j cannot leave the base URL",
  async (path) => {
    const client = new HttpClient({ baseUrl: "http://127.0.0.1:1/v1" });
    const error = await failureOf(client.get(path));
    expect(error).toMatchObject({ code: "tool-failed" });
  },
);

test("L-H10: an absolute URL is asked as it is, with the client's options and harmless headers only", async () => {
  await using base = await startHttp(echo);
  await using other = await startHttp(echo);
  const headers = {
    "x-app": "a",
    authorization: "Bearer t",
    "x-api-key": "k",
    cookie: "c",
    "X-Auth-Token": "t",
  };
  const client = clientOf(base, { path: "/v1", headers });
  const { url, headers: received } = await heard(client.get(`${other.origin}/x?y=1`));
  expect(url).toBe("/x?y=1");
  expect(received).toMatchObject({ "x-app": "a" });
  for (const name of ["authorization", "x-api-key", "cookie", "x-auth-token"]) {
    expect(received).not.toHaveProperty(name);
  }
  expect(await headersHeard(client.get(`${base.origin}/x`))).toHaveProperty("x-api-key", "k");
});

test("L-H10: default credentials go to another origin where that is allowed, a request's own always", async () => {
  await using base = await startHttp(echo);
  await using other = await startHttp(echo);
  const client = clientOf(base, {
    headers: { authorization: "default" },
    options: { credentialOrigins: [other.origin] },
  });
  expect(await headersHeard(client.get(other.origin))).toHaveProperty("authorization", "default");
  const own = clientOf(base).get(other.origin, { headers: { authorization: "own" } });
  expect(await headersHeard(own)).toHaveProperty("authorization", "own");
});

test("L-H11: query parameters are appended, arrays repeated, undefined left out", async () => {
  await using server = await startHttp(echo);
  const query = { q: "a b&c", page: 2, all: true, tag: ["x", "y"], none: undefined };
  const { url } = await heard(clientOf(server).get("/s?z=1", { query }));
  expect(url).toBe("/s?z=1&q=a+b%26c&page=2&all=true&tag=x&tag=y");
});

test("L-H13: success gives status, body and headers; the body is there as text, JSON and bytes", async () => {
  await using server = await startHttp((_incoming, response) =>
    response.writeHead(201, { "X-A": ["1", "2"] }).end('{"a":1}'),
  );
  const response = await clientOf(server).post("/", { body: {} });
  expect(response.status).toBe(201);
  expect(response.headers["x-a"]).toBe("1, 2");
  expect(response.body).toBe('{"a":1}');
  expect(response.json()).toEqual({ a: 1 });
  expect(Buffer.from(response.bytes()).toString()).toBe('{"a":1}');
});

test("L-H13: HEAD gives headers only", async () => {
  await using server = await startHttp((_incoming, response) =>
    response.writeHead(200, { "content-length": 1234, "content-encoding": "gzip" }).end(),
  );
  const response = await clientOf(server).head("/");
  expect(response.headers).toMatchObject({ "content-length": "1234", "content-encoding": "gzip" });
  expect(response.body).toBe("");
});

test("L-H13: a body that is no JSON is a ToolError that does not quote it", async () => {
  await using server = await startHttp((_incoming, response) => response.end("hunter2"));
  const response = await clientOf(server).get("/");
  expect(() => response.json()).toThrow(/^The answer \(status 200.* is not JSON\.$/);
});

test("L-H13: the body can be read as a stream", async () => {
  await using server = await startHttp((_incoming, response) => response.end("streamed"));
  const response = await clientOf(server).stream("GET", "/");
  let read = "";
  for await (const chunk of response.body) {
    read += Buffer.from(chunk).toString();
  }
  expect(read).toBe("streamed");
});

test.each([400, 404, 500, 503])(
  "L-H14: the status %i is a ToolHttpError that carries the response",
  async (status) => {
    await using server = await startHttp((_incoming, response) =>
      response.writeHead(status, { "x-a": "1" }).end("why not"),
    );
    const error = await failureOf(clientOf(server).get("/x", { query: { key: "hunter2" } }));
    expect(error).toBeInstanceOf(ToolHttpError);
    const { response, message, code } = error as ToolHttpError; // just checked
    expect(response).toMatchObject({ status, body: "why not", headers: { "x-a": "1" } });
    expect(code).toBe("tool-http");
    expect(message).toMatch(new RegExp(`^GET ${server.origin}/x\\?key=… answered ${status} `));
  },
);

test("L-H14: HEAD of a missing page is a ToolHttpError, so that a status checker can read it", async () => {
  await using server = await startHttp((_incoming, response) => response.writeHead(404).end());
  const error = await failureOf(clientOf(server).head(`${server.origin}/gone`));
  expect(error).toMatchObject({ response: { status: 404, body: "" } });
});

test("L-H14: HEAD gives a redirect as it is", async () => {
  await using server = await startHttp((_incoming, response) =>
    response.writeHead(301, { location: "/new" }).end(),
  );
  expect((await clientOf(server).head("/old")).status).toBe(301);
});

test("L-H14: an error whose body breaks off is still a ToolHttpError, with what came", async () => {
  await using server = await startTcp((socket) =>
    socket.end("HTTP/1.1 500 No\r\ncontent-length: 99\r\n\r\nbegun"),
  );
  const error = await failureOf(clientOf(server).get("/"));
  expect(error).toMatchObject({ code: "tool-http", response: { status: 500, body: "begun" } });
});

test("L-H15, L-H17: a reset is a ToolNetworkError with Node's error as its cause", async () => {
  await using server = await startTcp((socket) =>
    socket.once("data", () => socket.resetAndDestroy()),
  );
  const error = await failureOf(clientOf(server).get("/"));
  expect(error).toBeInstanceOf(ToolNetworkError);
  expect(error).toMatchObject({ cause: { code: "ECONNRESET", syscall: "read" } });
});

test("L-H7: by default failures are logged, and nothing else is", async () => {
  await using server = await startHttp((incoming, response) =>
    response.writeHead(incoming.url === "/ok" ? 200 : 500).end("content"),
  );
  const lines: string[] = [];
  const { error: original } = console;
  console.error = (line: string) => void lines.push(line);
  try {
    const client = new HttpClient({
      baseUrl: server.origin,
      headers: { authorization: "hunter2" },
    });
    await client.get("/ok");
    expect(lines).toEqual([]);
    await failureOf(client.post("/bad", { body: { secret: "hunter2" }, query: { k: "hunter2" } }));
  } finally {
    console.error = original;
  }
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/An HTTP request failed.*"method":"POST".*"status":500/);
  expect(lines[0]).not.toMatch(/hunter2|content/);
});

test("L-H7: the instrumentor can be replaced", async () => {
  await using server = await startHttp((incoming, response) =>
    response.writeHead(incoming.url === "/ok" ? 200 : 500).end(),
  );
  const events: HttpEvent[] = [];
  const client = clientOf(server, { options: { instrumentor: (event) => events.push(event) } });
  await client.get("/ok");
  await failureOf(client.get("/bad"));
  expect(events).toMatchObject([
    { kind: "request-start", method: "GET", url: `${server.origin}/ok`, attempt: 1 },
    { kind: "request-end", status: 200, durationMs: expect.any(Number) },
    { kind: "request-start", url: `${server.origin}/bad` },
    { kind: "request-fail", error: { code: "tool-http" } },
  ]);
});

test("L-H18: a bearer token or an API key goes into a header, and a Secret is revealed there", async () => {
  await using server = await startHttp(echo);
  const client = clientOf(server, { headers: { "x-api-key": new Secret("k-1") } });
  const headers = { authorization: "Bearer t-1" };
  expect(await headersHeard(client.get("/", { headers }))).toMatchObject({
    authorization: "Bearer t-1",
    "x-api-key": "k-1",
  });
});

test("a client for a call ends with the call's signal and deadline, and carries its trace context", async () => {
  await using server = await startHttp((incoming, response) => {
    if (incoming.url === "/trace") {
      echo(incoming, response);
    }
  });
  const abort = new AbortController();
  const traceHeaders = { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" };
  const open = { baseUrl: server.origin, options: { instrumentor: () => {} } };
  const client = httpClientFor({ signal: abort.signal, traceHeaders }, open);
  expect(await headersHeard(client.get("/trace"))).toMatchObject(traceHeaders);
  const late = httpClientFor({ signal: abort.signal, deadline: Date.now() + 30 }, open);
  expect(await failureOf(late.get("/"))).toBeInstanceOf(ToolTimeoutError);
  const pending = failureOf(client.get("/", { signal: new AbortController().signal }));
  abort.abort("stop");
  expect(await pending).toBe("stop");
});

test("an answer longer than the limit is a ToolError", async () => {
  await using server = await startHttp((_incoming, response) => response.end("12345"));
  const client = clientOf(server, { options: { maxResponseBytes: 4 } });
  expect(await failureOf(client.get("/"))).toMatchObject({ code: "tool-response-too-large" });
});
