export type { McpLimits } from "../tool/mcp-limits.ts";
export type { AssertionRequest, AuthorizationUrl, McpOAuth } from "../tool/mcp-oauth.ts";
export type { OutputMismatchPolicy } from "./check-output.ts";
export type { McpCustomTransport } from "./custom-link.ts";
export type { McpConfigFault, ReadMcpConfigOptions } from "./desktop-entry.ts";
export { McpAuthorization, type McpAuthorizationOptions } from "./mcp-authorization.ts";
export { McpClient } from "./mcp-client.ts";
export type { McpClientOptions, McpRequestOptions } from "./mcp-client-options.ts";
export type {
  CallToolOptions,
  ListToolsScope,
  McpConnectionConfig,
} from "./mcp-connection-config.ts";
export {
  McpError,
  type McpErrorCode,
  type McpErrorOptions,
  type RemoteError,
} from "./mcp-error.ts";
export { idempotencyMetaKey, type MapResult, type McpToolCall } from "./mcp-tool.ts";
export { mcpToolset } from "./mcp-toolset.ts";
export type {
  MapTool,
  McpToolsetClient,
  McpToolsetOptions,
  McpToolsetServer,
  McpToolsetSettings,
  McpTransportChoice,
} from "./mcp-toolset-options.ts";
export type { EndedAccess } from "./oauth-login.ts";
export { parseMcpServerConfig } from "./parse-mcp-server-config.ts";
export { readMcpConfig } from "./read-mcp-config.ts";
export type { RpcAnswer, RpcId, RpcMessage, RpcNotification, RpcRequest } from "./rpc-message.ts";
export type { ToolSelection } from "./select-tools.ts";
export type {
  Elicitation,
  ElicitationAnswer,
  McpRoot,
  SamplingAnswer,
  SamplingRequest,
  ServerCallbacks,
  ServerRequestScope,
} from "./server-callbacks.ts";
export type { McpEvents } from "./server-events.ts";
export type { McpLog, McpLogLevel } from "./server-log.ts";
export type {
  McpCompletion,
  McpCompletionReference,
  McpPrompt,
  McpResource,
  McpResourceTemplate,
} from "./server-offer.ts";
export type { McpCallResult } from "./to-tool-result.ts";
export type { McpToolDefinition } from "./tool-definition.ts";
export { pinTools, readToolLock } from "./tool-lock.ts";
export type { McpToolsetScope } from "./toolset-callbacks.ts";
