import { RunError } from "../../agent/run-error.ts";
import { ConfigurationError, messageOf } from "../../base/dragoman-error.ts";
import { Secret } from "../../base/secret.ts";
import type { TraceContext } from "../../base/trace-context.ts";
import { type Engine, messageId, type RunMessage } from "../engine.ts";

/** Where Restate takes messages. */
export interface RestateIngressOptions {
  /** Its ingress, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Sent with each request: what a Restate that asks who calls wants to see. */
  readonly headers?: Readonly<Record<string, string | Secret>>;
}

/** The longest that it may take to hand over a message, in milliseconds. */
const timeoutMs = 15_000;

/** Hands messages to Restate over its ingress, whose interface is plain HTTP. */
export class RestateIngress implements Engine {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string | Secret>>;
  readonly #service: string;

  /** @throws ConfigurationError where the URL is none. */
  constructor({ url, headers = {} }: RestateIngressOptions, service: string) {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
      throw new ConfigurationError(
        "The ingress of Restate must be an URL with http: or https:, such as http://127.0.0.1:8080.",
        { code: "invalid-configuration" },
      );
    }
    this.#base = url.replace(/\/+$/, "");
    this.#headers = headers;
    this.#service = service;
  }

  async deliver(message: RunMessage, trace?: TraceContext): Promise<void> {
    const path = [this.#service, message.runId, "execute", "send"]
      .map(encodeURIComponent)
      .join("/");
    const response = await this.#post(`${this.#base}/${path}`, message, trace);
    if (!response.ok) {
      throw unavailable(
        response.status === 404
          ? `Restate does not know the service "${this.#service}": register where a worker serves it.`
          : `Restate answered with status ${response.status}.`,
      );
    }
  }

  async #post(
    url: string,
    message: RunMessage,
    trace: TraceContext | undefined,
  ): Promise<{ readonly ok: boolean; readonly status: number }> {
    const headers = new Headers({
      "content-type": "application/json",
      "idempotency-key": messageId(message),
    });
    for (const [name, value] of Object.entries(this.#headers)) {
      headers.set(name, value instanceof Secret ? value.reveal() : value);
    }
    for (const name of ["traceparent", "tracestate"] as const) {
      const value = trace?.[name];
      if (value !== undefined) {
        headers.set(name, value);
      }
    }
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const body = JSON.stringify(message);
      const response = await fetch(url, { method: "POST", headers, body, signal });
      await response.body?.cancel();
      return response;
    } catch (cause) {
      throw unavailable(`The ingress of Restate cannot be reached: ${messageOf(cause)}.`, cause);
    }
  }
}

const unavailable = (message: string, cause?: unknown): RunError =>
  new RunError(message, { code: "engine-unavailable", cause });
