import { expect, test } from "vitest";
import { failureOf } from "../../test/failure-of.ts";
import { type Answer, startHttp } from "../../test/loopback.ts";
import { HttpClient } from "./http-client.ts";
import type { HttpOptions } from "./http-options.ts";

/** Redirects everything but `/end`, which it answers with what it heard. */
const redirecting =
  (status: number, location: string): Answer =>
  (incoming, response) => {
    if (incoming.url !== "/end") {
      incoming.resume();
      response.writeHead(status, { location }).end("moved");
      return;
    }
    let body = "";
    incoming.setEncoding("utf8").on("data", (text) => {
      body += text;
    });
    incoming.on("end", () => {
      const { method, headers } = incoming;
      response.end(JSON.stringify({ method, body, type: headers["content-type"], headers }));
    });
  };

const clientOf = (origin: string, options: HttpOptions = {}): HttpClient =>
  new HttpClient({
    baseUrl: origin,
    headers: { authorization: "Bearer t", "x-api-key": "k", "x-app": "a" },
    options: { instrumentor: () => {}, ...options },
  });

test.each([301, 302, 303, 307, 308])("GET follows a %i", async (status) => {
  await using server = await startHttp(redirecting(status, "/end"));
  const { body } = await clientOf(server.origin).get("/start");
  expect(JSON.parse(body)).toMatchObject({ method: "GET", headers: { authorization: "Bearer t" } });
});

test.each([307, 308])("POST is sent again, body and all, for a %i", async (status) => {
  await using server = await startHttp(redirecting(status, "/end"));
  const { body } = await clientOf(server.origin).post("/start", { body: { a: 1 } });
  expect(JSON.parse(body)).toMatchObject({
    method: "POST",
    body: '{"a":1}',
    type: "application/json; charset=utf-8",
  });
});

test("POST becomes a GET without body for a 303", async () => {
  await using server = await startHttp(redirecting(303, "/end"));
  const { body } = await clientOf(server.origin).post("/start", { body: { a: 1 } });
  const { method, body: sent, type } = JSON.parse(body);
  expect([method, sent, type]).toEqual(["GET", "", undefined]);
});

test.each([301, 302])("POST does not become a GET: a %i is the answer", async (status) => {
  await using server = await startHttp(redirecting(status, "/end"));
  const response = await clientOf(server.origin).post("/start", { body: { a: 1 } });
  expect([response.status, response.headers["location"], response.body]).toEqual([
    status,
    "/end",
    "moved",
  ]);
});

test("a streamed body is not sent again: the redirect is the answer", async () => {
  await using server = await startHttp(redirecting(307, "/end"));
  const body = new Blob(["once"]).stream();
  expect((await clientOf(server.origin).post("/start", { body })).status).toBe(307);
});

test("another origin gets no credentials, also for a redirect back", async () => {
  await using target = await startHttp(redirecting(302, "/end"));
  await using server = await startHttp(redirecting(302, `${target.origin}/end`));
  const url = server.origin.replace("//", "//ann:pass@");
  const { body } = await clientOf(url).get("/start", { headers: { cookie: "c", host: "fake" } });
  const { headers } = JSON.parse(body);
  expect(headers).toMatchObject({ "x-app": "a", host: `127.0.0.1:${target.port}` });
  for (const name of ["authorization", "x-api-key", "cookie"]) {
    expect(headers).not.toHaveProperty(name);
  }
});

test("another origin gets the credentials where that is allowed", async () => {
  await using target = await startHttp(redirecting(302, "/end"));
  await using server = await startHttp(redirecting(302, `${target.origin}/end`));
  const client = clientOf(server.origin, { credentialOrigins: [target.origin] });
  const { body } = await client.get("/start");
  expect(JSON.parse(body)).toMatchObject({ headers: { "x-api-key": "k" } });
});

test("a loop of redirects ends as a ToolError, and leaves no connection open", async () => {
  let count = 0;
  await using server = await startHttp((_incoming, response) => {
    count += 1;
    response.writeHead(302, { location: "/again" }).end("moved");
  });
  const error = await failureOf(clientOf(server.origin).get("/again"));
  expect(error).toMatchObject({
    code: "tool-failed",
    message: expect.stringContaining("redirected more than 5 times"),
  });
  expect(count).toBe(6);
  await server.allClosed();
});

test("maxRedirects 0 gives the redirect as the answer", async () => {
  await using server = await startHttp(redirecting(302, "/end"));
  const response = await clientOf(server.origin, { maxRedirects: 0 }).get("/start");
  expect(response.status).toBe(302);
});

test.each(["ftp://host/", "file:///etc/passwd", "http://[", "javascript:alert(1)"])(
  "a redirect to %j is a ToolError",
  async (location) => {
    await using server = await startHttp(redirecting(302, location));
    const error = await failureOf(clientOf(server.origin).get("/start"));
    expect(error).toMatchObject({ code: "tool-failed" });
  },
);

test("a redirect without a location is the answer", async () => {
  await using server = await startHttp((_incoming, response) => response.writeHead(302).end("?"));
  expect((await clientOf(server.origin).get("/")).body).toBe("?");
});
