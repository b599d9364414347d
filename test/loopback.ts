import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from "node:net";

/** A server on the loopback interface; leaving its scope closes it and all its connections. */
export interface LoopbackServer extends AsyncDisposable {
  readonly port: number;
  /** Such as `http://127.0.0.1:40123`, without a slash at the end. */
  readonly origin: string;
  /** Connections that it has seen so far. */
  readonly connections: number;
  /** Settles when all connections that were opened are closed again. */
  allClosed(): Promise<void>;
}

export type Answer = (incoming: IncomingMessage, response: ServerResponse) => void;

/** An HTTP server. What it does not answer itself stays open. */
export function startHttp(answer: Answer): Promise<LoopbackServer> {
  return start(createServer({ keepAliveTimeout: 60_000 }, answer), "http");
}

/** An HTTPS server with this certificate and key (PEM). */
export function startHttps(
  credentials: { readonly cert: string; readonly key: string },
  answer: Answer,
): Promise<LoopbackServer> {
  return start(createTlsServer(credentials, answer), "https");
}

/** A server that takes TCP connections and leaves the rest to `onSocket`. */
export function startTcp(onSocket: (socket: Socket) => void): Promise<LoopbackServer> {
  return start(createTcpServer(onSocket), "http");
}

async function start(server: Server, scheme: string): Promise<LoopbackServer> {
  const open = new Set<Socket>();
  const waiting: (() => void)[] = [];
  let connections = 0;
  server.on("connection", (socket: Socket) => {
    connections += 1;
    open.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => {
      open.delete(socket);
      if (open.size === 0) {
        waiting.splice(0).forEach((resolve) => void resolve());
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // an IP server has no other
  return {
    port,
    origin: `${scheme}://127.0.0.1:${port}`,
    get connections() {
      return connections;
    },
    allClosed: () =>
      open.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
    async [Symbol.asyncDispose]() {
      for (const socket of open) {
        socket.destroy();
      }
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
