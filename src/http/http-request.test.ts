import { getEventListeners } from "node:events";
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { failureOf } from "../../test/failure-of.ts";
import { startHttp, startTcp } from "../../test/loopback.ts";
import { ToolError, ToolNetworkError } from "../base/tool-error.ts";
import type { HttpRequest } from "./http-request.ts";
import { sendHttpRequest } from "./send-http-request.ts";
import { readServerSentEvents } from "./server-sent-events.ts";

const textOf = async (request: HttpRequest): Promise<string> =>
  (await sendHttpRequest(request)).text();

test("a request is sent with its method, path, query, headers and body", async () => {
  await using server = await startHttp((incoming, response) => {
    incoming.setEncoding("utf8").on("data", (body) => {
      const { method, url, headers } = incoming;
      response.setHeader("x-answer", "yes").writeHead(418);
      response.end(JSON.stringify([method, url, headers["x-a"], headers["content-length"], body]));
    });
  });
  const response = await sendHttpRequest({
    method: "DELETE",
    url: `${server.origin}/a%20b?q=1`,
    headers: { "X-A": "1" },
    body: "née",
  });
  expect(response.status).toBe(418);
  expect(response.headers["x-answer"]).toBe("yes");
  expect(await response.text()).toBe('["DELETE","/a%20b?q=1","1","4","née"]');
});

test("a body of chunks is streamed", async () => {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let index = 0; index < 100; index += 1) {
      yield new Uint8Array(10_000).fill(97);
    }
  }
  await using server = await startHttp((incoming, response) => {
    let length = 0;
    incoming.on("data", (chunk) => {
      length += chunk.length;
    });
    incoming.on("end", () => response.end(`${length} ${incoming.headers["transfer-encoding"]}`));
  });
  expect(await textOf({ method: "POST", url: server.origin, body: chunks() })).toBe(
    "1000000 chunked",
  );
});

test("a body whose source fails ends the request with the source's error as cause", async () => {
  const cause = new Error("disk");
  // biome-ignore lint/correctness/useYield: it fails before it gives anything
  async function* chunks(): AsyncGenerator<Uint8Array> {
    throw cause;
  }
  await using server = await startHttp(() => {});
  const error = await failureOf(
    sendHttpRequest({ method: "POST", url: server.origin, body: chunks() }),
  );
  expect(error).toMatchObject({ code: "tool-failed", cause });
  await server.allClosed();
});

test.each([
  ["gzip", gzipSync("text")],
  ["deflate", deflateSync("text")],
  ["br", brotliCompressSync("text")],
  ["GZIP, br", brotliCompressSync(gzipSync("text"))],
  ["gzip", gzipSync("text").subarray(0, -8)], // without its trailer
  ["identity", Buffer.from("text")],
])("L-H13: a body in %s is decompressed", async (encoding, bytes) => {
  await using server = await startHttp((_incoming, response) => {
    response.setHeader("content-encoding", encoding).end(bytes);
  });
  const response = await sendHttpRequest({ method: "GET", url: server.origin });
  expect(await response.text()).toBe("text");
  expect(response.headers["content-length"]).toBe(encoding === "identity" ? "4" : undefined);
});

test("server-sent events under gzip arrive one by one", async () => {
  const received: string[] = [];
  let sendNext = (): void => {};
  await using server = await startHttp((_incoming, response) => {
    response.setHeader("content-encoding", "gzip");
    const gzip = createGzip();
    gzip.pipe(response);
    let count = 0;
    sendNext = () => {
      count += 1;
      if (count > 3) {
        gzip.end();
      } else {
        gzip.write(`data: ${count}\n\n`);
        gzip.flush();
      }
    };
    sendNext();
  });
  const { body } = await sendHttpRequest({ method: "GET", url: server.origin });
  for await (const batch of readServerSentEvents(body)) {
    received.push(...batch.map(({ data }) => data));
    sendNext(); // the server waits for us: an event that were held back would hang here
  }
  expect(received).toEqual(["1", "2", "3"]);
});

test("a broken compressed body is a ToolError", async () => {
  await using server = await startHttp((_incoming, response) => {
    response.setHeader("content-encoding", "gzip").end("not gzip at all");
  });
  const error = await failureOf(textOf({ method: "GET", url: server.origin }));
  expect(error).toMatchObject({ code: "tool-failed", cause: { code: "Z_DATA_ERROR" } });
});

test("a gzip bomb is stopped at the limit", async () => {
  const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
  await using server = await startHttp((_incoming, response) => {
    response.setHeader("content-encoding", "gzip").end(bomb);
  });
  const error = await failureOf(
    textOf({ method: "GET", url: server.origin, maxResponseBytes: 1_000_000 }),
  );
  expect(error).toMatchObject({ code: "tool-response-too-large" });
});

test("a body as long as the limit is read, one byte more is not", async () => {
  await using server = await startHttp((_incoming, response) => response.end("12345"));
  const request = { method: "GET", url: server.origin } as const;
  expect(await textOf({ ...request, maxResponseBytes: 5 })).toBe("12345");
  const error = await failureOf(textOf({ ...request, maxResponseBytes: 4 }));
  expect(error).toMatchObject({ code: "tool-response-too-large" });
});

test("L-H15: a connection that is reset before the answer is a ToolNetworkError with its cause", async () => {
  await using server = await startTcp((socket) =>
    socket.once("data", () => socket.resetAndDestroy()),
  );
  const error = await failureOf(textOf({ method: "GET", url: server.origin }));
  expect(error).toBeInstanceOf(ToolNetworkError);
  expect(error).toMatchObject({ code: "tool-network", cause: { code: "ECONNRESET" } });
});

test("L-H15: a connection that is reset within the body is a ToolNetworkError", async () => {
  await using server = await startTcp((socket) => {
    socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc"));
    socket.once("data", () => setImmediate(() => socket.end()));
  });
  const response = await sendHttpRequest({ method: "GET", url: server.origin });
  const error = await failureOf(response.text());
  expect(error).toMatchObject({ code: "tool-network", cause: { code: "ECONNRESET" } });
});

test.each([
  ["refuses the connection", async () => "http://127.0.0.1:1/", /nothing listens/],
  ["has an unknown name", async () => "http://no-such-host.invalid/", /host name/],
])("L-H15: a server that %s is a ToolNetworkError", async (_name, url, message) => {
  const error = await failureOf(textOf({ method: "GET", url: await url() }));
  expect(error).toMatchObject({ code: "tool-network", message: expect.stringMatching(message) });
});

test.each([
  ["ETIMEDOUT", "tool-timeout"],
  ["EHOSTUNREACH", "tool-network"],
  ["ERR_SOCKET_BAD_PORT", "tool-failed"],
  ["CERT_REVOKED", "tool-certificate"],
])(
  "L-H15, L-H16, L-H17: what the platform reports as %s is %s, with its cause",
  async (of, code) => {
    const cause = Object.assign(new Error("of the platform"), { code: of });
    const lookup: HttpRequest["lookup"] = (_name, _options, done) => done(cause, "");
    const error = await failureOf(textOf({ method: "GET", url: "http://host.test/", lookup }));
    expect(error).toSatisfy(ToolError.is);
    expect(error).toMatchObject({ code, cause });
  },
);

test("L-H15: a server that does not speak HTTP is a ToolNetworkError", async () => {
  await using server = await startTcp((socket) => socket.end("SSH-2.0-OpenSSH_9.9\r\n"));
  const error = await failureOf(textOf({ method: "GET", url: server.origin }));
  expect(error).toMatchObject({ code: "tool-network", message: expect.stringContaining("HPE_") });
});

test("cancelling a body, or leaving its loop, closes the connection", async () => {
  await using server = await startHttp((_incoming, response) => response.write("a"));
  const request = { method: "GET", url: server.origin } as const;
  (await sendHttpRequest(request)).cancel();
  await server.allClosed();
  for await (const _chunk of (await sendHttpRequest(request)).body) {
    break;
  }
  await server.allClosed();
  expect(server.connections).toBe(2);
});

test("a signal that is already aborted sends nothing", async () => {
  await using server = await startHttp((_incoming, response) => response.end());
  const reason = new Error("stop");
  const signal = AbortSignal.abort(reason);
  expect(await failureOf(textOf({ method: "GET", url: server.origin, signal }))).toBe(reason);
  expect(server.connections).toBe(0);
});

test("aborting rejects with the signal's reason and closes the connection, before the answer and within it", async () => {
  for (const path of ["/silent", "/begun"]) {
    const abort = new AbortController();
    const reason = { stop: path };
    await using server = await startHttp((incoming, response) => {
      if (incoming.url === "/begun") {
        response.write("a");
      } else {
        abort.abort(reason);
      }
    });
    const reading = sendHttpRequest({
      method: "GET",
      url: server.origin + path,
      signal: abort.signal,
    }).then(async ({ body }) => {
      for await (const _chunk of body) {
        abort.abort(reason);
      }
    });
    expect(await failureOf(reading)).toBe(reason);
    await server.allClosed();
  }
});

test("L-H4: connections are kept for the next request, unless that is switched off", async () => {
  await using server = await startHttp((_incoming, response) => response.end("x"));
  const request = { method: "GET", url: server.origin } as const;
  for (let count = 0; count < 3; count += 1) {
    await textOf(request);
  }
  expect(server.connections).toBe(1);
  await textOf({ ...request, keepAlive: false });
  await textOf({ ...request, keepAlive: false });
  expect(server.connections).toBe(3);
});

test("an answer without a body leaves its connection for the next request", async () => {
  await using server = await startHttp((incoming, response) =>
    // Node closes the connection after HEAD where the length is not told.
    incoming.method === "HEAD"
      ? response.setHeader("content-length", 9).end()
      : response.writeHead(204).end(),
  );
  for (const method of ["HEAD", "GET", "HEAD"]) {
    const response = await sendHttpRequest({ method, url: server.origin });
    expect(await response.text()).toBe("");
  }
  expect(server.connections).toBe(1);
});

/** Answers one request on each connection and closes it when the second comes. */
const startForgetful = (): ReturnType<typeof startTcp> =>
  startTcp((socket) => {
    socket.once("data", () => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
      socket.once("data", () => socket.resetAndDestroy());
    });
  });

test("an idempotent request that meets a closing connection is sent again on a new one", async () => {
  await using server = await startForgetful();
  const request = { method: "GET", url: server.origin } as const;
  expect(await textOf(request)).toBe("ok");
  expect(await textOf(request)).toBe("ok");
  expect(server.connections).toBe(2);
});

test("a POST that meets a closing connection is not sent again", async () => {
  await using server = await startForgetful();
  const request = { method: "POST", url: server.origin, body: "pay" } as const;
  expect(await textOf(request)).toBe("ok");
  expect(await failureOf(textOf(request))).toBeInstanceOf(ToolNetworkError);
  expect(server.connections).toBe(1);
});

test("a compressed body that has come whole no longer bounds the connection, which serves others", async () => {
  await using server = await startHttp((incoming, response) => {
    if (incoming.url === "/first") {
      response.setHeader("content-encoding", "gzip").end(gzipSync("first"));
    } else {
      setTimeout(() => response.end("second"), 400); // longer than the first one's readTimeoutMs
    }
  });
  const first = await sendHttpRequest({
    method: "GET",
    url: `${server.origin}/first`,
    readTimeoutMs: 150,
  });
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve))); // all of it comes in
  const second = textOf({ method: "GET", url: `${server.origin}/second` });
  await new Promise((resolve) => setImmediate(resolve)); // it is sent
  expect(await first.text()).toBe("first");
  expect(await second).toBe("second");
  expect(server.connections).toBe(1);
});

test("nothing is left on a signal that outlives its requests", async () => {
  await using server = await startHttp((incoming, response) =>
    incoming.url === "/reset" ? incoming.socket.resetAndDestroy() : response.end("x"),
  );
  const { signal } = new AbortController();
  await textOf({ method: "GET", url: server.origin, signal });
  await failureOf(textOf({ method: "GET", url: `${server.origin}/reset`, signal }));
  (await sendHttpRequest({ method: "GET", url: server.origin, signal })).cancel();
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("a body is there once", async () => {
  await using server = await startHttp((_incoming, response) => response.end("x"));
  const response = await sendHttpRequest({ method: "GET", url: server.origin });
  expect(await response.bytes()).toBe(await response.bytes());
  const again = (async () => {
    for await (const _chunk of response.body) {
    }
  })();
  expect(await failureOf(again)).toMatchObject({ message: expect.stringContaining("already") });
});

test("user-info in the URL becomes basic authorization", async () => {
  await using server = await startHttp((incoming, response) =>
    response.end(incoming.headers.authorization),
  );
  const url = server.origin.replace("//", "//ann:p%40ss@");
  expect(await textOf({ method: "GET", url })).toBe(`Basic ${btoa("ann:p@ss")}`);
});

test.each(["not a url", "ftp://host/", "file:///etc/passwd", "//host/path"])(
  "L-H16: the URL %j is a ToolError",
  async (url) => {
    const error = await failureOf(textOf({ method: "GET", url }));
    expect(error).toBeInstanceOf(ToolError);
    expect(error).toMatchObject({ code: "tool-failed" });
  },
);

test("L-H16: a header that cannot be sent is a ToolError that does not show its value", async () => {
  const error = await failureOf(
    textOf({ method: "GET", url: "http://127.0.0.1:1", headers: { "x-key": "sécret\n1" } }),
  );
  expect(error).toMatchObject({ code: "tool-failed", cause: { code: "ERR_INVALID_CHAR" } });
  expect(JSON.stringify(error) + String(error)).not.toContain("cret\\n1");
});
