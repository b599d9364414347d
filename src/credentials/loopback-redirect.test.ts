import { request } from "node:http";
import { expect, test } from "vitest";
import { failureOf } from "../../test/failure-of.ts";
import { openLoopbackRedirect } from "./loopback-redirect.ts";

const never = { signal: new AbortController().signal };

/** The status that a request gets, with a Host of one's own. */
const statusOf = (url: string, host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(url, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
  });

test("the answer with the right state is taken, once, and the person may close the page", async () => {
  await using listener = await openLoopbackRedirect();
  expect(listener.redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  const answer = listener.answer("s-1", never);
  const url = `${listener.redirectUri}?code=c%201&state=s-1`;
  const page = await fetch(url);
  expect(page.status).toBe(200);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  const text = await page.text();
  expect(text).toContain("You may close this page.");
  expect(text).not.toContain("c 1");
  expect((await answer).href).toBe(url);
  expect((await fetch(url)).status).toBe(400);
});

test("whatever else comes is turned away, and does not end the wait", async () => {
  await using listener = await openLoopbackRedirect();
  const { redirectUri } = listener;
  const { port } = new URL(redirectUri);
  expect((await fetch(`${redirectUri}?code=c&state=s-1`)).status).toBe(400); // nothing was asked yet
  const answer = listener.answer("s-1", never);
  expect((await fetch(`${redirectUri}?code=c&state=other`)).status).toBe(400);
  expect((await fetch(`${redirectUri}?code=c`)).status).toBe(400);
  expect((await fetch(`http://127.0.0.1:${port}/favicon.ico?state=s-1`)).status).toBe(404);
  expect((await fetch(`${redirectUri}?state=s-1`, { method: "POST" })).status).toBe(404);
  expect(await statusOf(`${redirectUri}?state=s-1`, "evil.example")).toBe(404); // DNS rebinding
  const page = await fetch(`${redirectUri}?error=access_denied&state=s-1`);
  expect(await page.text()).toContain("Access was not granted.");
  expect((await answer).searchParams.get("error")).toBe("access_denied");
});

test("a client that is registered is listened for where it must be", async () => {
  const { redirectUri } = await openLoopbackRedirect().then(async (listener) => {
    await listener[Symbol.asyncDispose]();
    return listener;
  });
  const wanted = redirectUri.replace("/callback", "/oauth/done");
  await using listener = await openLoopbackRedirect(wanted);
  expect(listener.redirectUri).toBe(wanted);
  expect(await failureOf(openLoopbackRedirect(wanted))).toMatchObject({ code: "EADDRINUSE" });
});

test("whoever stops waiting gets the reason, and after it is disposed of nothing listens", async () => {
  const stop = new AbortController();
  const listener = await openLoopbackRedirect();
  const answer = failureOf(listener.answer("s-1", { signal: stop.signal }));
  stop.abort("enough");
  expect(await answer).toBe("enough");
  await listener[Symbol.asyncDispose]();
  expect(await failureOf(fetch(listener.redirectUri))).toBeInstanceOf(TypeError);
});
