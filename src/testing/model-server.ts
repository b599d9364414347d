import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createGzip } from "node:zlib";
import { isJsonObject, type Json, type JsonObject, parseJson } from "../base/json.ts";

/** What the model of a server for tests says; the server writes it as its provider does. */
export interface ServerAnswer {
  readonly kind: "answer";
  readonly text?: string;
  readonly reasoning?: string;
  /** What the provider signs the reasoning with, where it does. */
  readonly signature?: string;
  readonly calls?: readonly ServerCall[];
  /** In the provider's words. Default: those for an answer that is complete. */
  readonly finishReason?: string;
  /** In the provider's form. Default: one token in, one out. */
  readonly usage?: JsonObject;
}

/** A tool call in a {@link ServerAnswer}. */
export interface ServerCall {
  /** Left out of the answer by providers that know no ids. */
  readonly id: string;
  readonly name: string;
  /** JSON text; OpenAI's and Anthropic's models may write anything in its place. */
  readonly arguments: string;
  /** What Google signs the call with. */
  readonly signature?: string;
}

/** A stream piece by piece. An async iterable decides when each piece is sent. */
export interface ServerStream {
  readonly kind: "stream";
  /** Objects are framed as the provider does; texts are sent as they are. */
  readonly chunks: Iterable<Json> | AsyncIterable<Json>;
  /**
   * After the chunks: the provider's mark, if it has one, and the end (default); the end alone; a
   * connection that breaks; or the mark and no end.
   */
  readonly end?: "done" | "silent" | "broken" | "open";
}

/** A plain HTTP answer. */
export interface ServerHttpReply {
  readonly kind: "http";
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** How a server for tests answers; a text is an answer of that text. */
export type ServerReply = string | ServerAnswer | ServerStream | ServerHttpReply;

/** A request that a server for tests has got. */
export interface ServerRequest {
  /** Path and query. */
  readonly path: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The body as it came. */
  readonly text: string;
  readonly body: JsonObject;
  /** Settles when the client closes the connection before the answer has ended. */
  readonly aborted: Promise<void>;
}

/** How a server for tests behaves. */
export interface ModelServerOptions {
  /** @param index the number of requests before this one. */
  readonly respond: (request: ServerRequest, index: number) => ServerReply | Promise<ServerReply>;
  /** Splits streams into writes of so many bytes. Default: a write for each chunk. */
  readonly bytesPerWrite?: number;
  /** Compresses streams, and flushes after each write. Default false. */
  readonly gzip?: boolean;
}

/** A server for tests that speaks one provider's interface on the loopback interface. */
export interface ModelServer extends AsyncDisposable {
  /** What its provider's model takes as base URL (Ollama's: as host). */
  readonly baseUrl: string;
  /** Every request, in order, also those that were refused. */
  readonly requests: readonly ServerRequest[];
  /** Connections that it has seen so far. */
  readonly connections: number;
}

/** How one provider's requests are checked and its answers written. */
export interface ServerWire {
  /** What the base URL ends in. */
  readonly basePath: string;
  readonly streamType: string;
  /** What the provider would refuse, if anything. */
  readonly complaintAbout: (body: Json | undefined, path: string) => string | undefined;
  /** The body of its error of status 400. */
  readonly refusal: (message: string) => JsonObject;
  readonly wantsStream: (body: JsonObject, path: string) => boolean;
  readonly toWhole: (answer: ServerAnswer, body: JsonObject) => JsonObject;
  readonly toChunks: (answer: ServerAnswer, body: JsonObject) => readonly JsonObject[];
  /** One object as it goes over the wire in a stream. */
  readonly frame: (chunk: Json) => string;
  /** What ends a stream. */
  readonly endMark: string;
}

/** Starts a {@link ModelServer}. Leaving its scope closes it and all its connections. */
export async function startModelServer(
  wire: ServerWire,
  options: ModelServerOptions,
): Promise<ModelServer> {
  const requests: ServerRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, response) => {
    answer(incoming, response, { wire, requests, options }).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  server.on("connection", (socket) => {
    connections += 1;
    sockets.add(socket.setNoDelay(true));
    socket.on("error", () => {}); // clients may leave as they like
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // an IP server has no other
  return {
    baseUrl: `http://127.0.0.1:${port}${wire.basePath}`,
    requests,
    get connections() {
      return connections;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) {
        socket.destroy();
      }
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface ServerScope {
  readonly wire: ServerWire;
  readonly requests: ServerRequest[];
  readonly options: ModelServerOptions;
}

async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  { wire, requests, options }: ServerScope,
): Promise<void> {
  let text = "";
  for await (const piece of incoming.setEncoding("utf8")) {
    text += piece;
  }
  const body = parseJson(text);
  const path = incoming.url ?? "";
  const complaint = wire.complaintAbout(body, path);
  const request: ServerRequest = {
    path,
    headers: joined(incoming.headersDistinct),
    text,
    body: isJsonObject(body) ? body : {},
    aborted: new Promise((resolve) =>
      response.once("close", () => response.writableFinished || resolve()),
    ),
  };
  requests.push(request);
  const reply =
    complaint === undefined
      ? await options.respond(request, requests.length - 1)
      : jsonReply(wire.refusal(complaint), 400);
  await send(toReply(reply, request, wire), response, { wire, options });
}

const joined = (
  headers: Readonly<Record<string, readonly string[] | undefined>>,
): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, values?.join(", ")]));

const jsonReply = (body: JsonObject, status = 200): ServerHttpReply => ({
  kind: "http",
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

/** An answer in the form that the request asks for. */
function toReply(
  reply: ServerReply,
  { body, path }: ServerRequest,
  wire: ServerWire,
): ServerStream | ServerHttpReply {
  const given: Exclude<ServerReply, string> =
    typeof reply === "string" ? { kind: "answer", text: reply } : reply;
  if (given.kind !== "answer") {
    return given;
  }
  return wire.wantsStream(body, path)
    ? { kind: "stream", chunks: wire.toChunks(given, body) }
    : jsonReply(wire.toWhole(given, body));
}

type StreamScope = Pick<ServerScope, "wire" | "options">;

async function send(
  reply: ServerStream | ServerHttpReply,
  response: ServerResponse,
  scope: StreamScope,
): Promise<void> {
  if (reply.kind === "http") {
    response.writeHead(reply.status ?? 200, reply.headers).end(reply.body);
    return;
  }
  const { wire } = scope;
  const write = startStream(response, scope);
  for await (const chunk of reply.chunks) {
    await write(typeof chunk === "string" ? chunk : wire.frame(chunk));
  }
  const { end = "done" } = reply;
  if (end === "done" || end === "open") {
    await write(wire.endMark);
  }
  if (end === "broken") {
    response.destroy();
  } else if (end !== "open") {
    await write(undefined);
  }
}

/** Begins a stream; `undefined` ends it. Each write is on its way when its promise resolves. */
function startStream(
  response: ServerResponse,
  { wire, options }: StreamScope,
): (text: string | undefined) => Promise<void> {
  const { bytesPerWrite = Number.POSITIVE_INFINITY, gzip = false } = options;
  response.writeHead(200, {
    "content-type": wire.streamType,
    ...(gzip ? { "content-encoding": "gzip" } : {}),
  });
  response.flushHeaders();
  const compressor = gzip ? createGzip() : undefined;
  compressor?.pipe(response);
  const target = compressor ?? response;
  return async (text) => {
    if (text === undefined) {
      target.end();
      return;
    }
    const bytes = Buffer.from(text);
    for (let start = 0; start < bytes.length; start += bytesPerWrite) {
      target.write(bytes.subarray(start, start + bytesPerWrite));
      await new Promise<void>((resolve) => (compressor ? compressor.flush(resolve) : resolve()));
      await nextTurn();
    }
  };
}
