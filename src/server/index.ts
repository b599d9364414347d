export { type CloseOptions, createServer, type DragomanServer } from "./create-server.ts";
export type { Listening, ListenOptions } from "./listener.ts";
export type { StdioServing, StdioStreams } from "./mcp-stdio.ts";
export type { NodeBindings } from "./node-bindings.ts";
export type {
  AgUiOptions,
  McpFaceOptions,
  ServerAuth,
  ServerLimits,
  ServerOptions,
} from "./server-options.ts";
export { toLogger } from "./to-logger.ts";
