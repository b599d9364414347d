import type { ServerResponse } from "node:http";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import { agentOf, collect, modelOf } from "../../test/agent-fixture.ts";
import type { SeenRequest } from "../../test/fixtures/mcp/fake-http-server.ts";
import { serve } from "../../test/fixtures/mcp/http-peer.ts";
import type { Logger } from "../base/logger.ts";
import type { HttpTransport } from "../tool/mcp-server-config.ts";
import { McpClient } from "./client/mcp-client.ts";
import { mcpToolset } from "./toolset/mcp-toolset.ts";

const secret = "hunter2hunter2hunter2";

type Ways = Readonly<Record<string, (url: string) => Partial<HttpTransport>>>;

/** Every way in which a credential gets into a request. */
const ways: Ways = {
  headers: () => ({ headers: { authorization: `Bearer ${secret}` } }),
  token: () => ({ token: secret }),
  auth: () => ({ auth: { token: () => secret } }),
  signer: () => ({ signer: () => ({ "x-signature": `Key ${secret}` }) }),
  url: (url) => ({ url: `${url}?api_key=${secret}` }),
};

const echoOf = ({ headers, url }: SeenRequest): string =>
  `you sent ${JSON.stringify(headers)} to ${url}`;

const answer = (response: ServerResponse, { message }: SeenRequest, error: unknown): void =>
  void response
    .writeHead(200, { "content-type": "application/json" })
    .end(JSON.stringify({ jsonrpc: "2.0", id: message?.["id"], error }));

type Attacks = Readonly<Record<string, (response: ServerResponse, seen: SeenRequest) => void>>;

/** Every way in which a server can repeat what it was sent in an error. */
const attacks: Attacks = {
  "an error of the protocol": (response, seen) =>
    answer(response, seen, { code: -1, message: echoOf(seen), data: { seen: [echoOf(seen)] } }),
  "HTTP 401": (response, seen) => void response.writeHead(401).end(echoOf(seen)),
  "HTTP 500 with an error of the protocol": (response, seen) =>
    void response
      .writeHead(500)
      .end(JSON.stringify({ error: { code: -1, message: echoOf(seen), data: echoOf(seen) } })),
  "no JSON-RPC": (response, seen) =>
    void response.writeHead(200, { "content-type": "application/json" }).end(`{${echoOf(seen)}`),
};

const cases = Object.keys(ways).flatMap((way) =>
  Object.keys(attacks).map((attack) => [way, attack] as const),
);

test.each(cases)(
  "a credential (%s) that a server repeats in its error (%s) is told nobody",
  async (way, attack) => {
    const server = await serve({
      intercept: (seen, response) => {
        const isCall = seen.message?.["method"] === "tools/call";
        if (isCall) {
          attacks[attack]?.(response, seen);
        }
        return isCall;
      },
    });
    const url = { type: "http", url: server.url, allowInsecureHttp: true } as const;
    const transport = { ...url, ...ways[way]?.(server.url) };
    const told: unknown[] = [];
    const log = (...entry: unknown[]): void => void told.push(entry);
    const logger: Logger = { debug: log, info: log, warn: log, error: log };
    const model = modelOf({ calls: [{ name: "echo" }] }, "ok");
    const agent = agentOf({ model, mcp: [mcpToolset({ name: "far", transport })] }, { logger });
    const run = agent.stream("Go");
    told.push(await collect(run), await run.result, model.requests);
    await using client = new McpClient({ name: "far", transport });
    await client.connect();
    told.push(await client.callTool("echo").catch((error: unknown) => error));
    const text = inspect(told, { depth: 20, maxStringLength: null, maxArrayLength: null });
    expect(text).toContain("far");
    expect(text).toContain("you sent");
    expect(text).not.toContain(secret);
  },
);
