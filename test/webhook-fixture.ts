import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { toNodeListener } from "../src/ag-ui/to-node-listener.ts";
import type { AgentDefinition } from "../src/agent/agent-definition.ts";
import type { DragomanConfig } from "../src/configure.ts";
import { createWebhookHandler, type WebhookHandler } from "../src/server/create-webhook-handler.ts";
import type { WebhookHandlerOptions } from "../src/server/webhook-handler-options.ts";
import { standardWebhooks } from "../src/server/webhook-verifiers.ts";
import { agentOf } from "./agent-fixture.ts";
import { type LoopbackServer, startHttp } from "./loopback.ts";

/** The secret of these tests' senders. */
export const webhookSecret: string = `whsec_${Buffer.alloc(32, 3).toString("base64")}`;

/** A webhook that listens, until its scope is left. */
export interface TestWebhook extends AsyncDisposable {
  readonly handler: WebhookHandler;
  readonly url: string;
  /** Sends a payload, signed by the official library. */
  send(payload: unknown, init?: SendInit): Promise<Response>;
}

export interface SendInit {
  readonly id?: string;
  /** Seconds since the Unix epoch. Default: now. */
  readonly at?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

let count = 0;

/** A request of a sender, signed by the official library. */
export function signed(payload: unknown, init: SendInit = {}): RequestInit & { body: string } {
  count += 1;
  const { id = `msg_${count}`, at = Math.floor(Date.now() / 1_000), headers, signal } = init;
  const body = typeof payload === "string" ? payload : JSON.stringify(payload);
  return {
    method: "POST",
    body,
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(at),
      "webhook-signature": new Webhook(webhookSecret).sign(id, new Date(at * 1_000), body),
      ...headers,
    },
    ...(signal === undefined ? {} : { signal }),
  };
}

/** A webhook of the agent "tester", behind a real server. */
export async function listenToWebhook(
  definition: Omit<AgentDefinition, "name">,
  options: Partial<WebhookHandlerOptions> & { readonly config?: DragomanConfig } = {},
): Promise<TestWebhook> {
  const { config, ...rest } = options;
  const verify = standardWebhooks({ secret: webhookSecret });
  const handler = createWebhookHandler(agentOf(definition, config), { verify, ...rest });
  const server: LoopbackServer = await startHttp(
    toNodeListener(
      Object.assign((request: Request) => handler(request), { close: async () => {} }),
    ),
  );
  return {
    handler,
    url: server.origin,
    send: (payload, init) => fetch(server.origin, signed(payload, init)),
    async [Symbol.asyncDispose]() {
      await handler.close({ graceMs: 0 });
      await server[Symbol.asyncDispose]();
    },
  };
}

/** The header by which GitHub signs a body. */
export const githubSignature = (body: string, secret: string): string =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
