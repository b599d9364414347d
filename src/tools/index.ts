export type {
  SandboxFolder,
  SandboxLimits,
  SandboxNetwork,
  SandboxSettings,
} from "../base/sandbox-settings.ts";
export { createSandbox, type SandboxOptions } from "../process/create-sandbox.ts";
export type {
  ProcessCommand,
  ProcessEnd,
  ProcessOutcome,
  ProcessOutput,
  ProcessRunner,
} from "../process/process-runner.ts";
export type { RunnerOptions } from "../process/runner-options.ts";
export { unsandboxedRunner } from "../process/unsandboxed-runner.ts";
export type { Edit } from "./apply-edit.ts";
export { type CatFactsOptions, catFacts, createCatFacts } from "./cat-facts.ts";
export type { Entry, EntryKind } from "./folder-listing.ts";
export type { ReadLines } from "./read-lines.ts";
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
export { createWorkspace, type Workspace } from "./workspace.ts";
export { WorkspaceError, type WorkspaceFault } from "./workspace-error.ts";
export type {
  WorkspaceLimits,
  WorkspaceOptions,
  WorkspaceRootOptions,
} from "./workspace-options.ts";
export { type WorkspaceToolsOptions, workspaceTools } from "./workspace-tools.ts";
