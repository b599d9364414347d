import { Agent, type AgentOptions } from "node:http";
import type { LookupFunction } from "node:net";

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
 * The agent that holds the connections of this kind. Idle connections do not keep the process alive,
 * and are closed after four seconds: before the servers that give no hint close theirs after five.
 */
export async function agentFor(
  protocol: "http:" | "https:",
  options: ConnectionOptions,
): Promise<Agent> {
  const { tls, keepAlive = true, lookup } = options;
  const pool = poolOf(lookup);
  const key = protocol === "http:" ? `${protocol}${keepAlive}` : keyOf(keepAlive, tls);
  const known = pool.get(key);
  if (known !== undefined) {
    return known;
  }
  const agent = await createAgent(protocol, options);
  const first = pool.get(key) ?? agent;
  pool.set(key, first);
  return first;
}

/** The way from TLS options to what node:tls takes. */
export function toNodeTls(tls: TlsOptions | undefined): object {
  const { rejectUnauthorized = true, ca, cert, key } = tls ?? {};
  return {
    rejectUnauthorized,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}

function poolOf(lookup: LookupFunction | undefined): Pool {
  if (lookup === undefined) {
    return systemPool;
  }
  const pool = lookupPools.get(lookup) ?? new Map();
  lookupPools.set(lookup, pool);
  return pool;
}

const keyOf = (keepAlive: boolean, tls: TlsOptions | undefined): string =>
  `https:${keepAlive}${JSON.stringify([tls?.rejectUnauthorized, tls?.ca, tls?.cert, tls?.key])}`;

async function createAgent(
  protocol: "http:" | "https:",
  { tls, keepAlive = true, lookup }: ConnectionOptions,
): Promise<Agent> {
  const settings: AgentOptions = {
    keepAlive,
    timeout: 4_000,
    ...(lookup === undefined ? {} : { lookup }),
  };
  if (protocol === "http:") {
    return new Agent(settings);
  }
  const https = await import("node:https");
  return new https.Agent({ ...settings, ...toNodeTls(tls) });
}
