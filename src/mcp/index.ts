export type { McpLimits } from "../tool/mcp-limits.ts";
export type { OutputMismatchPolicy } from "./check-output.ts";
export type { ReadMcpConfigOptions } from "./desktop-entry.ts";
export {
  McpError,
  type McpErrorCode,
  type McpErrorOptions,
  type RemoteError,
} from "./mcp-error.ts";
export { idempotencyMetaKey, type MapResult, type McpToolCall } from "./mcp-tool.ts";
export { type MapTool, type McpToolsetOptions, mcpToolset } from "./mcp-toolset.ts";
export { parseMcpServerConfig } from "./parse-mcp-server-config.ts";
export { readMcpConfig } from "./read-mcp-config.ts";
export type { ToolSelection } from "./select-tools.ts";
export type { McpCallResult } from "./to-tool-result.ts";
export type { McpToolDefinition } from "./tool-definition.ts";
