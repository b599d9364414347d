import type { UrlTransport } from "../../tool/mcp-server-config.ts";

/** Where a server is and what it is shown. */
export interface ServerAddress {
  /** Without user-info, which is in the headers. */
  readonly url: URL;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** What no message may hold. */
  readonly secrets: readonly string[];
}

/** The URL of a transport without credentials, and the headers with them. */
export function addressOf(transport: UrlTransport): ServerAddress {
  const url = new URL(transport.url);
  const { username, password } = url;
  url.username = "";
  url.password = "";
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(transport.headers ?? {})) {
    headers[name.toLowerCase()] = value;
  }
  if (transport.token !== undefined) {
    headers["authorization"] = `Bearer ${transport.token}`;
  } else if (username !== "" && headers["authorization"] === undefined) {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    headers["authorization"] = `Basic ${Buffer.from(pair).toString("base64")}`;
  }
  const values = Object.values(headers);
  const secrets = [
    ...values,
    ...values.map((value) => value.replace(/^\w+ /, "")), // without the scheme
    ...url.searchParams.values(),
  ];
  return { url, headers, secrets };
}
