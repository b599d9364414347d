import { readBytes } from "../ag-ui/read-body.ts";
import { Refusal } from "../ag-ui/refusal.ts";
import { traceOf } from "../ag-ui/request-trace.ts";
import type { RunRecord } from "../agent/run-store.ts";
import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/dragoman-error.ts";
import type { JsonObject } from "../base/json.ts";
import type { Logger } from "../base/logger.ts";
import { sleep } from "../base/sleep.ts";
import { startTimeLimit } from "../base/time-limit.ts";
import { toRefusal } from "./to-refusal.ts";
import type { WebhookHandlerOptions } from "./webhook-handler-options.ts";
import { fencedPayload, formatOf, parsePayload } from "./webhook-payload.ts";
import type { DeliveredRun, PlanRun, WebhookOutcome, WebhookRuns } from "./webhook-runs.ts";
import type { VerifiedWebhook } from "./webhook-verifier.ts";

/** What an endpoint works with. */
export interface WebhookEndpointOptions {
  readonly name: string;
  readonly options: WebhookHandlerOptions;
  readonly runs: WebhookRuns;
  readonly logger: Logger;
  readonly clock: Clock;
}

const defaults = { maxBytes: 1_048_576, bodyTimeoutMs: 10_000, maxRequests: 256 };

/** One webhook behind one address. */
export class WebhookEndpoint {
  readonly #endpoint: WebhookEndpointOptions;
  readonly #open = new Set<Promise<Response>>();
  #isClosing = false;

  constructor(endpoint: WebhookEndpointOptions) {
    this.#endpoint = endpoint;
  }

  /** Answers a request; never rejects. */
  async handle(request: Request): Promise<Response> {
    const answering = this.#answer(request).catch((thrown: unknown) => this.#refused(thrown));
    this.#open.add(answering);
    return answering.finally(() => this.#open.delete(answering));
  }

  /** Takes no more deliveries. @returns when those that have come are answered. */
  async stop(): Promise<void> {
    this.#isClosing = true;
    await Promise.all(this.#open);
  }

  async #answer(request: Request): Promise<Response> {
    const { limits, accept = ["json"], waitMs = 0 } = this.#endpoint.options;
    const { maxRequests, maxBytes, bodyTimeoutMs } = { ...defaults, ...limits };
    if (this.#isClosing) {
      throw unavailable("The server is shutting down.", 5);
    }
    if (request.method !== "POST") {
      const headers = { allow: "POST" };
      const message = "Only POST is served here.";
      throw new Refusal(message, { status: 405, code: "method-not-allowed", headers });
    }
    if (this.#open.size >= maxRequests) {
      throw unavailable("Too many deliveries come at once; try again soon.", 1);
    }
    const format = formatOf(request, accept);
    const body = await this.#read(request, maxBytes, bodyTimeoutMs);
    const { id } = await this.#verified(request, body);
    const payload = parsePayload(body, format);
    const { runs, clock, name } = this.#endpoint;
    const { headers } = request;
    const plan: PlanRun = async () => {
      const { toRun } = this.#endpoint.options;
      const delivery = { name, id, payload, headers, receivedAtMs: clock.now() };
      return toRun === undefined ? { input: fencedPayload(name, payload) } : toRun(delivery);
    };
    const outcome = await runs.start(id, traceOf(request), plan);
    return this.#respond(outcome, waitMs, request.signal);
  }

  async #read(request: Request, maxBytes: number, timeoutMs: number): Promise<Uint8Array> {
    const late = (): Refusal =>
      new Refusal(`The body did not come within ${timeoutMs} ms.`, {
        status: 408,
        code: "too-slow",
        headers: { connection: "close" },
      });
    const limit = startTimeLimit(this.#endpoint.clock, request.signal, timeoutMs, late);
    try {
      return await readBytes(request, maxBytes, limit.signal);
    } finally {
      limit.stop();
    }
  }

  /** @throws Refusal 401, which says the same whatever is wrong. */
  async #verified(request: Request, body: Uint8Array): Promise<VerifiedWebhook> {
    const { clock, options, logger, name } = this.#endpoint;
    const { headers, url, signal } = request;
    const verdict = await options.verify({ headers, body, url, nowMs: clock.now(), signal });
    if (verdict !== undefined && "id" in verdict && verdict.id !== "") {
      return verdict;
    }
    const why = verdict !== undefined && "refused" in verdict ? `: ${verdict.refused}` : "";
    logger.info(`A delivery to the webhook "${name}" was refused${why}.`);
    const message = "This delivery cannot be verified.";
    throw new Refusal(message, { status: 401, code: "unauthorized" });
  }

  async #respond(outcome: WebhookOutcome, waitMs: number, signal: AbortSignal): Promise<Response> {
    switch (outcome.kind) {
      case "nothing":
        return Response.json({ status: "ignored" }, { headers: noStore });
      case "response":
        return outcome.response;
      default: {
        const { run, isKnown } = outcome;
        const ended = waitMs > 0 ? await this.#until(run, waitMs, signal) : undefined;
        return this.#told(run, { ended, isKnown });
      }
    }
  }

  /** How the run stands, if that is so in time. */
  async #until(
    run: DeliveredRun,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<RunRecord | undefined> {
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    const late = sleep(this.#endpoint.clock, waitMs, either).catch(() => undefined);
    const first = await Promise.race([run.settled(), late]);
    over.abort();
    return first?.status === "running" ? undefined : (first ?? undefined);
  }

  #told(
    { runId }: DeliveredRun,
    { ended, isKnown }: { readonly ended: RunRecord | undefined; readonly isKnown: boolean },
  ): Response {
    const { statusUrl } = this.#endpoint.options;
    const location = statusUrl === undefined ? {} : { location: statusUrl(runId) };
    const body: JsonObject = {
      runId,
      status: ended?.status ?? "accepted",
      ...(isKnown ? { duplicate: true } : {}),
      ...(ended === undefined ? {} : resultOf(ended)),
    };
    const status = ended === undefined ? 202 : 200;
    return Response.json(body, { status, headers: { ...noStore, ...location } });
  }

  #refused(thrown: unknown): Response {
    const { logger, name } = this.#endpoint;
    const known = toRefusal(thrown);
    if (known === undefined || (known.status >= 500 && !Refusal.is(thrown))) {
      logger.error(`A delivery to the webhook "${name}" could not be served: ${messageOf(thrown)}`);
    }
    if (known?.status === 503 && known.headers["retry-after"] === undefined) {
      return unavailable(known.message, 10).toResponse();
    }
    const message = "The delivery could not be served.";
    return (known ?? new Refusal(message, { status: 500, code: "internal-error" })).toResponse();
  }
}

const noStore = { "cache-control": "no-store" };

const resultOf = ({ text, output, error }: RunRecord): JsonObject => ({
  text,
  output,
  error: error && { code: error.code, message: error.message },
});

function unavailable(message: string, afterS: number): Refusal {
  const headers = { "retry-after": String(afterS) };
  return new Refusal(message, { status: 503, code: "unavailable", headers });
}
