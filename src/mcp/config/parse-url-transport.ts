import { isLoopbackHost } from "../../base/loopback-host.ts";
import { redactUrl } from "../../base/redact-url.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import type { McpOAuth } from "../../tool/mcp-oauth.ts";
import type {
  RequestSigner,
  TokenSource,
  TransportTls,
  UrlTransport,
} from "../../tool/mcp-server-config.ts";
import {
  ConfigFault,
  type ConfigPath,
  type Fields,
  fieldsAt,
  optionalCount,
  optionalFlag,
  optionalFunction,
  optionalText,
  optionalTextMap,
  optionalTexts,
  type Place,
  refuseUnknownKeys,
  requiredText,
} from "../wire/config-shape.ts";
import { toOAuth } from "./parse-oauth.ts";

/** The schemes of the URLs of one kind of transport. */
interface Schemes {
  readonly secure: string;
  readonly insecure: string;
}

/** For transports over HTTP. */
export const httpSchemes: Schemes = { secure: "https:", insecure: "http:" };

/** For WebSockets. */
export const webSocketSchemes: Schemes = { secure: "wss:", insecure: "ws:" };

const keys = [
  "url",
  "headers",
  "token",
  "auth",
  "signer",
  "allowInsecureHttp",
  "maxResponseBytes",
  "proxy",
  "tls",
];

/** What the transports behind a URL have in common. Throws a {@link ConfigFault}. */
export function toUrlTransport(
  fields: Fields,
  { path }: Place,
  schemes: Schemes,
  moreKeys: readonly string[] = [],
): UrlTransport {
  const at = { path, what: `the ${String(fields["type"])} transport` };
  refuseUnknownKeys(fields, ["type", ...keys, ...moreKeys], at);
  const url = requiredText(fields, "url", at, "it is the address of the server");
  const allowInsecureHttp = optionalFlag(fields, "allowInsecureHttp", path);
  checkUrl(url, { path: [...path, "url"], key: "url" }, schemes, allowInsecureHttp);
  const headers = optionalTextMap(fields, "headers", path);
  const token = optionalText(fields, "token", path);
  const auth = toAuth(fields["auth"], [...path, "auth"], allowInsecureHttp);
  checkHeaders(headers ?? {}, path);
  checkCredentials({ headers: headers ?? {}, token, auth }, path);
  return withoutUndefined({
    url,
    headers,
    token,
    auth,
    signer: optionalFunction<RequestSigner>(fields, "signer", path),
    allowInsecureHttp,
    maxResponseBytes: optionalCount(fields, "maxResponseBytes", { path, unit: "bytes" }),
    proxy: toProxy(optionalText(fields, "proxy", path), [...path, "proxy"]),
    tls: toTls(fields["tls"], [...path, "tls"]),
  });
}

/** The URL of a server must be whole, of the right kind, and secure unless that is not wanted. */
export function checkUrl(
  text: string,
  { path, key }: { readonly path: ConfigPath; readonly key: string },
  { secure, insecure }: Schemes,
  allowInsecure = false,
): void {
  if (!URL.canParse(text)) {
    throw new ConfigFault(
      path,
      `"${key}" is not a URL: write it whole, as in ${secure}//host/mcp.`,
    );
  }
  const { protocol } = new URL(text);
  if (protocol !== secure && protocol !== insecure) {
    throw new ConfigFault(
      path,
      `"${key}" must begin with ${secure}// or ${insecure}//, not ${protocol}`,
    );
  }
  if (protocol === insecure && !allowInsecure) {
    throw new ConfigFault(path, insecureFault(text, { key, secure }));
  }
}

/** Says what to add, in words that are right both in TypeScript and in JSON. */
function insecureFault(
  url: string,
  { key, secure }: { readonly key: string; readonly secure: string },
): string {
  const { protocol, hostname } = new URL(url);
  const what = `"${key}" is ${redactUrl(url)}, and what goes over ${protocol} is not encrypted`;
  const add = `write "allowInsecureHttp": true beside "url"`;
  return isLoopbackHost(hostname)
    ? `${what}, so it must be allowed, also on this machine: ${add}.`
    : `${what}: anyone on the way can read the credentials. Use ${secure}//; or, if all of the network on the way is your own, ${add}.`;
}

function toAuth(
  value: unknown,
  path: ConfigPath,
  allowInsecure = false,
): TokenSource | McpOAuth | undefined {
  if (value === undefined) {
    return undefined;
  }
  const fields = fieldsAt(value, path, `"auth"`);
  if (fields["type"] !== undefined) {
    return toOAuth(fields, path, allowInsecure);
  }
  if (typeof fields["token"] !== "function") {
    throw new ConfigFault(
      path,
      `"auth" must be { "type": "oauth", … }, or have a method token() that gives the token.`,
    );
  }
  return value as TokenSource; // of a function no more can be checked
}

function toTls(value: unknown, path: ConfigPath): TransportTls | undefined {
  if (value === undefined) {
    return undefined;
  }
  const at = { path, what: `"tls"` };
  const fields = fieldsAt(value, path, at.what);
  refuseUnknownKeys(fields, ["ca", "cert", "key", "rejectUnauthorized"], at);
  const ca = Array.isArray(fields["ca"])
    ? optionalTexts(fields, "ca", path)
    : optionalText(fields, "ca", path);
  return withoutUndefined({
    ca,
    cert: optionalText(fields, "cert", path),
    key: optionalText(fields, "key", path),
    rejectUnauthorized: optionalFlag(fields, "rejectUnauthorized", path),
  });
}

function toProxy(proxy: string | undefined, path: ConfigPath): string | undefined {
  if (proxy === undefined) {
    return undefined;
  }
  if (!/^https?:$/.test(URL.parse(proxy)?.protocol ?? "")) {
    throw new ConfigFault(path, `"proxy" must be an http: or https: URL.`);
  }
  return proxy;
}

interface GivenCredentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly token: string | undefined;
  readonly auth: TokenSource | McpOAuth | undefined;
}

/** There is one Authorization header, so only one may say what is in it. */
function checkCredentials({ headers, token, auth }: GivenCredentials, path: ConfigPath): void {
  if (token !== undefined) {
    checkHeaderValue(token, [...path, "token"], `"token"`);
  }
  const header = Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
  if (token !== undefined && header) {
    throw new ConfigFault(
      [...path, "token"],
      `There is both a "token" and an Authorization header; a token is short for that header. Give one of them.`,
    );
  }
  if (auth !== undefined && (header || token !== undefined)) {
    throw new ConfigFault(
      [...path, "auth"],
      `There is "auth" and ${header ? "an Authorization header" : `a "token"`}; both say who we are. Give one of them.`,
    );
  }
}

function checkHeaders(headers: Readonly<Record<string, string>>, path: ConfigPath): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) {
      throw new ConfigFault(
        [...path, "headers", name],
        `${JSON.stringify(name)} is not the name of an HTTP header.`,
      );
    }
    checkHeaderValue(value, [...path, "headers", name], `The header "${name}"`);
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
