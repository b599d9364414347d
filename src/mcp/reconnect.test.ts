import { expect, test } from "vitest";
import { failureOf } from "../../test/failure-of.ts";
import type { Page } from "../../test/fixtures/mcp/fake-server.ts";
import { inTurn, methodsSeen, serve } from "../../test/fixtures/mcp/http-peer.ts";
import { clientFor, toolCalled } from "../../test/fixtures/mcp/stateless-peer.ts";

const legacy = { protocol: "legacy" } as const;

const deletes = (requests: readonly { readonly method: string }[]): number =>
  requests.filter(({ method }) => method === "DELETE").length;

test("G-T7: the server is told that its session ends, where it has one and nothing else is said", async () => {
  const told = async (terminateSession?: boolean): Promise<number> => {
    const server = await serve();
    const choice = terminateSession === undefined ? {} : { terminateSession };
    const transport = {
      type: "http",
      url: server.url,
      allowInsecureHttp: true,
      ...choice,
    } as const;
    const client = await clientFor(server, {}, { ...legacy, transport });
    await client.disconnect();
    return deletes(server.requests);
  };
  expect(await told()).toBe(1);
  expect(await told(true)).toBe(1);
  expect(await told(false)).toBe(0);
});

test("to reconnect is to have the new tools, and to end the old session", async () => {
  const pages: Record<string, Page> = { "": { tools: [toolCalled("before")] } };
  const server = await serve({ pages });
  const client = await clientFor(server, {}, legacy);
  await client.listTools();
  pages[""] = { tools: [toolCalled("after")] };
  const tools = await client.reconnect();
  expect(tools.map(({ sourceName }) => sourceName)).toEqual(["after"]);
  expect(methodsSeen(server)).toEqual([
    ...["initialize", "notifications/initialized", "tools/list"],
    ...["initialize", "notifications/initialized", "tools/list"],
  ]);
  expect(deletes(server.requests)).toBe(1);
  expect(client.connected).toBe(true);
});

test.each(["initialize", "tools/list"])(
  "where %s fails, to reconnect fails, and the connection that there was stays",
  async (method) => {
    const refuse = inTurn(method, [(response) => response.writeHead(403).end()]);
    let isBroken = false;
    const server = await serve({ intercept: (...exchange) => isBroken && refuse(...exchange) });
    const client = await clientFor(server, {}, legacy);
    isBroken = true;
    expect(await failureOf(client.reconnect())).toMatchObject({ code: "mcp-http", status: 403 });
    expect(client.connected).toBe(true);
    expect(await client.callTool("echo")).toHaveProperty("content");
    expect(await client.reconnect()).not.toHaveLength(0);
  },
);

test("to disconnect ends what is being reconnected, too", async () => {
  const held = Promise.withResolvers<void>();
  let isHeld = false;
  const server = await serve({
    intercept: ({ message }) => {
      const isHit = isHeld && message?.["method"] === "tools/list";
      if (isHit) {
        held.resolve();
      }
      return isHit; // and is never answered
    },
  });
  const client = await clientFor(server, {}, legacy);
  isHeld = true;
  const reconnecting = failureOf(client.reconnect());
  await held.promise;
  await client.disconnect();
  expect(await reconnecting).toMatchObject({ code: "mcp-not-connected" });
  expect(client.connected).toBe(false);
  await expect.poll(() => deletes(server.requests)).toBe(2);
});
