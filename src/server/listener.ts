import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { ConfigurationError, messageOf } from "../base/dragoman-error.ts";
import { isLoopbackHost } from "../base/loopback-host.ts";
import type { NodeBindings } from "./node-bindings.ts";

/** Where a server listens. */
export interface ListenOptions {
  /** Default: any that is free. */
  readonly port?: number;
  /** A name or address of this machine. Default `"127.0.0.1"`; any other needs `auth`. */
  readonly hostname?: string;
}

/** A server that listens. */
export interface Listening {
  readonly port: number;
  readonly hostname: string;
  /** Such as `http://127.0.0.1:4141`, without a slash at the end. */
  readonly url: string;
}

/** Answers requests; what node:http has of them comes along. */
export type Fetch = (request: Request, bindings: NodeBindings) => Response | Promise<Response>;

/** The server's socket. */
export class Listener {
  readonly #server: Server;

  constructor(fetch: Fetch) {
    const adapted = createAdaptorServer({
      fetch: (request, bindings) => fetch(request, bindings as NodeBindings), // HTTP/1 is served
      overrideGlobalObjects: false,
      // Proxies keep a connection for a minute; whoever closes first must be they, or requests get lost.
      serverOptions: { requestTimeout: 60_000, headersTimeout: 20_000, keepAliveTimeout: 65_000 },
    });
    this.#server = adapted as Server; // likewise
  }

  /** @throws ConfigurationError where the address is not to be had. */
  async listen({ port = 0, hostname = "127.0.0.1" }: ListenOptions): Promise<Listening> {
    const server = this.#server;
    const listening = Promise.withResolvers<void>();
    server.once("error", listening.reject);
    server.listen(port, hostname, listening.resolve);
    try {
      await listening.promise;
    } catch (cause) {
      throw new ConfigurationError(
        `The server cannot listen on ${hostname}, port ${port}: ${messageOf(cause)}`,
        { code: "invalid-configuration", cause },
      );
    } finally {
      server.off("error", listening.reject);
    }
    const address = server.address() as AddressInfo; // an IP server has no other
    const shown = hostname.includes(":") ? `[${hostname}]` : hostname;
    return { port: address.port, hostname, url: `http://${shown}:${address.port}` };
  }

  /** Takes no more connections; those that are open stay. */
  stop(): void {
    this.#server.close();
    this.#server.closeIdleConnections();
  }

  /** Breaks off what is still open. */
  async destroy(): Promise<void> {
    const closed = Promise.withResolvers<void>();
    if (!this.#server.listening) {
      this.#server.closeAllConnections();
      return;
    }
    this.#server.close(() => closed.resolve());
    this.#server.closeAllConnections();
    await closed.promise;
  }
}

/** @throws ConfigurationError where others could reach a server that lets everybody in. */
export function refuseOpenServer(
  { hostname = "127.0.0.1" }: ListenOptions,
  hasAuth: boolean,
): void {
  if (!hasAuth && !isLoopbackHost(hostname)) {
    throw new ConfigurationError(
      `On ${hostname} others can reach this server, and it lets everybody in. Give createServer an auth, { token } or a function (on the command line a token, best in DRAGOMAN_TOKEN), or listen on 127.0.0.1.`,
      { code: "invalid-configuration" },
    );
  }
}
