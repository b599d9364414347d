import { request } from "node:http";
import { expect, test } from "vitest";
import { createCertificate } from "../../../test/certificate.ts";
import { startFakeSseServer } from "../../../test/fixtures/mcp/fake-sse-server.ts";
import { call, connect, failureOf, serve } from "../../../test/fixtures/mcp/http-peer.ts";
import { startHttps } from "../../../test/loopback.ts";
import { startProxy } from "../../../test/proxy.ts";

test.each([307, 308])("a redirect %s within the origin is sent again whole", async (status) => {
  const server = await serve({
    intercept: ({ url }, response) => {
      if (url === "/mcp") {
        response.writeHead(status, { location: "/mcp/" }).end();
      }
      return url === "/mcp";
    },
  });
  const connection = await connect(server.url, { token: "t-1" });
  expect(await call(connection)).toHaveProperty("content");
  const last = server.requests.filter(({ url }) => url === "/mcp/").at(-1);
  expect(last).toMatchObject({
    method: "POST",
    message: { method: "tools/call" },
    headers: { authorization: "Bearer t-1", "mcp-session-id": "s-1" },
  });
});

test.each([301, 302, 303])(
  "a redirect %s would turn a POST into a GET, and is told",
  async (status) => {
    const server = await serve({
      intercept: ({ url }, response) => {
        if (url === "/mcp") {
          response.writeHead(status, { location: "/mcp/" }).end();
        }
        return url === "/mcp";
      },
    });
    const failure = await failureOf(connect(server.url));
    expect(failure.message).toContain("would turn it into a GET");
    expect(failure.message).toContain("with the slash at its end");
    expect(server.requests.map(({ method }) => method)).not.toContain("GET");
  },
);

test("redirects in a circle come to an end", async () => {
  const server = await serve({
    intercept: (_request, response) => {
      response.writeHead(307, { location: "/mcp" }).end();
      return true;
    },
  });
  expect((await failureOf(connect(server.url))).message).toContain("redirects more than 5 times");
  expect(server.requests).toHaveLength(6);
});

test.each([400, 404, 405])(
  "a server that answers HTTP %s to the handshake is spoken to in the older way",
  async (status) => {
    const server = await startFakeSseServer({
      streamPath: "/mcp",
      intercept: ({ method, url }, response) => {
        const isNew = method === "POST" && url === "/mcp";
        if (isNew) {
          response.writeHead(status).end();
        }
        return isNew;
      },
    });
    const connection = await connect(`${server.origin}/mcp`);
    expect(await call(connection)).toHaveProperty("content");
    await connection.close();
    await server.close();
  },
);

test.each([401, 403, 500])("HTTP %s does not lead to the older way", async (status) => {
  const server = await serve({
    intercept: (_request, response) => {
      response.writeHead(status).end();
      return true;
    },
  });
  await failureOf(connect(server.url));
  expect(server.requests.map(({ method }) => method)).toEqual(["POST"]);
});

test("G-T2: a token that changes and a signature of the final bytes go with every request", async () => {
  const server = await serve();
  let count = 0;
  const signed: string[] = [];
  const connection = await connect(server.url, {
    auth: {
      token() {
        count += 1;
        return `t-${count}`;
      },
    },
    signer: ({ method, headers, body }) => {
      signed.push(`${method} ${headers["authorization"]} ${Buffer.from(body).toString()}`);
      return { "x-signature": `s-${signed.length}` };
    },
  });
  await call(connection);
  await connection.close();
  const tokens = server.requests.map(({ headers }) => headers.authorization);
  expect(new Set(tokens).size).toBe(server.requests.length);
  expect(server.requests.map(({ headers }) => headers["x-signature"])).not.toContain(undefined);
  expect(signed[0]).toMatch(/^POST Bearer t-1 \{"jsonrpc":"2.0"/);
});

test("every request goes through the proxy", async () => {
  await using proxy = await startProxy();
  const server = await serve();
  const connection = await connect(server.url, { proxy: proxy.url.replace("//", "//me:pw@") });
  await call(connection);
  await connection.close();
  expect(proxy.seen).toHaveLength(server.requests.length);
  expect(new Set(proxy.seen.map((line) => line.split(" ")[0]))).toEqual(
    new Set(["POST", "GET", "DELETE"]),
  );
});

test("a server with a certificate of one's own is trusted with its authority, and not without", async () => {
  const credentials = await createCertificate();
  const inner = await serve();
  await using secure = await startHttps(credentials, (incoming, response) => {
    const onward = request(inner.url, { method: incoming.method ?? "", headers: incoming.headers });
    onward.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(onward);
  });
  const url = `${secure.origin}/mcp`;
  const failure = await failureOf(connect(url));
  expect(failure.code).toBe("mcp-certificate");
  expect(failure.message).toMatch(/is not to be trusted \([A-Z_]+\)/);
  const connection = await connect(url, { tls: { ca: credentials.cert } });
  expect(await call(connection)).toHaveProperty("content");
  await connection.close();
});
