import { type Logger as PinoLogger, pino } from "pino";
import { createId } from "../base/ids.ts";
import { type Logger, silentLogger } from "../base/logger.ts";
import { toLogger } from "./to-logger.ts";

/** The log of a server: nothing of a request but what is named here is ever written. */
export class RequestLog {
  readonly #pino: PinoLogger | undefined;

  constructor(log: PinoLogger | "none" | undefined) {
    // The error stream: over stdio, what is written to the output is MCP.
    this.#pino =
      log === "none" ? undefined : (log ?? pino({ name: "dragoman" }, pino.destination(2)));
  }

  /** Notes a request. @returns what to call when its answer is sent, or nobody reads it any more. */
  begin(request: Request): { readonly id: string; end(status: number, isWhole: boolean): void } {
    const id = createId("req");
    const start = performance.now();
    const { method } = request;
    // The query is left out: somebody may have put a token there.
    const path = new URL(request.url).pathname.slice(0, 200);
    return {
      id,
      end: (status, isWhole) => {
        const ms = Math.round(performance.now() - start);
        const level = status >= 500 ? "warn" : "info";
        this.#pino?.[level]({ requestId: id, method, path, status, ms, isWhole }, "request");
      },
    };
  }

  /** The same for what reports to a {@link Logger}. */
  asLogger(): Logger {
    return this.#pino === undefined ? silentLogger : toLogger(this.#pino);
  }

  info(message: string, fields: Readonly<Record<string, string | number>> = {}): void {
    this.#pino?.info(fields, message);
  }

  /** Something that an operator must look at. The message must hold no credential. */
  error(message: string, fields: Readonly<Record<string, string | number>> = {}): void {
    this.#pino?.error(fields, message);
  }
}
