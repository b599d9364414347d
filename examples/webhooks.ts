import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createDragoman } from "dragoman";
import { AddressGuard } from "dragoman/http";
import {
  createServer,
  fencedPayload,
  githubWebhooks,
  standardWebhooks,
  type WebhookOptions,
} from "dragoman/server";
import { memoryRuns, memorySessions } from "dragoman/stores";
import { scriptedModel } from "dragoman/testing";
import { webhookTool } from "dragoman/tools";
import * as z from "zod";

// A receiver of webhooks on this machine, which stands for somebody else's.
const receiver = createHttpServer((request, response) => {
  console.log(`${request.method} ${request.url} ${request.headers["webhook-id"]?.slice(0, 4)}…`);
  response.writeHead(204).end();
});
await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
const { port } = receiver.address() as AddressInfo; // a TCP server has no other
const pagerUrl = `http://127.0.0.1:${port}/pager`;

const secrets = {
  pager: `whsec_${btoa("a secret of 32 bytes for a pager")}`,
  shop: `whsec_${btoa("a secret of 32 bytes, for a shop")}`,
  github: "a-secret-that-github-knows",
};

// Only this example may ask this machine.
const http = { guard: new AddressGuard({ allow: [{ host: "127.0.0.1", port }] }) };

const pageSomebody = webhookTool({
  name: "page_somebody",
  description: "Calls the person on duty. Only for what cannot wait until tomorrow.",
  url: pagerUrl,
  inputSchema: z.object({ text: z.string(), urgency: z.enum(["low", "high"]) }),
  secret: secrets.pager, // best a Secret, a function, or { credential: "pager" }
  allowInsecureHttp: true, // without it: https: only
  http,
});

// A scripted model stands for a real one, so that this example runs without a key.
const call = { name: "page_somebody", arguments: { text: "Disk full.", urgency: "high" } };
const model = scriptedModel([{ calls: [call] }, "I have called somebody."]);

const dragoman = createDragoman({ sessions: memorySessions() });
const triage = dragoman.defineAgent({
  name: "triage",
  instructions: "Decide what is to be done about each event. You cannot do it yourself.",
  model,
  tools: [pageSomebody],
});

const shop: WebhookOptions = {
  verify: standardWebhooks({ secret: secrets.shop }),
  toRun({ name, payload, headers }) {
    if (headers.get("x-test") === "true") {
      return null; // starts nothing
    }
    return {
      input: fencedPayload(name, payload, { task: "Is somebody to be called for this?" }),
      actor: "shop",
    };
  },
  callback: {
    url: `http://127.0.0.1:${port}/ends`,
    secret: secrets.pager,
    allowInsecureHttp: true,
    http,
  },
};

const server = createServer({
  agents: [triage],
  store: memoryRuns(), // sqliteRuns or postgresRuns, where runs are to outlive the process
  webhooks: {
    shop,
    github: { verify: githubWebhooks({ secret: secrets.github }) },
  },
  auth: { token: "a-token-for-the-operator", actor: "shop" },
  log: "none",
});
const { url } = await server.listen({ port: 0 });

// What the shop does.
async function deliver(id: string, body: string): Promise<Response> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const bytes = Uint8Array.from(atob(secrets.shop.slice(6)), (one) => one.charCodeAt(0));
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign"]);
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, content));
  return fetch(`${url}/webhooks/shop`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${btoa(String.fromCharCode(...signature))}`,
    },
    body,
  });
}

const event = JSON.stringify({ type: "disk.full", data: { host: "db1" } });
const accepted = await deliver("msg_1", event);
console.log(accepted.status, await accepted.json());
const again = await deliver("msg_1", event);
console.log(again.status, await again.json());
const forged = await fetch(`${url}/webhooks/shop`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: event,
});
console.log(forged.status);

const status = new URL(accepted.headers.get("location") ?? "", url);
const events = await fetch(`${status}/events`, {
  headers: { authorization: "Bearer a-token-for-the-operator", accept: "text/event-stream" },
});
console.log(
  /"kind":"run-end","status":"(\w+)","text":"([^"]*)"/.exec(await events.text())?.slice(1),
);

await server.close();
receiver.close();
receiver.closeAllConnections();
