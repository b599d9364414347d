export type { McpLimits } from "../tool/mcp-limits.ts";
export type { AssertionRequest, AuthorizationUrl, McpOAuth } from "../tool/mcp-oauth.ts";
export type { EndedAccess } from "./authorization/oauth-login.ts";
export { McpAuthorization, type McpAuthorizationOptions } from "./client/mcp-authorization.ts";
export { McpClient } from "./client/mcp-client.ts";
export type { McpClientOptions, McpRequestOptions } from "./client/mcp-client-options.ts";
export type { McpConfigFault, ReadMcpConfigOptions } from "./config/desktop-entry.ts";
export { parseMcpServerConfig } from "./config/parse-mcp-server-config.ts";
export { readMcpConfig } from "./config/read-mcp-config.ts";
export type {
  CallToolOptions,
  ListToolsScope,
  McpConnectionConfig,
} from "./connection/mcp-connection-config.ts";
export type { McpEvents } from "./connection/server-events.ts";
export type {
  McpCompletion,
  McpCompletionReference,
  McpPrompt,
  McpResource,
  McpResourceTemplate,
} from "./connection/server-offer.ts";
export type { ToolSelection } from "./definitions/select-tools.ts";
export type { McpToolDefinition } from "./definitions/tool-definition.ts";
export { pinTools, readToolLock } from "./definitions/tool-lock.ts";
export type { OutputMismatchPolicy } from "./results/check-output.ts";
export type { McpCallResult } from "./results/to-tool-result.ts";
export type {
  Elicitation,
  ElicitationAnswer,
  McpRoot,
  SamplingAnswer,
  SamplingRequest,
  ServerCallbacks,
  ServerRequestScope,
} from "./session/server-callbacks.ts";
export type { McpLog, McpLogLevel } from "./session/server-log.ts";
export { idempotencyMetaKey, type MapResult, type McpToolCall } from "./toolset/mcp-tool.ts";
export { mcpToolset } from "./toolset/mcp-toolset.ts";
export type {
  MapTool,
  McpToolsetClient,
  McpToolsetOptions,
  McpToolsetServer,
  McpToolsetSettings,
  McpTransportChoice,
} from "./toolset/mcp-toolset-options.ts";
export type { McpToolsetScope } from "./toolset/toolset-callbacks.ts";
export type { McpCustomTransport } from "./wire/custom-link.ts";
export {
  McpError,
  type McpErrorCode,
  type McpErrorOptions,
  type RemoteError,
} from "./wire/mcp-error.ts";
export type {
  RpcAnswer,
  RpcId,
  RpcMessage,
  RpcNotification,
  RpcRequest,
} from "./wire/rpc-message.ts";
