import { didYouMean } from "../../base/closest-name.ts";
import { ConfigurationError } from "../../base/dragoman-error.ts";
import { faultOfSandbox, type SandboxSettings } from "../../base/sandbox-settings.ts";
import type {
  HttpTransport,
  InstructionsPolicy,
  McpProtocol,
  McpServerConfig,
  McpTransport,
  SseTransport,
  StdioTransport,
} from "../../tool/mcp-server-config.ts";
import type { PinsSetting } from "../../tool/tool-pins.ts";
import { faultOfPins } from "../definitions/open-pins.ts";
import { faultOfInstructions } from "../text/fenced-instructions.ts";
import { visibleLine } from "../text/visible-text.ts";
import {
  ConfigFault,
  type ConfigPath,
  type Fields,
  fieldsAt,
  optionalCount,
  optionalFlag,
  optionalText,
  optionalTextMap,
  optionalTexts,
  type Place,
  refuseUnknownKeys,
  requiredText,
} from "../wire/config-shape.ts";
import { limitsIn } from "../wire/mcp-limits.ts";
import { checkUrl, httpSchemes, toUrlTransport, webSocketSchemes } from "./parse-url-transport.ts";

/**
 * Checks plain data strictly and gives it back as the configuration of a server.
 *
 * @param where names the data in errors, such as `mcp[0] of agent "support"`.
 * @throws ConfigurationError `invalid-configuration` on the first fault: an unknown key or transport
 *   type, a missing command or URL, an `http:` URL without `allowInsecureHttp`.
 */
export function parseMcpServerConfig(value: unknown, where: string): McpServerConfig {
  return reportingFaults(where, () => toServerConfig(value));
}

/** The same for the transport alone. */
export function parseMcpTransport(value: unknown, where: string): McpTransport {
  return reportingFaults(where, () => toTransport(value, []));
}

const serverKeys = [
  ...["name", "description", "transport", "timeoutMs", "limits", "protocol", "disabledTools"],
  ...["pins", "instructions"],
];

/** The configuration that `value` is. Throws a {@link ConfigFault} with the place of the fault. */
export function toServerConfig(value: unknown): McpServerConfig {
  const at = { path: [], what: "the server's configuration" };
  const fields = fieldsAt(value, at.path, at.what);
  if (typeof fields["transport"] === "string") {
    throw flatTransport(fields["transport"]);
  }
  refuseUnknownKeys(fields, serverKeys, at);
  const name = requiredText(fields, "name", at, "it is the alias by which you know the server");
  if (fields["transport"] === undefined) {
    throw new ConfigFault(at.path, `"transport" is missing: it says how the server is reached.`);
  }
  const description = optionalText(fields, "description", at.path);
  const timeoutMs = optionalCount(fields, "timeoutMs", { path: at.path, unit: "milliseconds" });
  const limits = limitsIn(fields, at.path);
  const transport = toTransport(fields["transport"], ["transport"]);
  const protocol = toProtocol(fields["protocol"], transport);
  const disabledTools = optionalTexts(fields, "disabledTools", at.path);
  const trust = trustIn(fields);
  return {
    name,
    transport,
    ...(description === undefined ? {} : { description }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(limits === undefined ? {} : { limits }),
    ...(protocol === undefined ? {} : { protocol }),
    ...(disabledTools === undefined ? {} : { disabledTools }),
    ...trust,
  };
}

/** What is believed of the server. */
function trustIn({ pins, instructions }: Fields): Pick<McpServerConfig, "pins" | "instructions"> {
  const faults = [
    ["pins", faultOfPins(pins)],
    ["instructions", faultOfInstructions(instructions)],
  ] as const;
  for (const [key, fault] of faults) {
    if (fault !== undefined) {
      throw new ConfigFault([key], fault);
    }
  }
  return {
    ...(pins === undefined ? {} : { pins: pins as PinsSetting }), // checked above
    ...(instructions === undefined ? {} : { instructions: instructions as InstructionsPolicy }),
  };
}

const protocols: readonly unknown[] = ["auto", "legacy", "2026-07-28"];

function toProtocol(value: unknown, { type }: McpTransport): McpProtocol | undefined {
  if (value === undefined) {
    return undefined;
  }
  if (!protocols.includes(value)) {
    throw new ConfigFault(
      ["protocol"],
      `"protocol" must be "auto", "legacy" (the revisions with a handshake, up to 2025-11-25) or "2026-07-28".`,
    );
  }
  if (type === "sse" && value !== "legacy") {
    throw new ConfigFault(
      ["protocol"],
      `"protocol" must be "legacy" where the transport is sse, which newer revisions do not have.`,
    );
  }
  return value as McpProtocol; // it is one of them
}

function reportingFaults<Value>(where: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (fault) {
    if (fault instanceof ConfigFault) {
      throw new ConfigurationError(`${where}: ${fault.message}`, {
        code: "invalid-configuration",
        cause: fault,
      });
    }
    throw fault;
  }
}

const transportTypes = ["stdio", "sse", "ws", "websocket", "streamable-http", "http"];

function toTransport(value: unknown, path: ConfigPath): McpTransport {
  const at = { path, what: "the transport" };
  const fields = fieldsAt(value, path, at.what);
  const type = requiredText(fields, "type", at, `one of ${transportTypes.join(", ")}`);
  switch (type) {
    case "stdio":
      return toStdio(fields, at);
    case "sse":
      return toSse(fields, at);
    case "ws":
    case "websocket":
      return { type, ...toUrlTransport(fields, at, webSocketSchemes) };
    case "streamable-http":
    case "http":
      return toHttp(type, fields, at);
    default:
      throw new ConfigFault([...path, "type"], invalidType(type));
  }
}

const invalidType = (type: string): string =>
  `Invalid transport type: ${visibleLine(type, 40)}. Must be one of: ${transportTypes.join(", ")}.${didYouMean(type, transportTypes)}`;

const flatTransport = (type: string): ConfigFault =>
  new ConfigFault(
    ["transport"],
    `"transport" must be an object that holds the type and its settings, as in { type: "stdio", command: "…" }, got the text ${JSON.stringify(type)}.`,
  );

function toStdio(fields: Fields, { path }: Place): StdioTransport {
  const at = { path, what: "the stdio transport" };
  const keys = ["type", "command", "args", "env", "cwd", "sandbox", "maxResponseBytes"];
  refuseUnknownKeys(fields, keys, at);
  const args = optionalTexts(fields, "args", path);
  const env = optionalTextMap(fields, "env", path);
  const cwd = optionalText(fields, "cwd", path);
  const maxResponseBytes = optionalCount(fields, "maxResponseBytes", { path, unit: "bytes" });
  const sandbox = sandboxIn(fields, path);
  return {
    type: "stdio",
    command: requiredText(fields, "command", at, "it is the program that is started"),
    ...(args === undefined ? {} : { args }),
    ...(env === undefined ? {} : { env }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(maxResponseBytes === undefined ? {} : { maxResponseBytes }),
  };
}

/** In a file `true` is short for a sandbox that shows nothing but programs, and `false` for none. */
function sandboxIn({ sandbox }: Fields, path: ConfigPath): SandboxSettings | undefined {
  if (sandbox === undefined || sandbox === false) {
    return undefined;
  }
  const settings = sandbox === true ? {} : sandbox;
  const fault = faultOfSandbox(settings);
  if (fault !== undefined) {
    throw new ConfigFault([...path, "sandbox"], fault);
  }
  return settings as SandboxSettings; // checked above
}

function toHttp(type: HttpTransport["type"], fields: Fields, at: Place): HttpTransport {
  const { terminateSession: given, ...rest } = fields;
  const transport = toUrlTransport(rest, at, httpSchemes, ["terminateSession"]);
  const terminateSession = optionalFlag({ terminateSession: given }, "terminateSession", at.path);
  return { type, ...transport, ...(terminateSession === undefined ? {} : { terminateSession }) };
}

function toSse(fields: Fields, at: Place): SseTransport {
  const { messagesUrl: given, ...rest } = fields;
  const transport = toUrlTransport(rest, at, httpSchemes, ["messagesUrl"]);
  const messagesUrl = optionalText({ messagesUrl: given }, "messagesUrl", at.path);
  if (messagesUrl === undefined) {
    return { type: "sse", ...transport };
  }
  const path = [...at.path, "messagesUrl"];
  checkUrl(messagesUrl, { path, key: "messagesUrl" }, httpSchemes, transport.allowInsecureHttp);
  if (new URL(messagesUrl).origin !== new URL(transport.url).origin) {
    throw new ConfigFault(path, `"messagesUrl" must be of the same origin as "url".`);
  }
  return { type: "sse", ...transport, messagesUrl };
}
