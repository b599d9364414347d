import { expect, test } from "vitest";
import { failureOf } from "../../test/failure-of.ts";
import { startHttp, startTcp } from "../../test/loopback.ts";
import { ToolTimeoutError } from "../base/tool-error.ts";
import type { HttpRequest } from "./http-request.ts";
import { sendHttpRequest } from "./send-http-request.ts";

const textOf = async (request: HttpRequest): Promise<string> =>
  (await sendHttpRequest(request)).text();

test("L-H5, L-H15: a name that is not resolved in time is a ToolTimeoutError of connecting", async () => {
  const error = await failureOf(
    textOf({ method: "GET", url: "http://slow.test/", connectTimeoutMs: 20, lookup: () => {} }),
  );
  expect(error).toBeInstanceOf(ToolTimeoutError);
  expect(error).toMatchObject({ message: expect.stringContaining("connectTimeoutMs") });
});

test("L-H5, L-H15: a TLS handshake that does not end in time is a ToolTimeoutError of connecting", async () => {
  await using server = await startTcp((socket) => socket.resume());
  const error = await failureOf(
    textOf({ method: "GET", url: `https://127.0.0.1:${server.port}`, connectTimeoutMs: 20 }),
  );
  expect(error).toMatchObject({
    code: "tool-timeout",
    message: expect.stringContaining("connectTimeoutMs"),
  });
  await server.allClosed();
});

test("L-H5, L-H15: a server that does not answer in time is a ToolTimeoutError of reading", async () => {
  await using server = await startHttp(() => {});
  const error = await failureOf(
    textOf({ method: "GET", url: server.origin, readTimeoutMs: 20, writeTimeoutMs: 60_000 }),
  );
  expect(error).toMatchObject({
    code: "tool-timeout",
    message: expect.stringContaining("readTimeoutMs"),
  });
  await server.allClosed();
});

test("L-H5, L-H15: a server that falls silent within the body is a ToolTimeoutError of reading", async () => {
  await using server = await startHttp((_incoming, response) => response.write("begun"));
  const response = await sendHttpRequest({
    method: "GET",
    url: server.origin,
    readTimeoutMs: 150,
  });
  const error = await failureOf(response.text());
  expect(error).toMatchObject({ message: expect.stringContaining("the server is silent") });
  await server.allClosed();
});

test("L-H5, L-H15: a server that takes no more of the body is a ToolTimeoutError of writing", async () => {
  await using server = await startTcp((socket) => socket.pause());
  const error = await failureOf(
    textOf({
      method: "POST",
      url: server.origin,
      body: new Uint8Array(32 * 1024 * 1024),
      writeTimeoutMs: 50,
      readTimeoutMs: 60_000,
    }),
  );
  expect(error).toMatchObject({
    code: "tool-timeout",
    message: expect.stringContaining("writeTimeoutMs"),
  });
});

test("L-H5: a reader that is slower than readTimeoutMs still gets the whole body", async () => {
  await using server = await startHttp((_incoming, response) => {
    response.write("a");
    response.end(Buffer.alloc(4 * 1024 * 1024));
  });
  const { body } = await sendHttpRequest({ method: "GET", url: server.origin, readTimeoutMs: 150 });
  let size = 0;
  for await (const chunk of body) {
    if (size === 0) {
      await new Promise((resolve) => setTimeout(resolve, 400)); // the slowness is what is tested
    }
    size += chunk.byteLength;
  }
  expect(size).toBe(4 * 1024 * 1024 + 1);
});

test("L-H5, L-H15: a server that is silent after its reader was slow is a ToolTimeoutError of reading", async () => {
  await using server = await startHttp((_incoming, response) => response.write("begun"));
  const { body } = await sendHttpRequest({ method: "GET", url: server.origin, readTimeoutMs: 150 });
  const reading = (async () => {
    for await (const _chunk of body) {
      await new Promise((resolve) => setTimeout(resolve, 300)); // the slowness is what is tested
    }
  })();
  expect(await failureOf(reading)).toBeInstanceOf(ToolTimeoutError);
});

test("a body that nobody begins to read gives its connection up", async () => {
  await using server = await startHttp((_incoming, response) => response.end("unread"));
  const response = await sendHttpRequest({ method: "GET", url: server.origin, readTimeoutMs: 150 });
  await server.allClosed();
  expect(await failureOf(response.text())).toBeInstanceOf(ToolTimeoutError);
});
