import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { visibleLine } from "../text/visible-text.ts";

/** What a server says of itself before anything else. */
export interface ServerGreeting {
  /** The revision that both speak. */
  readonly protocolVersion: string;
  readonly capabilities: JsonObject;
  readonly serverInfo: { readonly name: string; readonly version: string } | undefined;
  /** What the server says on its use: a stranger's text. */
  readonly instructions: string | undefined;
}

/** What the answer to a handshake, or to a question for it, says of the server. */
export function toServerGreeting(protocolVersion: string, result: JsonObject): ServerGreeting {
  const { capabilities, serverInfo, instructions, _meta: meta } = result;
  const named = isJsonObject(meta) ? meta["io.modelcontextprotocol/serverInfo"] : undefined;
  return {
    protocolVersion,
    capabilities: isJsonObject(capabilities) ? capabilities : {},
    serverInfo: toServerInfo(serverInfo ?? named),
    instructions: typeof instructions === "string" ? instructions : undefined,
  };
}

function toServerInfo(info: Json | undefined): ServerGreeting["serverInfo"] {
  return isJsonObject(info)
    ? {
        name: visibleLine(String(info["name"] ?? ""), 100),
        version: visibleLine(String(info["version"] ?? ""), 100),
      }
    : undefined;
}
