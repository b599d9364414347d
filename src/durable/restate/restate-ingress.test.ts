import { expect, test } from "vitest";
import { failureOf } from "../../../test/failure-of.ts";
import { startHttp } from "../../../test/loopback.ts";
import { Secret } from "../../base/secret.ts";
import type { RunMessage } from "../engine.ts";
import { RestateIngress } from "./restate-ingress.ts";

const message: RunMessage = { app: "desk", runId: "run/1", stand: 7, because: "go" };

test("a message is posted to its run, under a key that makes it one however often it is sent", async () => {
  const seen: unknown[] = [];
  await using server = await startHttp((incoming, response) => {
    const { method, url, headers } = incoming;
    let body = "";
    incoming.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    incoming.on("end", () => {
      seen.push({ method, url, headers, body: JSON.parse(body) });
      response.writeHead(202).end("{}");
    });
  });
  const headers = { authorization: new Secret("Bearer key"), "x-team": "desk" };
  const ingress = new RestateIngress({ url: `${server.origin}/base/`, headers }, "runs");
  const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
  await ingress.deliver(message, { traceparent, tracestate: "a=1", baggage: "user=ann" });
  await ingress.deliver({ ...message, because: "expiry" });
  expect(seen).toMatchObject([
    {
      method: "POST",
      url: "/base/runs/run%2F1/execute/send",
      headers: {
        authorization: "Bearer key",
        "x-team": "desk",
        "idempotency-key": "run/1@7",
        traceparent,
        tracestate: "a=1",
      },
      body: message,
    },
    { headers: { "idempotency-key": "run/1@7:expiry" } },
  ]);
  expect(JSON.stringify(seen)).not.toContain("user=ann"); // it may name people
});

test.each([
  [404, /does not know the service "runs": register/],
  [401, /answered with status 401/],
])("status %d is engine-unavailable and says what to do", async (status, text) => {
  await using server = await startHttp((_incoming, response) => response.writeHead(status).end());
  const headers = { authorization: new Secret("key-1") };
  const ingress = new RestateIngress({ url: server.origin, headers }, "runs");
  const failure = await failureOf(ingress.deliver(message));
  expect(failure).toMatchObject({
    code: "engine-unavailable",
    message: expect.stringMatching(text),
  });
  expect(String(failure)).not.toContain("key-1");
});

test("an ingress that is not there is engine-unavailable", async () => {
  const server = await startHttp(() => {});
  const { origin } = server;
  await server[Symbol.asyncDispose]();
  expect(
    await failureOf(new RestateIngress({ url: origin }, "runs").deliver(message)),
  ).toMatchObject({
    code: "engine-unavailable",
    message: expect.stringMatching(/cannot be reached/),
  });
  expect(() => new RestateIngress({ url: "127.0.0.1:8080" }, "runs")).toThrow(/must be an URL/);
});
