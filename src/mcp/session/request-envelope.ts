import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { statelessVersion } from "../wire/protocol-version.ts";
import { clientInfo } from "./handshake.ts";

/** What every request carries where there was no handshake (MCP 2026-07-28, basic, _meta). */
export function requestEnvelope(
  capabilities: JsonObject,
  logLevel: string | undefined,
): JsonObject {
  return {
    "io.modelcontextprotocol/protocolVersion": statelessVersion,
    "io.modelcontextprotocol/clientInfo": { ...clientInfo },
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    ...(logLevel === undefined ? {} : { "io.modelcontextprotocol/logLevel": logLevel }),
  };
}

/** Parameters with more in their `_meta`; what is there already stays, save for the same keys. */
export function withMeta(params: JsonObject, more: JsonObject): JsonObject {
  const meta = params["_meta"];
  return { ...params, _meta: isJsonObject(meta) ? { ...meta, ...more } : more };
}
