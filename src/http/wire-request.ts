import type { Agent, ClientRequest, RequestOptions } from "node:http";
import { basicAuthorizationOf } from "./basic-authorization.ts";
import { proxyOf } from "./connection-pool.ts";
import { acceptedEncodings } from "./content-decoding.ts";
import type { HttpRequest } from "./http-request.ts";
import { nodeHttp } from "./node-http.ts";
import type { TunnelOptions } from "./proxy-tunnel.ts";

/** A request of Node's, made but not ended. */
export interface WireRequest {
  readonly wire: ClientRequest;
  /** Gives up a proxy tunnel that is still being opened. */
  closeTunnel(): void;
}

/** Makes Node's request of ours. It throws what Node does where the request cannot be sent. */
export function createWireRequest(request: HttpRequest, url: URL, agent: Agent): WireRequest {
  const proxy = proxyOf(request);
  // Over TLS the proxy only sees a tunnel, which the agent opens; anything else is sent to it whole.
  const tunnelled = proxy !== undefined && url.protocol === "https:";
  const tunnel = tunnelled ? new AbortController() : undefined;
  const peer = tunnelled ? url : (proxy ?? url);
  const options: RequestOptions & TunnelOptions = {
    agent,
    protocol: peer.protocol,
    // IPv6 addresses stand in brackets in a URL, and without them everywhere else.
    hostname: peer.hostname.replace(/^\[|\]$/g, ""),
    ...(peer.port === "" ? {} : { port: peer.port }),
    path: `${peer === url ? "" : url.origin}${url.pathname}${url.search}`,
    method: request.method,
    headers: headersOf(request, url, peer),
    ...(tunnel === undefined ? {} : { tunnelSignal: tunnel.signal }),
  };
  return { wire: nodeHttp.request(options), closeTunnel: () => tunnel?.abort() };
}

function headersOf(request: HttpRequest, url: URL, peer: URL): Record<string, string> {
  const { headers = {}, body } = request;
  const sent: Record<string, string> = { ...headers };
  const given = Object.keys(headers).map((name) => name.toLowerCase());
  const add = (name: string, value: string | undefined): void => {
    if (value !== undefined && !given.includes(name)) {
      sent[name] = value;
    }
  };
  add("accept-encoding", acceptedEncodings);
  add("authorization", basicAuthorizationOf(url));
  if (peer !== url) {
    add("host", url.host);
    add("proxy-authorization", basicAuthorizationOf(peer));
  }
  if (typeof body === "string" || body instanceof Uint8Array) {
    add("content-length", String(Buffer.byteLength(body)));
  }
  return sent;
}
