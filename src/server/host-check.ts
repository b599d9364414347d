import { isIP } from "node:net";
import { Refusal } from "../ag-ui/refusal.ts";

/** What requests are held against. */
export interface HostRules {
  /** Names besides IP addresses and `localhost`, lower case. */
  readonly hosts: ReadonlySet<string>;
  /** Sites whose pages may use the server, as `Origin` names them. */
  readonly origins: ReadonlySet<string>;
}

/**
 * Keeps pages of other sites away.
 *
 * A page that has its own name resolve to this machine (DNS rebinding) sends that name as `Host`, so
 * only names that the server goes by are taken; an address cannot be rebound. And a page of another
 * site says so by `Origin`, or its browser by `Sec-Fetch-Site`; following a link to here is no harm.
 *
 * @throws Refusal 403.
 */
export function checkHost(request: Request, { hosts, origins }: HostRules): void {
  const host = request.headers.get("host") ?? "";
  const name = hostnameOf(host);
  if (name === undefined || !(isAddress(name) || isLocalhost(name) || hosts.has(name))) {
    const message =
      "The server does not go by the name in the Host header. Its operator can add it to allowedHosts.";
    throw new Refusal(message, { status: 403, code: "host-refused" });
  }
  const origin = request.headers.get("origin");
  if (origin === null ? isOfOtherPage(request) : !isAllowed(origin, host, origins)) {
    const message =
      "Pages of other sites may not use this server. Its operator can add the site to allowedOrigins.";
    throw new Refusal(message, { status: 403, code: "origin-refused" });
  }
}

/** The name in a `Host` header, without port and brackets. */
function hostnameOf(host: string): string | undefined {
  const url = /^[\w.:[\]-]+$/.test(host) ? URL.parse(`http://${host}`) : null;
  return url?.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

const isAddress = (name: string): boolean => isIP(name) !== 0;

const isLocalhost = (name: string): boolean => name === "localhost" || name.endsWith(".localhost");

/** A page of the server's own, over whatever scheme a proxy has put before it, or of an allowed site. */
function isAllowed(origin: string, host: string, origins: ReadonlySet<string>): boolean {
  const own = URL.parse(origin)?.host === host.toLowerCase();
  return own || origins.has(origin.toLowerCase());
}

function isOfOtherPage({ method, headers }: Request): boolean {
  const site = headers.get("sec-fetch-site");
  const isLink = headers.get("sec-fetch-mode") === "navigate" && method === "GET";
  return (site === "cross-site" || site === "same-site") && !isLink;
}
