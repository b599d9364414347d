export { type CloseOptions, createServer, type DragomanServer } from "./create-server.ts";
export { createWebhookHandler, type WebhookHandler } from "./create-webhook-handler.ts";
export type { Listening, ListenOptions } from "./listener.ts";
export type { StdioServing, StdioStreams } from "./mcp-stdio.ts";
export type { NodeBindings } from "./node-bindings.ts";
export { reportRun } from "./report-run.ts";
export type {
  AgUiOptions,
  McpFaceOptions,
  ServedWebhook,
  ServerAuth,
  ServerLimits,
  ServerOptions,
} from "./server-options.ts";
export { toLogger } from "./to-logger.ts";
export type {
  ReceivedWebhook,
  RunCallback,
  WebhookHandlerOptions,
  WebhookLimits,
  WebhookOptions,
  WebhookRun,
} from "./webhook-handler-options.ts";
export { type FencedPayloadOptions, fencedPayload } from "./webhook-payload.ts";
export type { SignatureOptions, TimedSignatureOptions } from "./webhook-secrets.ts";
export type {
  RefusedWebhook,
  VerifiedWebhook,
  WebhookDelivery,
  WebhookVerifier,
} from "./webhook-verifier.ts";
export {
  type GithubWebhooksOptions,
  githubWebhooks,
  type StandardWebhooksOptions,
  slackWebhooks,
  standardWebhooks,
  stripeWebhooks,
} from "./webhook-verifiers.ts";
