import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { visibleLine } from "../text/visible-text.ts";
import { McpError } from "../wire/mcp-error.ts";
import { statelessVersion } from "../wire/protocol-version.ts";
import type { Greeter } from "./handshake.ts";
import { type ServerGreeting, toServerGreeting } from "./server-greeting.ts";

/** The errors that only a server without a handshake has (MCP 2026-07-28, basic, error codes). */
const unsupportedVersion = -32_022;
const headerMismatch = -32_020;
const missingCapability = -32_021;

/** How a server is asked. */
export interface DiscoveryOptions {
  /** Whether it may turn out to be one of those that shake hands. */
  readonly orLegacy: boolean;
  /** Silence of so many milliseconds counts as not knowing the question. Default: for ever. */
  readonly patienceMs?: number | undefined;
}

/**
 * Asks a server for itself (MCP 2026-07-28, server/discover). `undefined` means that it does not know
 * the question: it is one that shakes hands.
 *
 * @throws McpError where it knows and refuses, cannot be reached, or speaks no revision of ours.
 */
export async function discoverServer(
  greeter: Greeter,
  { orLegacy, patienceMs }: DiscoveryOptions,
): Promise<ServerGreeting | undefined> {
  const limit = patienceMs === undefined ? {} : { timeoutMs: patienceMs };
  for (let tries = 1; ; tries += 1) {
    try {
      const result = await greeter.request("server/discover", {}, limit);
      return toGreeting(result, greeter, orLegacy);
    } catch (error) {
      const isOurs = supportedIn(error)?.includes(statelessVersion) ?? false;
      if (isOurs && tries === 1) {
        continue; // it names the revision that it was asked in
      }
      if (orLegacy && !isOurs && isLegacy(error)) {
        return undefined;
      }
      throw toRefusal(error, greeter);
    }
  }
}

function toGreeting(
  result: JsonObject,
  greeter: Greeter,
  orLegacy: boolean,
): ServerGreeting | undefined {
  const { supportedVersions } = result;
  if (Array.isArray(supportedVersions) && supportedVersions.includes(statelessVersion)) {
    return toServerGreeting(statelessVersion, result);
  }
  if (orLegacy) {
    return undefined;
  }
  const named = visibleLine(JSON.stringify(supportedVersions) ?? "none", 200);
  throw greeter.error(
    "mcp-protocol",
    `does not speak the revision ${statelessVersion} of MCP that its configuration asks for; it names ${named}`,
  );
}

/** Whether a failure shows a server that does not know the question. */
function isLegacy(error: unknown): boolean {
  if (!McpError.is(error)) {
    return false;
  }
  const { code, status, remote } = error;
  if (remote?.code === unsupportedVersion) {
    return !supportedIn(error)?.some((version) => version >= statelessVersion);
  }
  if (remote?.code === headerMismatch || remote?.code === missingCapability) {
    return false;
  }
  switch (code) {
    case "mcp-remote-error":
    case "mcp-timeout":
    case "mcp-protocol":
      return true;
    case "mcp-http":
      return status !== undefined && legacyStatus(status);
    default:
      return false;
  }
}

/** Where a server that is asked for what it does not know may answer so; credentials and load are other matters. */
const legacyStatus = (status: number): boolean =>
  (status >= 400 && status < 500 && ![401, 403, 407, 429].includes(status)) ||
  status === 500 ||
  status === 501;

/** The revisions that a server names where it refuses ours. */
function supportedIn(error: unknown): readonly string[] | undefined {
  const remote = McpError.is(error) ? error.remote : undefined;
  const data: Json | undefined = remote?.code === unsupportedVersion ? remote.data : undefined;
  const supported = isJsonObject(data) ? data["supported"] : undefined;
  return Array.isArray(supported)
    ? supported.filter((version) => typeof version === "string")
    : undefined;
}

/** Why the server was not discovered, where it said so itself. */
function toRefusal(error: unknown, greeter: Greeter): unknown {
  if (!McpError.is(error) || error.code !== "mcp-remote-error") {
    return error;
  }
  const said = visibleLine(greeter.hide(error.message), 300);
  return greeter.error("mcp-remote-error", `does not say what it is: ${said}`, error.remote);
}
