import { ConfigurationError } from "../base/dragoman-error.ts";
import type {
  HttpTransport,
  McpServerConfig,
  McpTransport,
  StdioTransport,
} from "../tool/mcp-server-config.ts";
import { didYouMean } from "./closest-name.ts";
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
} from "./config-shape.ts";
import { limitsIn } from "./mcp-limits.ts";

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

/** The configuration that `value` is. Throws a {@link ConfigFault} with the place of the fault. */
export function toServerConfig(value: unknown): McpServerConfig {
  const at = { path: [], what: "the server's configuration" };
  const fields = fieldsAt(value, at.path, at.what);
  if (typeof fields["transport"] === "string") {
    throw flatTransport(fields["transport"]);
  }
  refuseUnknownKeys(fields, ["name", "description", "transport", "timeoutMs", "limits"], at);
  const name = requiredText(fields, "name", at, "it is the alias by which you know the server");
  if (fields["transport"] === undefined) {
    throw new ConfigFault(at.path, `"transport" is missing: it says how the server is reached.`);
  }
  const description = optionalText(fields, "description", at.path);
  const timeoutMs = optionalCount(fields, "timeoutMs", { path: at.path, unit: "milliseconds" });
  const limits = limitsIn(fields, at.path);
  return {
    name,
    transport: toTransport(fields["transport"], ["transport"]),
    ...(description === undefined ? {} : { description }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(limits === undefined ? {} : { limits }),
  };
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

/** Types that this version opens. */
const transportTypes = ["stdio", "streamable-http", "http"];

/** Types that are known, and that this version does not open. */
const futureTypes = ["sse", "ws", "websocket"];

function toTransport(value: unknown, path: ConfigPath): McpTransport {
  const at = { path, what: "the transport" };
  const fields = fieldsAt(value, path, at.what);
  const type = requiredText(fields, "type", at, `one of ${transportTypes.join(", ")}`);
  switch (type) {
    case "stdio":
      return toStdio(fields, at);
    case "streamable-http":
    case "http":
      return toHttp(fields, type, at);
    default:
      throw new ConfigFault([...path, "type"], unusableType(type));
  }
}

function unusableType(type: string): string {
  return futureTypes.includes(type)
    ? `The transport type "${type}" is not supported yet. Use ${transportTypes.join(", ")}.`
    : `Invalid transport type: ${JSON.stringify(type)}.${didYouMean(type, transportTypes)} Must be one of: ${transportTypes.join(", ")}.`;
}

const flatTransport = (type: string): ConfigFault =>
  new ConfigFault(
    ["transport"],
    `"transport" must be an object that holds the type and its settings, as in { type: "stdio", command: "…" }, got the text ${JSON.stringify(type)}.`,
  );

function toStdio(fields: Fields, { path }: Place): StdioTransport {
  const at = { path, what: "the stdio transport" };
  refuseUnknownKeys(fields, ["type", "command", "args", "env", "cwd"], at);
  const args = optionalTexts(fields, "args", path);
  const env = optionalTextMap(fields, "env", path);
  const cwd = optionalText(fields, "cwd", path);
  return {
    type: "stdio",
    command: requiredText(fields, "command", at, "it is the program that is started"),
    ...(args === undefined ? {} : { args }),
    ...(env === undefined ? {} : { env }),
    ...(cwd === undefined ? {} : { cwd }),
  };
}

const httpKeys = ["type", "url", "headers", "token", "allowInsecureHttp", "maxResponseBytes"];

function toHttp(fields: Fields, type: HttpTransport["type"], { path }: Place): HttpTransport {
  const at = { path, what: `the ${type} transport` };
  refuseUnknownKeys(fields, httpKeys, at);
  const allowInsecureHttp = optionalFlag(fields, "allowInsecureHttp", path);
  const maxResponseBytes = optionalCount(fields, "maxResponseBytes", { path, unit: "bytes" });
  const url = requiredText(fields, "url", at, "it is the address of the server");
  checkUrl(url, allowInsecureHttp ?? false, [...path, "url"]);
  const headers = optionalTextMap(fields, "headers", path);
  const token = optionalText(fields, "token", path);
  checkHeaders(headers ?? {}, token, path);
  return {
    type,
    url,
    ...(headers === undefined ? {} : { headers }),
    ...(token === undefined ? {} : { token }),
    ...(allowInsecureHttp === undefined ? {} : { allowInsecureHttp }),
    ...(maxResponseBytes === undefined ? {} : { maxResponseBytes }),
  };
}

function checkUrl(text: string, allowInsecureHttp: boolean, path: ConfigPath): void {
  if (!URL.canParse(text)) {
    throw new ConfigFault(path, `"url" is not a URL: write it whole, as in https://host/mcp.`);
  }
  const { protocol } = new URL(text);
  if (protocol !== "https:" && protocol !== "http:") {
    throw new ConfigFault(path, `"url" must begin with https:// or http://, not ${protocol}`);
  }
  if (protocol === "http:" && !allowInsecureHttp) {
    throw new ConfigFault(
      path,
      `"url" is an http: URL, over which anyone on the way can read the credentials. Use https:, or set allowInsecureHttp: true for a server that you reach over a network of your own.`,
    );
  }
}

function checkHeaders(
  headers: Readonly<Record<string, string>>,
  token: string | undefined,
  path: ConfigPath,
): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) {
      throw new ConfigFault(
        [...path, "headers", name],
        `${JSON.stringify(name)} is not the name of an HTTP header.`,
      );
    }
    checkHeaderValue(value, [...path, "headers", name], `The header "${name}"`);
  }
  if (token === undefined) {
    return;
  }
  checkHeaderValue(token, [...path, "token"], `"token"`);
  if (Object.keys(headers).some((name) => name.toLowerCase() === "authorization")) {
    throw new ConfigFault(
      [...path, "token"],
      `There is both a "token" and an Authorization header; a token is short for that header. Give one of them.`,
    );
  }
}

function checkHeaderValue(value: string, path: ConfigPath, what: string): void {
  if (!/^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value)) {
    throw new ConfigFault(
      path,
      `${what} holds characters that an HTTP header cannot carry (a line break?).`,
    );
  }
}
