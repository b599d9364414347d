import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createGzip } from "node:zlib";
import { isJsonObject, type Json, type JsonObject, parseJson } from "../base/json.ts";
import { type OpenAiAnswer, toChunks, toCompletion } from "./openai-server-answers.ts";
import { complaintAbout } from "./openai-server-checks.ts";

/** A stream piece by piece. An async iterable decides when each piece is sent. */
export interface OpenAiStream {
  readonly kind: "stream";
  /** Objects become `data` lines; texts are sent as they are. */
  readonly chunks: Iterable<Json> | AsyncIterable<Json>;
  /**
   * After the chunks: `[DONE]` and the end (default); the end alone; a connection that breaks; or
   * `[DONE]` and no end.
   */
  readonly end?: "done" | "silent" | "broken" | "open";
}

/** A plain HTTP answer. */
export interface OpenAiHttpReply {
  readonly kind: "http";
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** How an {@link OpenAiServer} answers; a text is an answer of that text. */
export type OpenAiReply = string | OpenAiAnswer | OpenAiStream | OpenAiHttpReply;

/** A request that an {@link OpenAiServer} has got. */
export interface OpenAiServerRequest {
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

/** How an {@link OpenAiServer} behaves. */
export interface OpenAiServerOptions {
  /** @param index the number of requests before this one. */
  readonly respond: (
    request: OpenAiServerRequest,
    index: number,
  ) => OpenAiReply | Promise<OpenAiReply>;
  /** Splits streams into writes of so many bytes. Default: a write for each chunk. */
  readonly bytesPerWrite?: number;
  /** Compresses streams, and flushes after each write. Default false. */
  readonly gzip?: boolean;
}

/** A server for tests that speaks OpenAI's chat completions on the loopback interface. */
export interface OpenAiServer extends AsyncDisposable {
  /** Such as `http://127.0.0.1:40123/v1`. */
  readonly baseUrl: string;
  /** Every request, in order, also those that were refused. */
  readonly requests: readonly OpenAiServerRequest[];
  /** Connections that it has seen so far. */
  readonly connections: number;
}

/**
 * Starts an {@link OpenAiServer}. It refuses (400) what a strict provider refuses: a tool call without
 * its result or with arguments that are no JSON object, a tool whose schema is none, base64 as text.
 * Leaving its scope closes it and all its connections.
 */
export async function startOpenAiServer(options: OpenAiServerOptions): Promise<OpenAiServer> {
  const requests: OpenAiServerRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, response) => {
    answer(incoming, response, requests, options).catch((error: unknown) =>
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
    baseUrl: `http://127.0.0.1:${port}/v1`,
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

async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  requests: OpenAiServerRequest[],
  options: OpenAiServerOptions,
): Promise<void> {
  let text = "";
  for await (const piece of incoming.setEncoding("utf8")) {
    text += piece;
  }
  const body = parseJson(text);
  const complaint = complaintAbout(body);
  const request: OpenAiServerRequest = {
    path: incoming.url ?? "",
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
      : refusal(complaint);
  await send(toReply(reply, request), response, options);
}

const joined = (
  headers: Readonly<Record<string, readonly string[] | undefined>>,
): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, values?.join(", ")]));

const refusal = (message: string): OpenAiHttpReply => ({
  kind: "http",
  status: 400,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ error: { message, type: "invalid_request_error", code: null } }),
});

/** An answer in the form that the request asks for. */
function toReply(
  reply: OpenAiReply,
  { body }: OpenAiServerRequest,
): OpenAiStream | OpenAiHttpReply {
  const given: Exclude<OpenAiReply, string> =
    typeof reply === "string" ? { kind: "answer", text: reply } : reply;
  if (given.kind !== "answer") {
    return given;
  }
  return body["stream"] === true
    ? { kind: "stream", chunks: toChunks(given, body) }
    : {
        kind: "http",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(toCompletion(given, body)),
      };
}

async function send(
  reply: OpenAiStream | OpenAiHttpReply,
  response: ServerResponse,
  options: OpenAiServerOptions,
): Promise<void> {
  if (reply.kind === "http") {
    response.writeHead(reply.status ?? 200, reply.headers).end(reply.body);
    return;
  }
  const write = startStream(response, options);
  for await (const chunk of reply.chunks) {
    await write(typeof chunk === "string" ? chunk : `data: ${JSON.stringify(chunk)}\n\n`);
  }
  const { end = "done" } = reply;
  if (end === "done" || end === "open") {
    await write("data: [DONE]\n\n");
  }
  if (end === "broken") {
    response.destroy();
  } else if (end !== "open") {
    await write(undefined);
  }
}

/** Begins an event stream; `undefined` ends it. Each write is on its way when its promise resolves. */
function startStream(
  response: ServerResponse,
  { bytesPerWrite = Number.POSITIVE_INFINITY, gzip = false }: OpenAiServerOptions,
): (text: string | undefined) => Promise<void> {
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
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
