import type { JsonObject } from "../../base/json.ts";
import { version } from "../../base/version.ts";
import { visibleLine } from "../text/visible-text.ts";
import { McpError, type McpErrorCode, type RemoteError } from "../wire/mcp-error.ts";
import {
  isProtocolVersion,
  newestCommonVersion,
  protocolVersions,
  statelessVersion,
  versionsNamed,
} from "../wire/protocol-version.ts";
import type { RequestOptions } from "./request-table.ts";
import { type ServerGreeting, toServerGreeting } from "./server-greeting.ts";

/** Who greets a server: a session before it is open. */
export interface Greeter {
  /** What the server may ask of us, in MCP's words. */
  readonly capabilities: JsonObject;
  request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject>;
  error(code: McpErrorCode, what: string, remote?: RemoteError): McpError;
  /** A text of the server's without the credentials that were given to it. */
  hide(text: string): string;
}

/** Who we say we are. */
export const clientInfo: { readonly name: string; readonly version: string } = {
  name: "dragoman",
  version,
};

/**
 * Shakes hands (MCP 2025-11-25, basic/lifecycle). A server that refuses our revision and names others
 * is asked once more, for the newest that both know.
 *
 * @throws McpError
 */
export async function shakeHands(greeter: Greeter): Promise<ServerGreeting> {
  const result = await initialize(greeter);
  const { protocolVersion } = result;
  if (typeof protocolVersion !== "string" || !isProtocolVersion(protocolVersion)) {
    throw greeter.error(
      "mcp-protocol",
      `speaks the revision ${visibleLine(String(JSON.stringify(protocolVersion)), 40)} of MCP, which is not known. Known are ${protocolVersions.join(", ")}`,
    );
  }
  return toServerGreeting(protocolVersion, result);
}

/** Whether a server refused the handshake because it knows only the revision that has none. */
export function wantsNoHandshake(error: unknown): boolean {
  return McpError.is(error) && versionsNamed(error).includes(statelessVersion);
}

async function initialize(greeter: Greeter): Promise<JsonObject> {
  const { capabilities } = greeter;
  const ask = (protocolVersion: string): Promise<JsonObject> =>
    greeter.request("initialize", { protocolVersion, capabilities, clientInfo }, {});
  const [newest] = protocolVersions;
  try {
    return await ask(newest);
  } catch (error) {
    const common = McpError.is(error) ? newestCommonVersion(error, newest) : undefined;
    if (common === undefined) {
      throw toRefusal(error, greeter);
    }
    return ask(common).catch((second: unknown) => {
      throw toRefusal(second, greeter);
    });
  }
}

/** Why the handshake failed, where the server itself refused it. */
function toRefusal(error: unknown, greeter: Greeter): unknown {
  if (!McpError.is(error) || error.code !== "mcp-remote-error") {
    return error;
  }
  const said = visibleLine(greeter.hide(error.message), 300);
  return greeter.error("mcp-remote-error", `refuses the handshake: ${said}`, error.remote);
}
