import { expect, test } from "vitest";
import { failureOf } from "../../test/failure-of.ts";
import { type Answer, startHttp } from "../../test/loopback.ts";
import type { Clock } from "../base/clock.ts";
import { HttpClient } from "./http-client.ts";

/** A clock whose timers fire at once, and that remembers what they were set to. */
function createFastClock(): Clock & { readonly delays: readonly number[] } {
  const delays: number[] = [];
  let now = Date.parse("2030-01-01T00:00:00Z");
  return {
    delays,
    now: () => now,
    startTimer(callback, delayMs) {
      delays.push(delayMs);
      now += delayMs;
      queueMicrotask(callback);
      return () => {};
    },
  };
}

/** Fails so many times, then answers. */
function failing(times: number, headers: Record<string, string> = {}): Answer {
  let count = 0;
  return (_incoming, response) => {
    count += 1;
    response.writeHead(count <= times ? 503 : 200, headers).end(String(count));
  };
}

const quiet = { instrumentor: () => {} };

test("without retry options a request is sent once", async () => {
  await using server = await startHttp(failing(1));
  const client = new HttpClient({ baseUrl: server.origin, options: quiet });
  expect(await failureOf(client.get("/"))).toMatchObject({ response: { body: "1" } });
});

test("an idempotent request is tried again, with a delay that doubles", async () => {
  await using server = await startHttp(failing(3));
  const clock = createFastClock();
  const retry = { attempts: 4, delayMs: 100 };
  const client = new HttpClient({ baseUrl: server.origin, options: { ...quiet, retry, clock } });
  expect((await client.put("/", { body: { a: 1 } })).body).toBe("4");
  expect(clock.delays).toEqual([100, 200, 400]);
});

test("network trouble is tried again", async () => {
  let count = 0;
  await using server = await startHttp((incoming, response) => {
    count += 1;
    if (count === 1) {
      incoming.socket.resetAndDestroy();
    } else {
      response.end("ok");
    }
  });
  const options = { ...quiet, retry: { attempts: 2 }, clock: createFastClock() };
  const client = new HttpClient({ baseUrl: server.origin, options });
  expect((await client.get("/")).body).toBe("ok");
});

test.each(["post", "patch"] as const)("a %s is not tried again", async (method) => {
  await using server = await startHttp(failing(1));
  const options = { ...quiet, retry: { attempts: 3 }, clock: createFastClock() };
  const client = new HttpClient({ baseUrl: server.origin, options });
  expect(await failureOf(client[method]("/"))).toMatchObject({ response: { body: "1" } });
});

test("a request that the server refuses is not tried again", async () => {
  let count = 0;
  await using server = await startHttp((_incoming, response) => {
    count += 1;
    response.writeHead(404).end();
  });
  const options = { ...quiet, retry: { attempts: 3 }, clock: createFastClock() };
  await failureOf(new HttpClient({ baseUrl: server.origin, options }).get("/"));
  expect(count).toBe(1);
});

test.each([
  ["in seconds", "7", [7_000]],
  ["as a date", "Tue, 01 Jan 2030 00:00:09 GMT", [9_000]],
  ["that says nothing", "soon", [250]],
])("a Retry-After %s is heeded", async (_name, value, delays) => {
  await using server = await startHttp(failing(1, { "retry-after": value }));
  const clock = createFastClock();
  const options = { ...quiet, retry: { attempts: 2 }, clock };
  await new HttpClient({ baseUrl: server.origin, options }).get("/");
  expect(clock.delays).toEqual(delays);
});

test("a Retry-After that is longer than the longest delay, or than the deadline, is an end", async () => {
  await using server = await startHttp(failing(9, { "retry-after": "60" }));
  const clock = createFastClock();
  const short = { ...quiet, retry: { attempts: 2 }, clock };
  await failureOf(new HttpClient({ baseUrl: server.origin, options: short }).get("/"));
  const long = { ...quiet, retry: { attempts: 2, maxDelayMs: 90_000 }, clock };
  const deadline = clock.now() + 50_000;
  await failureOf(new HttpClient({ baseUrl: server.origin, options: long }).get("/", { deadline }));
  expect(clock.delays).toEqual([]);
});

test("aborting ends the wait for the next try", async () => {
  const abort = new AbortController();
  await using server = await startHttp(failing(9));
  let cancelled = false;
  const clock: Clock = {
    now: () => 0,
    startTimer() {
      queueMicrotask(() => abort.abort("stop"));
      return () => {
        cancelled = true;
      };
    },
  };
  const options = { ...quiet, retry: { attempts: 2 }, clock };
  const client = new HttpClient({ baseUrl: server.origin, options });
  expect(await failureOf(client.get("/", { signal: abort.signal }))).toBe("stop");
  expect(cancelled).toBe(true);
});
