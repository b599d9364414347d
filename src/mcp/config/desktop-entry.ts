import type { ConfigurationError } from "../../base/dragoman-error.ts";
import { isLoopbackHost } from "../../base/loopback-host.ts";
import type { McpServerConfig } from "../../tool/mcp-server-config.ts";
import {
  ConfigFault,
  type Fields,
  fieldsAt,
  optionalCount,
  optionalFlag,
  refuseUnknownKeys,
} from "../wire/config-shape.ts";
import { type Environment, expandVariables } from "./expand-variables.ts";
import { toServerConfig } from "./parse-mcp-server-config.ts";

/** What `readMcpConfig` needs to know. */
export interface ReadMcpConfigOptions {
  /** Where `${NAME}` is looked up. */
  readonly env: Environment;
  /** Allows `http:` for addresses of this machine. Default false. */
  readonly allowInsecureLoopback?: boolean;
  /**
   * Is told of each server whose entry has a fault, which is then left out; the others are given.
   * Without it the first such fault is thrown.
   */
  readonly onFault?: (fault: McpConfigFault) => void;
}

/** A server of a file that cannot be used as it is written. */
export interface McpConfigFault {
  /** The server's name in the file. Of two servers of one name it is the second that is at fault. */
  readonly name: string;
  /** Says the file, the line and what is wrong there. */
  readonly error: ConfigurationError;
}

/**
 * A server as desktop clients write it, as our configuration; undefined where it is disabled.
 * Throws a `ConfigFault` whose path is one of the entry.
 */
export function fromDesktopEntry(
  name: string,
  entry: unknown,
  options: ReadMcpConfigOptions,
): McpServerConfig | undefined {
  const written = fieldsAt(entry, [], "a server");
  if (optionalFlag(written, "disabled", []) === true) {
    return undefined;
  }
  const ours = Object.entries(written).filter(([key]) => !keysOfClients.has(key));
  const fields = fieldsAt(
    expandVariables(Object.fromEntries(ours), options.env, []),
    [],
    "a server",
  );
  refuseUnknownKeys(fields, [...ownKeys, ...transportKeys], { path: [], what: "the server" });
  const timeoutMs = timeoutOf(fields);
  try {
    return toServerConfig({
      name,
      transport: transportOf(fields, options.allowInsecureLoopback ?? false),
      ...pick(fields, [
        ...["description", "limits", "protocol", "disabledTools", "pins", "instructions"],
      ]),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
  } catch (fault) {
    throw fault instanceof ConfigFault && fault.path[0] === "transport"
      ? new ConfigFault(fault.path.slice(1), fault.message)
      : fault;
  }
}

const ownKeys = [
  ...["type", "description", "timeoutMs", "timeout", "limits", "protocol"],
  ...["disabled", "disabledTools", "pins", "instructions"],
];

/** What desktop clients note for themselves: which calls they do not ask about, how a server is shown. */
const keysOfClients: ReadonlySet<string> = new Set([
  ...["autoApprove", "alwaysAllow", "trust"],
  ...["icon", "iconPath", "displayName", "gallery", "version", "watchPaths"],
]);

const transportKeys = [
  ...["command", "args", "env", "cwd", "sandbox"],
  ...["url", "headers", "token", "auth", "allowInsecureHttp", "maxResponseBytes"],
  ...["messagesUrl", "terminateSession", "proxy", "tls"],
];

function transportOf(fields: Fields, allowInsecureLoopback: boolean): Fields {
  const settings = pick(fields, transportKeys);
  const loopback =
    allowInsecureLoopback && fields["allowInsecureHttp"] === undefined && isLoopback(fields["url"])
      ? { allowInsecureHttp: true }
      : {};
  return { type: typeOf(fields), ...settings, ...loopback };
}

function typeOf(fields: Fields): unknown {
  const { type, command, url } = fields;
  if (command !== undefined && url !== undefined) {
    throw new ConfigFault(["url"], `There is both a "command" and a "url". Give one of them.`);
  }
  if (typeof type === "string" && /^streamable[-_]?http$/i.test(type)) {
    return "streamable-http"; // desktop clients spell it in several ways
  }
  if (type !== undefined) {
    return type;
  }
  if (command === undefined && url === undefined) {
    throw new ConfigFault(
      [],
      `There is neither a "command" (a program to start) nor a "url" (a server to reach).`,
    );
  }
  if (command !== undefined) {
    return "stdio";
  }
  return typeof url === "string" && /^wss?:/i.test(url) ? "ws" : "streamable-http";
}

/** Fewer milliseconds than anyone waits for a server: whoever wrote them meant seconds. */
const leastTimeoutMs = 1000;

function timeoutOf(fields: Fields): number | undefined {
  const timeoutMs = optionalCount(fields, "timeoutMs", { path: [], unit: "milliseconds" });
  const timeout = optionalCount(fields, "timeout", { path: [], unit: "milliseconds" });
  if (timeout !== undefined && timeoutMs !== undefined) {
    throw new ConfigFault(
      ["timeout"],
      `There is both "timeout" and "timeoutMs". Give one of them.`,
    );
  }
  if (timeout !== undefined && timeout < leastTimeoutMs) {
    throw new ConfigFault(
      ["timeout"],
      `"timeout" is ${timeout} milliseconds. If these are seconds, write "timeoutMs": ${timeout * 1000}; if not, "timeoutMs": ${timeout}.`,
    );
  }
  return timeoutMs ?? timeout;
}

const pick = (fields: Fields, keys: readonly string[]): Fields =>
  Object.fromEntries(keys.filter((key) => key in fields).map((key) => [key, fields[key]]));

const isLoopback = (url: unknown): boolean =>
  typeof url === "string" && isLoopbackHost(URL.parse(url)?.hostname ?? "");
