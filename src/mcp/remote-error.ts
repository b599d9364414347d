import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import type { RemoteError } from "./mcp-error.ts";

/** The JSON-RPC error that a server sent, as far as it is one. */
export function toRemoteError(error: Json): RemoteError {
  const { code, message, data }: JsonObject = isJsonObject(error) ? error : {};
  return {
    code: typeof code === "number" ? code : 0,
    message: typeof message === "string" && message !== "" ? message : "The server gave no reason.",
    ...(data === undefined ? {} : { data }),
  };
}
