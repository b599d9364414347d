import type { ClientRequest, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { systemClock } from "../base/clock.ts";
import { redactUrl } from "../base/redact-url.ts";
import { ToolError, ToolTimeoutError } from "../base/tool-error.ts";
import { agentFor } from "./connection-pool.ts";
import { decodeContent } from "./content-decoding.ts";
import type { HttpBody, HttpRequest } from "./http-request.ts";
import type { HttpResponse } from "./http-response.ts";
import { toNetworkError } from "./network-error.ts";
import { ResponseBody } from "./response-body.ts";
import { createWireRequest, type WireRequest } from "./wire-request.ts";

/**
 * One request and its answer on the wire: it keeps the times and the signal, and sees to it that the
 * connection either goes back to its pool whole or is closed.
 */
export class HttpExchange {
  /** Starts sending. It throws where the request cannot be sent at all. */
  static async start(request: HttpRequest, url: URL): Promise<HttpExchange> {
    try {
      const found = agentFor(url.protocol, request);
      const agent = found instanceof Promise ? await found : found;
      return new HttpExchange(request, createWireRequest(request, url, agent), url);
    } catch (cause) {
      throw toNetworkError(cause, nameOf(request, url));
    }
  }

  /** The head of the answer. */
  readonly response: Promise<HttpResponse>;
  readonly #request: HttpRequest;
  readonly #wire: ClientRequest;
  readonly #closeTunnel: () => void;
  readonly #url: URL;
  readonly #stopConnecting: () => void;
  readonly #stopDeadline: () => void;
  readonly #settle: PromiseWithResolvers<HttpResponse> = Promise.withResolvers();
  #socket: Socket | undefined;
  #incoming: IncomingMessage | undefined;
  #body: ResponseBody | undefined;
  #over = false;
  #wasBroken = false;

  private constructor(request: HttpRequest, { wire, closeTunnel }: WireRequest, url: URL) {
    this.#request = request;
    this.#wire = wire;
    this.#closeTunnel = closeTunnel;
    this.#url = url;
    this.response = this.#settle.promise;
    this.#stopConnecting = this.#startConnecting();
    this.#stopDeadline = this.#startDeadline();
    // Each of these happens once; to say so would cost more than to listen.
    wire.on("socket", (socket) => this.#onSocket(socket));
    wire.on("response", (incoming) => this.#onResponse(incoming));
    wire.on("error", (error) => this.#break(error));
    wire.on("close", () => this.#onClose());
    request.signal?.addEventListener("abort", this.#onAbort, { once: true });
    if (request.signal?.aborted) {
      this.#onAbort();
    } else {
      this.#send(request.body);
    }
  }

  /** Names the request in errors. */
  get #what(): string {
    return nameOf(this.#request, this.#url);
  }

  /** Whether there is a limit to the silence on the socket. */
  get #isTimed(): boolean {
    const { writeTimeoutMs, readTimeoutMs } = this.#request;
    return (
      writeTimeoutMs !== Number.POSITIVE_INFINITY || readTimeoutMs !== Number.POSITIVE_INFINITY
    );
  }

  /** Whether the request failed because the server had closed the kept connection that it was sent on. */
  get metClosedConnection(): boolean {
    return this.#wire.reusedSocket && this.#incoming === undefined && this.#wasBroken;
  }

  /** Ends the exchange with a reason; the connection is closed. */
  #fail(reason: unknown): void {
    if (this.#over) {
      return;
    }
    this.#release();
    this.#settle.reject(reason);
    this.#body?.fail(reason);
    this.#wire.destroy();
    this.#closeTunnel();
    this.#resume();
  }

  /** The connection or its peer has failed. */
  #break(error: unknown): void {
    const code = (error as { code?: unknown }).code; // of whatever Node reports; only compared
    this.#wasBroken ||= !this.#over && (code === "ECONNRESET" || code === "EPIPE");
    this.#fail(toNetworkError(error, this.#what));
  }

  #onClose(): void {
    this.#resume();
    if (this.#incoming === undefined) {
      this.#break(brokenOff()); // nothing else has told why
    }
  }

  /** Lets go of everything that would outlive the exchange. */
  #release(): void {
    this.#over = true;
    this.#stopConnecting();
    this.#stopDeadline();
    this.#request.signal?.removeEventListener("abort", this.#onAbort);
    this.#leaveSocket();
  }

  /** From here on the socket may serve another request. */
  #leaveSocket(): void {
    this.#socket?.removeListener("timeout", this.#onSilence);
    this.#socket = undefined;
  }

  readonly #onAbort = (): void => this.#fail(this.#request.signal?.reason);

  #startConnecting(): () => void {
    const { connectTimeoutMs = 5_000 } = this.#request;
    if (connectTimeoutMs === Number.POSITIVE_INFINITY) {
      return nothing;
    }
    return systemClock.startTimer(
      () => this.#time("no connection", "connectTimeoutMs", connectTimeoutMs),
      connectTimeoutMs,
    );
  }

  #startDeadline(): () => void {
    const { deadline, clock = systemClock } = this.#request;
    if (deadline === undefined) {
      return nothing;
    }
    const onDeadline = (): void =>
      this.#fail(new ToolTimeoutError(`${this.#what} timed out: its deadline has passed.`));
    return systemClock.startTimer(onDeadline, Math.max(0, deadline - clock.now()));
  }

  #onSocket(socket: Socket): void {
    if (this.#over) {
      return;
    }
    this.#socket = socket;
    const isSecuring = "secureConnecting" in socket && socket.secureConnecting === true;
    if (socket.connecting || isSecuring) {
      socket.once(isSecuring ? "secureConnect" : "connect", () => this.#onConnect(socket));
    } else {
      this.#onConnect(socket);
    }
  }

  #onConnect(socket: Socket): void {
    this.#stopConnecting();
    if (this.#over) {
      return;
    }
    const { writeTimeoutMs = 15_000, readTimeoutMs = 15_000 } = this.#request;
    if (!this.#isTimed) {
      return;
    }
    socket.on("timeout", this.#onSilence);
    if (this.#wire.writableFinished) {
      socket.setTimeout(socketTimeout(readTimeoutMs));
    } else {
      socket.setTimeout(socketTimeout(writeTimeoutMs));
      this.#wire.once(
        "finish",
        () => this.#over || socket.setTimeout(socketTimeout(readTimeoutMs)),
      );
    }
  }

  /** Nothing has moved on the socket for the time that was set. */
  readonly #onSilence = (): void => {
    const { writeTimeoutMs = 15_000, readTimeoutMs = 15_000 } = this.#request;
    if (this.#incoming === undefined && !this.#wire.writableFinished) {
      this.#time("the server does not take the request", "writeTimeoutMs", writeTimeoutMs);
    } else if (this.#body === undefined || this.#body.isWaiting) {
      this.#time("the server is silent", "readTimeoutMs", readTimeoutMs);
    } else if (!this.#body.isStarted) {
      this.#time("nobody has read the body of the answer", "readTimeoutMs", readTimeoutMs);
    }
    // Else our reader is slow, which is no fault of the server.
  };

  #time(why: string, limit: string, afterMs: number): void {
    this.#fail(
      new ToolTimeoutError(
        `${this.#what} timed out: ${why} after ${afterMs} ms. Raise ${limit} if that is expected.`,
      ),
    );
  }

  #onResponse(incoming: IncomingMessage): void {
    this.#incoming = incoming;
    const headers = joinHeaders(incoming);
    const status = incoming.statusCode ?? 0;
    const empty = this.#request.method.toUpperCase() === "HEAD" || status === 204 || status === 304;
    const decoded = empty ? undefined : decodeContent(incoming, headers["content-encoding"]);
    if (decoded !== undefined) {
      delete headers["content-encoding"];
      delete headers["content-length"];
    }
    const body = this.#receive(decoded ?? incoming);
    if (empty) {
      body.skip();
    }
    this.#settle.resolve({
      status,
      headers,
      body,
      bytes: () => body.bytes(),
      text: async () => new TextDecoder().decode(await body.bytes()),
      cancel: () => body.cancel(),
    });
  }

  #receive(source: Readable): ResponseBody {
    const { maxResponseBytes = 10 * 1024 * 1024, readTimeoutMs = 15_000 } = this.#request;
    if (this.#isTimed) {
      // Everything has come, though perhaps not been decompressed and read.
      this.#incoming?.once("end", () => this.#leaveSocket());
    }
    this.#incoming?.on("error", (error) => this.#break(error));
    this.#body = new ResponseBody(source, {
      maxBytes: maxResponseBytes,
      what: () => this.#what,
      onWait: () => {
        if (this.#isTimed) {
          this.#socket?.setTimeout(socketTimeout(readTimeoutMs));
        }
      },
      onEnd: () => this.#release(),
      onFail: (reason) => this.#fail(reason),
    });
    return this.#body;
  }

  #send(body: HttpBody | undefined): void {
    if (body === undefined || typeof body === "string" || body instanceof Uint8Array) {
      this.#wire.end(body);
    } else {
      this.#wire.on("drain", () => this.#resume());
      this.#pump(body).catch((cause: unknown) =>
        this.#fail(new ToolError(`The body of ${this.#what} could not be read.`, { cause })),
      );
    }
  }

  /** Continues {@link #pump} once the connection takes more, or is gone. */
  #resume = (): void => {};

  async #pump(body: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of body) {
      if (this.#wire.destroyed) {
        return;
      }
      if (!this.#wire.write(chunk)) {
        await new Promise<void>((resolve) => {
          this.#resume = resolve;
        });
      }
    }
    this.#wire.end();
  }
}

const nothing = (): void => {};

const nameOf = ({ method }: HttpRequest, url: URL): string => `${method} ${redactUrl(url)}`;

/** A socket's word for "without limit" is 0. */
const socketTimeout = (milliseconds: number): number =>
  milliseconds === Number.POSITIVE_INFINITY ? 0 : milliseconds;

/** Node joins all that come more than once, save for cookies. */
function joinHeaders({ headers }: IncomingMessage): Record<string, string> {
  const { "set-cookie": cookies } = headers;
  const single = headers as Record<string, string>; // save for these
  return cookies === undefined ? single : { ...single, "set-cookie": cookies.join(", ") };
}

const brokenOff = (): Error =>
  Object.assign(new Error("The connection was closed before the answer came."), {
    code: "ECONNRESET",
  });
