import type { AgentRuntime } from "../agent/agent-runtime.ts";
import type { Assembly } from "../agent/assembly.ts";
import { runtimeOf } from "../agent/create-assembly.ts";
import { MemoryRunStore } from "../agent/memory-run-store.ts";
import type { RunRecord } from "../agent/run-store.ts";
import { refuseUnknownKeys } from "../base/check-object.ts";
import type { Clock } from "../base/clock.ts";
import { ConfigurationError, messageOf } from "../base/dragoman-error.ts";
import { sleep } from "../base/sleep.ts";
import { LocalExecutor } from "../durable/local-executor.ts";
import { checkCallback, reportRun } from "./report-run.ts";
import { WebhookEndpoint } from "./webhook-endpoint.ts";
import type { WebhookHandlerOptions } from "./webhook-handler-options.ts";
import { WebhookRuns } from "./webhook-runs.ts";

/** Lets a webhook start runs: from a web request to its response. Never rejects. */
export interface WebhookHandler {
  (request: Request): Promise<Response>;
  /** Takes no more deliveries, and begins no run that waits for its turn. */
  stop(): Promise<void>;
  /** Fulfilled when no run of it goes on, save those that wait for somebody, and no end is being told. */
  idle(): Promise<void>;
  /**
   * Stops; then lets runs end, and their ends be told, for a while (default 5000 ms), and puts down
   * those that are left: in a store that outlives the process they can be taken up again.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/**
 * A webhook that starts runs of an agent, or of several as one, at one address, whatever routes requests
 * there. A `POST` with JSON is read, within its limits; verified over its raw bytes; and answered with 202
 * and `{ runId, status: "accepted" }` as soon as its run is kept. The same delivery again is answered with
 * the same run, and starts nothing.
 *
 * Refused are: what cannot be verified (401, without a reason), other types (415), bodies that are too
 * large (413), too slow (408) or no JSON (400), and what is too much at once (503 with `Retry-After`).
 *
 * @throws ConfigurationError where the agent was not made by this library, or an option is missing or not valid.
 */
export function createWebhookHandler(
  agent: Assembly,
  options: WebhookHandlerOptions,
): WebhookHandler {
  const webhook = new Webhook(agent, options);
  return Object.assign((request: Request) => webhook.endpoint.handle(request), {
    stop: () => webhook.stop(),
    idle: () => webhook.idle(),
    close: (closing: { readonly graceMs?: number } = {}) => webhook.close(closing),
  });
}

const defaults = { concurrency: 16, maxUnfinished: 1_000, maxRemembered: 10_000 };

/** Runs that nobody keeps otherwise; of more, the oldest that have ended are forgotten. */
const mostRunsInMemory = 1_000;

class Webhook {
  readonly endpoint: WebhookEndpoint;
  readonly #clock: Clock;
  readonly #runs: WebhookRuns;
  readonly #own: LocalExecutor | undefined;

  constructor(agent: Assembly, options: WebhookHandlerOptions) {
    const { name = agent.name, sessions, callback } = options;
    const runtime = checked(name, agent, options);
    const { app } = runtime;
    const { logger = runtime.logger, clock = runtime.clock } = options;
    const { concurrency, maxUnfinished, maxRemembered } = { ...defaults, ...options.limits };
    const kept = options.runs ?? runtime.runs;
    const runs = kept ?? new MemoryRunStore({ maxRuns: mostRunsInMemory, clock });
    const local = { store: runs, agents: [agent], app, concurrency, logger, clock };
    this.#own = options.executor === undefined ? new LocalExecutor(local) : undefined;
    this.#clock = clock;
    this.#runs = new WebhookRuns({
      name,
      agent,
      app,
      runs,
      sessions: sessions ?? runtime.sessions,
      executor: options.executor ?? (this.#own as LocalExecutor), // one of the two is there
      logger,
      maxUnfinished,
      maxRemembered,
      report: callback && ((run, signal) => report(run, callback, { signal, clock })),
    });
    if (callback !== undefined && kept !== undefined) {
      this.#runs.watchKept().catch((thrown: unknown) => {
        logger.error(`The runs of webhook "${name}" cannot be watched: ${messageOf(thrown)}`);
      });
    }
    this.endpoint = new WebhookEndpoint({ name, options, runs: this.#runs, logger, clock });
  }

  async stop(): Promise<void> {
    this.#own?.stop();
    await this.endpoint.stop();
  }

  idle(): Promise<void> {
    return this.#runs.idle();
  }

  async close({ graceMs = 5_000 }: { readonly graceMs?: number }): Promise<void> {
    const ending = this.stop().then(() => this.#runs.idle());
    const over = new AbortController();
    const late = sleep(this.#clock, graceMs, over.signal).catch(() => {});
    await Promise.race([ending, late]).finally(() => over.abort());
    await this.#runs.close();
    await this.#own?.[Symbol.asyncDispose]();
  }
}

async function report(
  run: RunRecord,
  callback: NonNullable<WebhookHandlerOptions["callback"]>,
  options: { readonly signal: AbortSignal; readonly clock: Clock },
): Promise<void> {
  const chosen = typeof callback === "function" ? await callback(run) : callback;
  if (chosen !== undefined) {
    await reportRun(run, chosen, options);
  }
}

/** Every option, so that the compiler misses none here. */
const optionNames: Readonly<Record<keyof WebhookHandlerOptions, true>> = {
  name: true,
  verify: true,
  toRun: true,
  accept: true,
  waitMs: true,
  callback: true,
  limits: true,
  runs: true,
  executor: true,
  sessions: true,
  statusUrl: true,
  logger: true,
  clock: true,
};

/** @throws ConfigurationError. */
function checked(name: string, agent: Assembly, options: WebhookHandlerOptions): AgentRuntime {
  const runtime = runtimeOf(agent);
  if (runtime === undefined) {
    throw invalid(name, "needs an agent that was made by defineAgent, or an assembly");
  }
  const { verify, executor, runs, callback } = options;
  refuseUnknownKeys(options, Object.keys(optionNames), `Webhook "${name}"`);
  if (!/^[\w-]{1,64}$/.test(name)) {
    throw invalid(name, "needs a name of 1 to 64 letters, digits, _ or -");
  }
  if (typeof verify !== "function") {
    const ways = "standardWebhooks, githubWebhooks, stripeWebhooks, slackWebhooks, or a function";
    throw invalid(name, `needs verify, who may send: ${ways}`);
  }
  if (executor !== undefined && runs === undefined && runtime.runs === undefined) {
    throw invalid(name, "has an executor, and so needs runs, the store that the executor has");
  }
  if (typeof callback === "object") {
    checkCallback(callback);
  }
  checkLimits(name, options);
  return runtime;
}

function checkLimits(name: string, { limits = {}, waitMs }: WebhookHandlerOptions): void {
  for (const [limit, value] of Object.entries({ ...limits, waitMs: waitMs ?? 1 })) {
    if (!(typeof value === "number" && value >= 0) || (limit === "concurrency" && value < 1)) {
      throw invalid(name, `has ${limit} ${value}, which is no number that is right for it`);
    }
  }
}

const invalid = (name: string, why: string): ConfigurationError =>
  new ConfigurationError(`Webhook "${name}" ${why}.`, { code: "invalid-configuration" });
