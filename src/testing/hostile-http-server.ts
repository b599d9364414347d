import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import type { HostileCase } from "./hostile-cases.ts";
import { answerRequest } from "./hostile-dialogue.ts";
import type { HostileExchange, HostileMessage } from "./hostile-exchange.ts";

/** A hostile server on 127.0.0.1, in this process. */
export interface HostileHttpServer {
  readonly url: string;
  /** Cuts what is open, and resolves when it is gone. */
  close(): Promise<void>;
}

/** Starts a hostile MCP server over streamable HTTP. */
export async function startHostileHttpServer(kind: HostileCase): Promise<HostileHttpServer> {
  const answers = new Map<unknown, (answer: HostileMessage) => void>();
  const server = createServer((request, response) => {
    response.on("error", () => {}); // the client is gone
    handle(kind, request, { response, answers }).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Scope {
  readonly response: ServerResponse;
  readonly answers: Map<unknown, (answer: HostileMessage) => void>;
}

async function handle(kind: HostileCase, request: IncomingMessage, scope: Scope): Promise<void> {
  const { response, answers } = scope;
  if (request.method !== "POST") {
    response.writeHead(request.method === "DELETE" ? 200 : 405).end();
    return;
  }
  const message = JSON.parse(await textOf(request)) as HostileMessage; // of the client under test
  if (message["method"] !== undefined && message["id"] !== undefined) {
    await answerRequest(kind, exchangeFor(message, scope));
    return;
  }
  answers.get(message["id"])?.(message);
  response.writeHead(202).end();
}

function exchangeFor(request: HostileMessage, { response, answers }: Scope): HostileExchange {
  let form: "json" | "event" | undefined;
  const begin = (wanted: "json" | "event", status = 200): void => {
    form ??= wanted;
    if (!response.headersSent) {
      response.writeHead(status, headersFor(form));
    }
  };
  const raw = (text: string): Promise<boolean> => write(response, text);
  const send = async (message: HostileMessage): Promise<void> => {
    begin("event");
    await raw(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  };
  return {
    over: "http",
    request,
    send,
    async answer(result) {
      const message = { jsonrpc: "2.0", id: request["id"], result };
      if (form === "event") {
        await send(message);
      } else {
        begin("json");
        await raw(JSON.stringify(message));
      }
      response.end();
    },
    begin(wanted, status) {
      begin(wanted, status);
      if (form === "event") {
        response.write("data: ");
      }
    },
    write: raw,
    end: () => void response.end(form === "event" ? "\n\n" : ""),
    cut: () => void response.destroy(),
    respond: (status, headers = {}, body = "") =>
      void response.writeHead(status, headers).end(body),
    startGrandchild: () => {},
    clientAnswer: (id) => new Promise((resolve) => answers.set(id, resolve)),
    complain: async () => {},
    isOpen: () => !response.destroyed,
  };
}

const headersFor = (form: "json" | "event"): OutgoingHttpHeaders => ({
  "content-type": form === "json" ? "application/json" : "text/event-stream",
  "mcp-session-id": "hostile-session",
});

/** At the pace of the reader. */
function write(response: ServerResponse, text: string): Promise<boolean> {
  return new Promise((resolve) => {
    if (response.destroyed) {
      resolve(false);
    } else if (response.write(text)) {
      resolve(true);
    } else {
      const settle = (): void => {
        response.off("drain", settle).off("close", settle);
        resolve(!response.destroyed);
      };
      response.on("drain", settle).on("close", settle);
    }
  });
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk as Buffer); // a stream without an encoding
  }
  return Buffer.concat(chunks).toString("utf8");
}
