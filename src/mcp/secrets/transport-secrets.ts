import type { McpTransport } from "../../tool/mcp-server-config.ts";
import { isTelling, secretsIn, secretsOfUrl } from "./secret-arguments.ts";

/**
 * The values of a transport that are secrets for certain: tokens, headers and variables of a telling
 * name, credentials in a URL or among the arguments. Fewer than an error message hides, so that
 * what a server answers stays as it is but for these.
 */
export function secretsOfTransport(transport: McpTransport): readonly string[] {
  if (transport.type === "stdio") {
    const { env = {}, args = [] } = transport;
    return [...tellingValues(env), ...secretsIn(args)];
  }
  const { headers = {}, token, auth, url, proxy } = transport;
  const oauth = auth !== undefined && "type" in auth ? [auth.clientSecret, auth.privateKey] : [];
  const values = tellingValues(headers);
  return [
    ...(token === undefined ? [] : [token]),
    ...oauth.filter((secret) => typeof secret === "string"),
    ...values,
    ...values.map((value) => value.replace(/^\w+ +/, "")), // without the scheme
    ...secretsOfUrl(url),
    ...(proxy === undefined ? [] : secretsOfUrl(proxy)),
  ];
}

const tellingValues = (map: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(map).flatMap(([name, value]) => (isTelling(name) ? [value] : []));
