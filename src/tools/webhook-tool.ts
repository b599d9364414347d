import { isJsonObject, type Json, toJson } from "../base/json.ts";
import type { JsonSchema } from "../base/json-schema.ts";
import type { Secret } from "../base/secret.ts";
import { resolveSecret, type SecretValue } from "../base/secret-value.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { Tool, ToolCall } from "../tool/tool.ts";
import { type DeliveredWebhook, sendWebhook, webhookIdOf } from "./send-webhook.ts";
import { toDestination, toWebhookRule, type WebhookRule } from "./webhook-destination.ts";
import { toWebhookKey } from "./webhook-key.ts";
import {
  checkWebhookToolOptions,
  listOfSecrets,
  type WebhookSecret,
  type WebhookToolOptions,
} from "./webhook-tool-options.ts";

const anyObject: JsonSchema = { type: "object" };

const urlAndPayload: JsonSchema = {
  type: "object",
  properties: {
    url: { type: "string", description: "Where the message goes: an absolute https: URL." },
    payload: { type: "object", description: "The message." },
  },
  required: ["url", "payload"],
  additionalProperties: false,
};

/**
 * A tool that posts JSON to a webhook, signed by Standard Webhooks (`webhook-id`, `webhook-timestamp`,
 * `webhook-signature`), to public addresses only, without following redirects. What fails for the
 * moment is tried again, as `Retry-After` says.
 *
 * `webhook-id` comes of the call's idempotency key: a call that is made again after a crash sends the
 * same id, by which the receiver knows it. The model reads `{ delivered, id, status, attempts }`, or why
 * not; never the secret, and of a URL that is the application's no more than its origin.
 *
 * @throws ConfigurationError where an option is missing or not valid.
 */
export function webhookTool(options: WebhookToolOptions): Tool {
  checkWebhookToolOptions(options);
  const { name, title, description, secret, timeoutMs } = options;
  const { idempotent = secret !== "unsigned" } = options;
  const { allowed, inputSchema = anyObject } = options;
  const rule = Array.isArray(allowed) ? toWebhookRule(allowed, name) : (allowed as WebhookRule); // checked above
  return defineTool({
    name,
    description,
    inputSchema: allowed === undefined ? inputSchema : urlAndPayload,
    annotations: { readOnly: false, openWorld: true, idempotent },
    idempotent,
    ...(title === undefined ? {} : { title }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    execute: async (input, call) => told(await send(toJson(input), call, { options, rule })),
  });
}

async function send(
  input: Json,
  call: ToolCall,
  { options, rule }: { readonly options: WebhookToolOptions; readonly rule: WebhookRule },
): Promise<DeliveredWebhook> {
  const { url: own, allowInsecureHttp = false, toBody, headers = {}, http, readsAnswer } = options;
  const { binding, signal } = call;
  const asked = isJsonObject(input) ? input : {};
  const payload = own === undefined ? (asked["payload"] ?? null) : input;
  const url =
    own === undefined
      ? await toDestination(String(asked["url"]), {
          allowInsecureHttp,
          isAllowed: async (wanted) => rule(wanted, { binding }),
        })
      : await toDestination(await ownUrl(own, call), { allowInsecureHttp });
  const keys = await keysOf(options.secret, call);
  const body = JSON.stringify(toBody === undefined ? payload : await toBody(payload, { binding }));
  signal.throwIfAborted();
  return sendWebhook(
    {
      url,
      id: await webhookIdOf(call.idempotencyKey),
      body,
      keys,
      headers,
      ...(http === undefined ? {} : { http }),
      ...(readsAnswer === undefined ? {} : { readsAnswer }),
    },
    call,
  );
}

const told = ({ id, status, attempts, answer }: DeliveredWebhook): Json => ({
  delivered: true,
  id,
  status,
  attempts,
  ...(answer === undefined ? {} : { answer }),
});

async function ownUrl(url: SecretValue | URL, call: ToolCall): Promise<string> {
  return url instanceof URL ? url.href : (await resolveSecret(url, scopeOf(call))).reveal();
}

async function keysOf(
  secret: WebhookToolOptions["secret"],
  call: ToolCall,
): Promise<readonly Uint8Array[]> {
  if (secret === "unsigned") {
    return [];
  }
  const secrets = await Promise.all(listOfSecrets(secret).map((one) => secretOf(one, call)));
  return secrets.map(toWebhookKey);
}

async function secretOf(secret: WebhookSecret, call: ToolCall): Promise<Secret> {
  return isNamed(secret)
    ? (await call.binding.credential(secret.credential)).secret
    : resolveSecret(secret, scopeOf(call));
}

const scopeOf = ({ binding, signal }: ToolCall): { actor?: string; signal: AbortSignal } => ({
  ...(binding.run.actor === undefined ? {} : { actor: binding.run.actor }),
  signal,
});

const isNamed = (secret: WebhookSecret): secret is { readonly credential: string } =>
  typeof secret === "object" && "credential" in secret;
