import { type JsonObject, toJson } from "../../base/json.ts";
import { redactUrl } from "../../base/redact-url.ts";
import type { McpTransport, StdioTransport, UrlTransport } from "../../tool/mcp-server-config.ts";
import { hideValues } from "../secrets/hide-values.ts";
import { secretsIn } from "../secrets/secret-arguments.ts";

/** How a server is reached, without a secret: of headers and variables there are only the names. */
export function describeTransport(transport: McpTransport): JsonObject {
  const { type } = transport;
  if (transport.type === "stdio") {
    const { command, env, cwd, sandbox } = transport;
    return {
      type,
      command,
      args: shownArguments(transport),
      ...(env === undefined ? {} : { env: Object.keys(env) }),
      ...(cwd === undefined ? {} : { cwd }),
      ...(sandbox === undefined ? {} : { sandbox: toJson(sandbox) }),
    };
  }
  const { url, headers, proxy } = transport;
  return {
    type,
    url: redactUrl(url),
    ...(headers === undefined ? {} : { headers: Object.keys(headers) }),
    ...(proxy === undefined ? {} : { proxy: redactUrl(proxy) }),
    ...credentials(transport),
  };
}

/** The same as a line for a person. */
export function transportLine(transport: McpTransport): string {
  return transport.type === "stdio"
    ? [transport.command, ...shownArguments(transport)].map(quoted).join(" ")
    : redactUrl(transport.url);
}

function shownArguments({ args = [], env = {} }: StdioTransport): readonly string[] {
  const secrets = [...Object.values(env), ...secretsIn(args)];
  return args.map((argument) => hideValues(argument, secrets));
}

function credentials({ token, auth, signer }: UrlTransport): JsonObject {
  const kinds = [
    ...(auth !== undefined && "type" in auth ? ["oauth"] : []),
    ...(token === undefined && (auth === undefined || "type" in auth) ? [] : ["token"]),
    ...(signer === undefined ? [] : ["signer"]),
  ];
  return kinds.length === 0 ? {} : { credentials: kinds };
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`);
