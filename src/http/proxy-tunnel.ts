import type { IncomingMessage } from "node:http";
import { type AgentOptions, Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { Duplex } from "node:stream";
import { connect as connectTls, type ConnectionOptions as NodeTlsOptions } from "node:tls";
import { redactUrl } from "../base/redact-url.ts";
import { ToolNetworkError } from "../base/tool-error.ts";
import { basicAuthorizationOf } from "./basic-authorization.ts";
import { nodeHttp } from "./node-http.ts";

/** What a request that goes through a tunnel hands to its agent, besides what Node's agents take. */
export interface TunnelOptions {
  /** Ends the opening of a tunnel that is no longer wanted. */
  readonly tunnelSignal?: AbortSignal;
}

interface TargetOptions extends TunnelOptions {
  readonly host?: string | null;
  readonly port?: string | number | null;
  readonly servername?: string;
}

/** An agent whose TLS connections run through a proxy's `CONNECT` (RFC 9110, 9.3.6). */
export class TunnelAgent extends HttpsAgent {
  readonly #proxy: URL;
  readonly #tls: NodeTlsOptions;

  constructor(proxy: URL, tls: NodeTlsOptions, settings: AgentOptions) {
    super(settings);
    this.#proxy = proxy;
    this.#tls = tls;
  }

  override createConnection(
    options: TargetOptions,
    callback: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    this.#open(options).then(
      (socket) => callback(null, socket),
      // Node reads no socket where there is an error.
      (error: Error) => (callback as (error: Error) => void)(error),
    );
  }

  async #open(options: TargetOptions): Promise<Duplex> {
    const { host, servername, tunnelSignal } = options;
    const socket = await openTunnel(this.#proxy, options);
    const secure = connectTls({
      ...this.#tls,
      socket,
      ...(host ? { host } : {}),
      ...(servername ? { servername } : {}),
      ALPNProtocols: ["http/1.1"],
    });
    const onAbort = (): void => void secure.destroy();
    tunnelSignal?.addEventListener("abort", onAbort, { once: true });
    return new Promise((resolve, reject) => {
      const onClose = (): void => reject(new Error("The tunnel was given up."));
      secure.once("error", reject);
      secure.once("close", onClose);
      secure.once("secureConnect", () => {
        secure.removeListener("error", reject);
        secure.removeListener("close", onClose);
        tunnelSignal?.removeEventListener("abort", onAbort);
        resolve(secure);
      });
    });
  }
}

/** The same without TLS, for connections such as a WebSocket's that no proxy forwards as they are. */
export class PlainTunnelAgent extends nodeHttp.Agent {
  readonly #proxy: URL;

  constructor(proxy: URL, settings: AgentOptions) {
    super(settings);
    this.#proxy = proxy;
  }

  override createConnection(
    options: TargetOptions,
    callback: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    openTunnel(this.#proxy, options).then(
      (socket) => callback(null, socket),
      (error: Error) => (callback as (error: Error) => void)(error), // likewise
    );
  }
}

/** Asks the proxy for a connection to the target, and gives it. */
function openTunnel(proxy: URL, { host, port, tunnelSignal }: TargetOptions): Promise<Duplex> {
  const target = `${host?.includes(":") ? `[${host}]` : host}:${port}`;
  const authorization = basicAuthorizationOf(proxy);
  const request = (proxy.protocol === "https:" ? requestHttps : nodeHttp.request)({
    method: "CONNECT",
    hostname: proxy.hostname.replace(/^\[|\]$/g, ""),
    ...(proxy.port === "" ? {} : { port: proxy.port }),
    path: target,
    headers: {
      host: target,
      ...(authorization === undefined ? {} : { "proxy-authorization": authorization }),
    },
    agent: false,
    ...(tunnelSignal === undefined ? {} : { signal: tunnelSignal }),
  });
  const refused = (answer: IncomingMessage): ToolNetworkError =>
    new ToolNetworkError(
      `The proxy ${redactUrl(proxy)} answered ${answer.statusCode} when it was asked for a connection to ${target}.`,
    );
  return new Promise((resolve, reject) => {
    request.on("error", reject); // giving up a refused tunnel may report another one
    request.once("response", (answer) => {
      answer.destroy();
      reject(refused(answer));
    });
    request.once("connect", (answer, socket) => {
      if (answer.statusCode === 200) {
        resolve(socket);
      } else {
        socket.destroy();
        reject(refused(answer));
      }
    });
    request.end();
  });
}
