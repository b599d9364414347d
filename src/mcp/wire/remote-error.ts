import { isJsonObject, type Json, type JsonObject, parseJson } from "../../base/json.ts";
import type { RemoteError } from "./mcp-error.ts";

/** The JSON-RPC error that a server sent, as far as it is one, without the credentials that `hide` knows. */
export function toRemoteError(error: Json, hide: (text: string) => string): RemoteError {
  const { code, message, data }: JsonObject = isJsonObject(error) ? error : {};
  return {
    code: typeof code === "number" ? code : 0,
    message:
      typeof message === "string" && message !== "" ? hide(message) : "The server gave no reason.",
    ...(data === undefined ? {} : { data: hidden(data, hide) }),
  };
}

function hidden(data: Json, hide: (text: string) => string): Json {
  const text = JSON.stringify(data);
  const shown = hide(text);
  return shown === text ? data : (parseJson(shown) ?? shown);
}
