import { createServer, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

/** A proxy on the loopback interface. */
export interface LoopbackProxy extends AsyncDisposable {
  readonly url: string;
  /** Each request as `METHOD target credentials`, in order. */
  readonly seen: readonly string[];
}

/** Starts a proxy that forwards and tunnels; to `CONNECT` it answers `status` where that is not 200. */
export async function startProxy(status = 200): Promise<LoopbackProxy> {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const note = ({ method, url, headers }: IncomingMessage): void => {
    seen.push(`${method} ${url} ${headers["proxy-authorization"] ?? "-"}`);
  };
  const server = createServer((incoming, answer) => {
    note(incoming);
    const onward = request(
      incoming.url ?? "",
      { method: incoming.method ?? "GET", headers: incoming.headers, agent: false },
      (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(answer);
      },
    );
    incoming.pipe(onward);
  });
  server.on("connection", (socket: Socket) => sockets.add(socket));
  server.on("connect", (incoming: IncomingMessage, socket: Socket) => {
    note(incoming);
    if (status !== 200) {
      socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const { hostname, port } = new URL(`http://${incoming.url}`);
    const onward = connect(Number(port), hostname, () => {
      socket.write("HTTP/1.1 200 Connected\r\n\r\n");
      socket.pipe(onward).pipe(socket);
    });
    sockets.add(onward);
    onward.on("error", () => socket.destroy());
    socket.on("error", () => onward.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // an IP server has no other
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) {
        socket.destroy();
      }
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
