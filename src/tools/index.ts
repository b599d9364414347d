export { type CatFactsOptions, catFacts, createCatFacts } from "./cat-facts.ts";
export {
  type DeliveredWebhook,
  type OutgoingWebhook,
  sendWebhook,
  type WebhookHttpOptions,
  webhookIdOf,
} from "./send-webhook.ts";
export type { WebhookRule } from "./webhook-destination.ts";
export { toWebhookKey } from "./webhook-key.ts";
export { webhookTool } from "./webhook-tool.ts";
export type { WebhookSecret, WebhookToolOptions } from "./webhook-tool-options.ts";
