import { connect } from "node:net";
import { expect, test } from "vitest";
import { eventsIn, refusalIn } from "../../test/ag-ui-client.ts";
import { add, agentOf, modelOf } from "../../test/agent-fixture.ts";
import {
  agUiInput,
  jsonOf,
  listening,
  serve,
  statusOf,
  type TestServer,
} from "../../test/server-fixture.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { createServer } from "./create-server.ts";

const token = "a-token-that-nobody-guesses";

const greeter = () => agentOf({ model: modelOf("Hello.") });

const tester = "/agents/tester/ag-ui";

const everywhere: readonly (readonly [string, string])[] = [
  ["GET", "/agents"],
  ["GET", "/agents/tester"],
  ["GET", "/agents/tester/tools"],
  ["GET", "/agents/tester/definition"],
  ["POST", "/agents/tester/tools/add/calls"],
  ["GET", "/server"],
  ["POST", tester],
  ["GET", tester],
  ["GET", "/runs"],
  ["GET", "/runs/run_1"],
  ["GET", "/runs/run_1/events"],
  ["POST", "/runs/run_1/cancel"],
  ["POST", "/runs/run_1/approve"],
  ["POST", "/runs/run_1/deny"],
  ["POST", "/runs/run_1/resume"],
  ["GET", "/sessions"],
  ["GET", "/sessions/thread"],
  ["DELETE", "/sessions/thread"],
  ["POST", "/mcp"],
  ["GET", "/mcp"],
  ["GET", "/no-such-address"],
];

test.each(everywhere)(
  "%s %s is refused without a token, and with a wrong one",
  async (method, path) => {
    await using server = await listening(
      createServer({ agents: [greeter()], auth: { token }, log: "none" }),
    );
    const attempts = [{}, { authorization: "Bearer wrong" }, { authorization: `Basic ${token}` }];
    for (const headers of attempts) {
      const response = await fetch(`${server.url}${path}`, { method, headers });
      expect(response.headers.get("www-authenticate")).toContain("Bearer");
      expect(await refusalIn(response)).toEqual([401, "unauthorized"]);
    }
  },
);

test("the health of a server is told to everybody, and the rest to whoever has the token", async () => {
  await using server = await listening(
    createServer({ agents: [greeter()], auth: { token }, log: "none" }),
  );
  expect(await jsonOf(await fetch(`${server.url}/healthz`))).toMatchObject({ status: "ok" });
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`${server.url}/agents`, { headers })).status).toBe(200);
});

/** Ada's thread, in which a run waits for her. */
async function adasDesk(): Promise<{ readonly server: TestServer; readonly runId: string }> {
  const calls = { calls: [{ id: "c1", name: "add", arguments: { a: 1, b: 2 } }] };
  const model = modelOf(({ messages }) => (messages.at(-1)?.role === "tool" ? "Three." : calls));
  const server = await serve({ model, tools: [add], approval: { default: "ask" } });
  await eventsIn(await server.ask(tester, { body: agUiInput("1 + 2?") }));
  const { runs } = await jsonOf(await server.ask("/runs"));
  return { server, runId: runs[0].id };
}

test("another's run, approval and session are as if they were not there", async () => {
  const { server, runId } = await adasDesk();
  await using _ = server;
  const as = "eve";
  for (const path of [`/runs/${runId}`, `/runs/${runId}/events`]) {
    expect(await refusalIn(await server.ask(path, { as }))).toEqual([404, "not-found"]);
  }
  for (const what of ["cancel", "approve", "deny", "resume"]) {
    const response = await server.ask(`/runs/${runId}/${what}`, { as, body: {} });
    expect(await refusalIn(response)).toEqual([404, "not-found"]);
  }
  expect((await jsonOf(await server.ask("/runs", { as }))).runs).toEqual([]);
  // A thread is a session once its run has ended.
  expect((await server.ask(`/runs/${runId}/approve`, { body: {} })).status).toBe(202);
  const lengthOf = async () => (await jsonOf(await server.ask("/sessions/thread"))).length;
  await expect.poll(lengthOf).toBe(4);
  for (const [method, path] of [
    ["GET", "/sessions/thread"],
    ["GET", "/sessions/thread/messages"],
    ["DELETE", "/sessions/thread"],
  ] as const) {
    expect(await refusalIn(await server.ask(path, { as, method }))).toEqual([404, "not-found"]);
  }
  expect((await jsonOf(await server.ask("/sessions", { as }))).sessions).toEqual([]);
  const body = agUiInput("What did we say?", { runId: "wire-2" });
  expect(await refusalIn(await server.ask(tester, { as, body }))).toEqual([403, "forbidden"]);
  const read = `${tester}?threadId=thread&runId=wire-1&sourceRunId=${runId}`;
  expect(await refusalIn(await server.ask(read, { as }))).toEqual([404, "not-found"]);
  expect(await lengthOf()).toBe(4);
});

test("callers without an actor see what belongs to nobody, and nothing of those who have one", async () => {
  const auth = ({ headers }: Request) => {
    const actor = headers.get("x-user");
    return actor === null ? {} : { actor };
  };
  await using server = await serve({ model: modelOf("Hello.", "Hello.") }, { auth });
  const headers = { "x-user": "ada" };
  await eventsIn(await server.ask(tester, { as: null, headers, body: agUiInput("Hi") }));
  expect((await jsonOf(await server.ask("/runs", { as: null }))).runs).toEqual([]);
  expect((await jsonOf(await server.ask("/sessions", { as: null }))).sessions).toEqual([]);
  expect((await server.ask("/sessions/thread", { as: null })).status).toBe(404);
  const { runs } = await jsonOf(await server.ask("/runs", { as: null, headers }));
  expect((await server.ask(`/runs/${runs[0].id}`, { as: null })).status).toBe(404);
});

const hosts: readonly (readonly [string, number])[] = [
  ["127.0.0.1:PORT", 200],
  ["localhost:PORT", 200],
  ["LOCALHOST", 200],
  ["[::1]:PORT", 200],
  ["192.168.1.7", 200],
  ["agents.example", 200],
  ["Agents.Example:443", 200],
  ["rebound.example:PORT", 403],
  ["localhost.rebound.example", 403],
  ["127.0.0.1.rebound.example", 403],
  ["agents.example.evil", 403],
  ["user@localhost", 400],
  ["localhost/evil", 400],
];

test.each(hosts)("a request for the host %s is answered with %i", async (host, status) => {
  await using server = await listening(
    createServer({ agents: [greeter()], log: "none", allowedHosts: ["agents.example"] }),
  );
  const headers = { host: host.replace("PORT", new URL(server.url).port) };
  for (const path of ["/agents", "/healthz"]) {
    expect(await statusOf(`${server.url}${path}`, headers)).toBe(status);
  }
});

const origins: readonly (readonly [Readonly<Record<string, string>>, number])[] = [
  [{}, 200],
  [{ origin: "OWN" }, 200],
  [{ origin: "https://app.example" }, 200],
  [{ origin: "https://evil.example" }, 403],
  [{ origin: "http://localhost:3000" }, 403],
  [{ origin: "https://app.example.evil" }, 403],
  [{ origin: "null" }, 403],
  [{ "sec-fetch-site": "same-origin" }, 200],
  [{ "sec-fetch-site": "none", "sec-fetch-mode": "navigate" }, 200],
  [{ "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }, 200],
  [{ "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" }, 403],
  [{ "sec-fetch-site": "same-site", "sec-fetch-mode": "cors" }, 403],
];

test.each(origins)("a request with %j is answered with %i", async (headers, status) => {
  await using server = await listening(
    createServer({ agents: [greeter()], log: "none", allowedOrigins: ["https://app.example"] }),
  );
  const own = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value === "OWN" ? server.url : value]),
  );
  expect(await statusOf(`${server.url}/agents`, own)).toBe(status);
});

test("CORS is off, save for the sites that are allowed", async () => {
  const preflight = { origin: "https://app.example", "access-control-request-method": "POST" };
  await using closed = await listening(createServer({ agents: [greeter()], log: "none" }));
  expect(await statusOf(`${closed.url}/agents`, preflight, "OPTIONS")).toBe(403);
  await using open = await listening(
    createServer({
      agents: [greeter()],
      auth: { token },
      log: "none",
      allowedOrigins: ["https://app.example"],
    }),
  );
  const response = await open.server.fetch(
    new Request(`${open.url}/agents`, {
      method: "OPTIONS",
      headers: { ...preflight, host: new URL(open.url).host },
    }),
  );
  expect(response.status).toBe(204);
  expect(response.headers.get("access-control-allow-origin")).toBe("https://app.example");
  expect(response.headers.get("access-control-allow-credentials")).toBeNull();
});

test("a server that lets everybody in listens on this machine only", async () => {
  const open = createServer({ agents: [greeter()], log: "none" });
  for (const hostname of [
    "0.0.0.0",
    "::",
    "192.168.1.7",
    "agents.example",
    "127.0.0.1.evil.example",
  ]) {
    await expect(open.listen({ hostname })).rejects.toThrow(/lets everybody in/);
  }
  await using _ = createServer({ agents: [greeter()], auth: { token }, log: "none" });
  const { port } = await _.listen({ hostname: "0.0.0.0" });
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`http://127.0.0.1:${port}/agents`, { headers })).status).toBe(200);
});

test("a caller who asks too often waits, others do not, and wrong tokens are counted by address", async () => {
  const clock = manualClock();
  const limits = { requestsPerMinute: 2, refusalsPerMinute: 2 };
  await using server = await serve({ model: modelOf("Hello.") }, { limits, clock });
  const statusFor = async (as: string | null) => (await server.ask("/agents", { as })).status;
  expect([await statusFor("ada"), await statusFor("ada"), await statusFor("ada")]).toEqual([
    200, 200, 429,
  ]);
  expect((await server.ask("/agents")).headers.get("retry-after")).toBe("30");
  expect(await statusFor("bob")).toBe(200);
  clock.advance(30_000);
  expect(await statusFor("ada")).toBe(200);
  expect([await statusFor(null), await statusFor(null), await statusFor(null)]).toEqual([
    401, 401, 429,
  ]);
});

test("a body that is too large is refused, whoever reads it, and also without its length", async () => {
  await using server = await serve(
    { model: modelOf("Hello.") },
    { limits: { maxBodyBytes: 1_000 } },
  );
  const body = { ...agUiInput("x".repeat(2_000)), ids: ["x".repeat(2_000)] };
  for (const path of [tester, "/mcp"]) {
    expect(await refusalIn(await server.ask(path, { body }))).toEqual([413, "too-large"]);
  }
  const chunked = await fetch(`${server.url}/mcp`, {
    method: "POST",
    headers: { authorization: "Bearer ada-ada", "content-type": "application/json" },
    body: ReadableStream.from([new Uint8Array(800), new Uint8Array(800)]),
    duplex: "half",
  } as RequestInit);
  expect(await refusalIn(chunked)).toEqual([413, "too-large"]);
});

test("no more requests are open at once than the server takes, and a reader that vanishes frees its place", async () => {
  const started = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  await using server = await serve(
    {
      model: {
        id: "slow",
        capabilities: { tools: true, images: true, jsonSchema: true },
        async *stream(_request, { signal }) {
          started.resolve();
          yield { kind: "text-delta", id: "t1", text: "Well" };
          await new Promise((_, reject) => {
            signal.addEventListener("abort", () => {
              ended.resolve();
              reject(signal.reason);
            });
          });
        },
      },
    },
    { limits: { maxOpenRequests: 3, maxOpenRequestsPerCaller: 1 } },
  );
  const leaving = new AbortController();
  const reading = server.ask(tester, { body: agUiInput("Hi"), signal: leaving.signal });
  const body = (await reading).text().catch(() => "gone");
  await started.promise;
  expect(await refusalIn(await server.ask("/agents"))).toEqual([429, "too-many-requests"]);
  expect((await server.ask("/agents", { as: "bob" })).status).toBe(200);
  leaving.abort();
  expect(await body).toBe("gone");
  await ended.promise;
  await expect.poll(async () => (await server.ask("/agents")).status).toBe(200);
});

test("a request that is no HTTP does the server no harm", async () => {
  await using server = await listening(createServer({ agents: [greeter()], log: "none" }));
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  socket.end("SSH-2.0-OpenSSH_9.6\r\n\r\n");
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.resume();
  await closed;
  expect((await fetch(`${server.url}/agents`)).status).toBe(200);
});
