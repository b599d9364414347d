import { encodeHeaderValue } from "../wire/header-value.ts";
import type { RpcMessage } from "../wire/rpc-message.ts";

/**
 * The headers that say what a message is, for whatever stands before the server and does not read
 * bodies (MCP 2026-07-28, basic/transports/streamable-http, standard request headers).
 */
export function standardHeaders(message: RpcMessage): Readonly<Record<string, string>> {
  if (!("method" in message)) {
    return {};
  }
  const { method, params } = message;
  const key = nameKeys[method];
  const name = key === undefined ? undefined : params?.[key];
  return {
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": encodeHeaderValue(name) } : {}),
  };
}

/** Where a request says what it is about. */
const nameKeys: Readonly<Record<string, "name" | "uri">> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};
