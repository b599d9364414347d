import type { Agent } from "node:http";
import type { LookupFunction } from "node:net";
import type { ConnectionOptions as NodeTlsOptions } from "node:tls";
import { ToolError } from "../base/tool-error.ts";
import { nodeHttp } from "./node-http.ts";

/** How a TLS peer is checked and what it is shown. */
export interface TlsOptions {
  /** Whether a certificate that cannot be trusted ends the connection. Default true. */
  readonly rejectUnauthorized?: boolean;
  /** Certificates (PEM) that are trusted instead of the well-known ones. */
  readonly ca?: string | readonly string[];
  /** Our own certificate (PEM), for a peer that asks for one. */
  readonly cert?: string;
  /** The private key (PEM) of `cert`. */
  readonly key?: string;
}

/** What makes connections different from one another. */
export interface ConnectionOptions {
  readonly tls?: TlsOptions;
  /** The `http:` or `https:` URL of a proxy; its user-info becomes `Proxy-Authorization`. */
  readonly proxy?: string | URL;
  /** Whether connections are kept for the next request. Default true. */
  readonly keepAlive?: boolean;
  /** Resolves host names instead of the system; the guard pins addresses by it. */
  readonly lookup?: LookupFunction;
}

/** Agents by what makes them different; those with a lookup of their own go with it. */
type Pool = Map<string, Agent>;
const systemPool: Pool = new Map();
const lookupPools = new WeakMap<LookupFunction, Pool>();

/**
 * The agent that holds the connections of this kind to hosts of this protocol: `http:`, `https:`
 * (also for `wss:`), or `ws:` through a proxy; at once where it is known, so
 * that a request does not wait for what is there. Idle connections do not keep the process alive, and are closed after four seconds: before servers that tell nobody
 * when they close theirs, which is after five at the earliest.
 */
export function agentFor(protocol: string, options: ConnectionOptions): Agent | Promise<Agent> {
  const pool = poolOf(options.lookup);
  const key = keyOf(protocol, options);
  return pool.get(key) ?? addAgent(pool, key, createAgent(protocol, options));
}

async function addAgent(pool: Pool, key: string, creating: Promise<Agent>): Promise<Agent> {
  const created = await creating;
  const agent = pool.get(key) ?? created; // two first requests at once share one
  pool.set(key, agent);
  return agent;
}

/** The proxy's URL, where there is one. */
export function proxyOf({ proxy, lookup }: ConnectionOptions): URL | undefined {
  if (proxy === undefined) {
    return undefined;
  }
  const url = typeof proxy === "string" ? URL.parse(proxy) : proxy;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw new ToolError("The proxy is not an http: or https: URL.");
  }
  if (lookup !== undefined) {
    throw new ToolError(
      "A request with a lookup of its own, such as a guarded one, cannot go through a proxy: there the proxy resolves the name.",
    );
  }
  return url;
}

function poolOf(lookup: LookupFunction | undefined): Pool {
  if (lookup === undefined) {
    return systemPool;
  }
  const pool = lookupPools.get(lookup) ?? new Map();
  lookupPools.set(lookup, pool);
  return pool;
}

/** Most requests have neither TLS options nor a proxy, and are not made to pay for them. */
function keyOf(protocol: string, { tls, proxy, keepAlive = true }: ConnectionOptions): string {
  const plain = keepAlive ? protocol : `${protocol}close`;
  if (proxy === undefined && (tls === undefined || protocol === "http:")) {
    return plain;
  }
  const parts = [tls?.rejectUnauthorized, tls?.ca, tls?.cert, tls?.key, String(proxy)];
  return `${plain}${JSON.stringify(parts)}`;
}

async function createAgent(protocol: string, options: ConnectionOptions): Promise<Agent> {
  const { tls, keepAlive = true, lookup } = options;
  const settings = { keepAlive, timeout: 4_000, ...(lookup === undefined ? {} : { lookup }) };
  const proxy = proxyOf(options);
  if (protocol === "ws:" && proxy !== undefined) {
    const { PlainTunnelAgent } = await import("./proxy-tunnel.ts");
    return new PlainTunnelAgent(proxy, settings);
  }
  if (protocol === "http:" && proxy?.protocol !== "https:") {
    return new nodeHttp.Agent(settings);
  }
  if (protocol === "https:" && proxy !== undefined) {
    const { TunnelAgent } = await import("./proxy-tunnel.ts");
    return new TunnelAgent(proxy, toNodeTls(tls), settings);
  }
  const https = await import("node:https");
  return new https.Agent({ ...settings, ...toNodeTls(tls) });
}

function toNodeTls({ rejectUnauthorized = true, ca, cert, key }: TlsOptions = {}): NodeTlsOptions {
  return {
    rejectUnauthorized,
    ...(ca === undefined ? {} : { ca: typeof ca === "string" ? ca : [...ca] }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}
