import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { eventsIn, textIn, user } from "../../test/ag-ui-client.ts";
import { agentOf, modelOf } from "../../test/agent-fixture.ts";
import { type LoopbackServer, startHttp } from "../../test/loopback.ts";
import { MemoryRunStore } from "../agent/memory-run-store.ts";
import type { Model } from "../model/model.ts";
import { noUsage } from "../model/usage.ts";
import { createAgUiHandler } from "./create-ag-ui-handler.ts";
import type { AgUiHandlerOptions } from "./handler-options.ts";
import { toNodeListener } from "./to-node-listener.ts";

interface Served extends AsyncDisposable {
  readonly origin: string;
  readonly port: number;
  statuses(): Promise<readonly string[]>;
}

async function serve(model: Model, options: Partial<AgUiHandlerOptions> = {}): Promise<Served> {
  const runs = new MemoryRunStore();
  const agent = agentOf({ model }, { runs });
  const handler = createAgUiHandler(agent, { authenticate: () => ({}), ...options });
  const server: LoopbackServer = await startHttp(toNodeListener(handler));
  return {
    origin: server.origin,
    port: server.port,
    statuses: async () => (await runs.list({ app: "default" })).runs.map(({ status }) => status),
    [Symbol.asyncDispose]: async () => {
      await handler.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

const inputOf = (content: string): string =>
  JSON.stringify({ threadId: "t", runId: "r", protocolVersion: "1.0", messages: [user(content)] });

const post = (origin: string, body: string, init: RequestInit = {}): Promise<Response> =>
  fetch(origin, { method: "POST", headers: { "content-type": "application/json" }, body, ...init });

test("node:http serves the same, over a connection that can be used again", async () => {
  await using server = await serve(modelOf("Good day."));
  const response = await post(server.origin, inputOf("Grüße"));
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  expect(textIn(await eventsIn(response))).toBe("Good day.");
  const refused = await post(server.origin, "{");
  expect(refused.status).toBe(400);
  expect((await fetch(`${server.origin}/?a=b`)).status).toBe(200);
});

test("a body that is too large is refused before it was read", async () => {
  await using server = await serve(modelOf("never"), { limits: { maxBytes: 1_000 } });
  const response = await post(server.origin, inputOf("x".repeat(2_000)));
  expect(response.status).toBe(413);
  expect(await server.statuses()).toEqual([]);
});

test("a connection that vanishes cancels the run, with continue it does not", async () => {
  for (const onDisconnect of ["cancel", "continue"] as const) {
    await using server = await serve(modelOf({ text: "Hello", hangs: true }), { onDisconnect });
    const lost = new AbortController();
    const response = await post(server.origin, inputOf("Hi"), { signal: lost.signal });
    await response.body?.getReader().read();
    lost.abort();
    const expected = onDisconnect === "cancel" ? ["cancelled"] : ["running"];
    await expect.poll(server.statuses).toEqual(expected);
  }
});

test("a connection that takes nothing holds little memory, and gets everything once it reads", async () => {
  const pieces = 20_000;
  const piece = "x".repeat(1_000);
  let given = 0;
  const model: Model = {
    id: "talker",
    capabilities: { tools: true, images: true, jsonSchema: true },
    async *stream() {
      for (given = 0; given < pieces; given += 1) {
        yield { kind: "text-delta", id: "t", text: piece };
      }
      yield { kind: "finish", reason: "stop", usage: noUsage };
    },
  };
  // Not kept: a store takes no step of this size.
  const handler = createAgUiHandler(agentOf({ model }), { authenticate: () => ({}) });
  await using server = await startHttp(toNodeListener(handler));
  const socket = connect({ port: server.port, host: "127.0.0.1" });
  socket.pause();
  await once(socket, "connect");
  const body = inputOf("Talk");
  socket.write(
    `POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  await expect.poll(() => given).toBe(pieces);
  let received = 0;
  socket.on("data", (chunk) => {
    received += chunk.length;
  });
  socket.resume();
  await once(socket, "close");
  // The text, once: what it was joined to meanwhile, without a frame around each piece.
  expect(received).toBeGreaterThan(pieces * piece.length);
  expect(received).toBeLessThan(pieces * piece.length * 1.1);
});
