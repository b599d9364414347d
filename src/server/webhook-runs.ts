import { createHash } from "node:crypto";
import { Refusal } from "../ag-ui/refusal.ts";
import type { Assembly } from "../agent/assembly.ts";
import type { RunRecord, RunStore } from "../agent/run-store.ts";
import type { SessionStore } from "../agent/session-store.ts";
import type { Logger } from "../base/logger.ts";
import type { TraceContext } from "../base/trace-context.ts";
import type { Executor } from "../durable/executor.ts";
import { WatchedRuns, type WatchedRunsOptions } from "./watched-runs.ts";
import type { WebhookRun } from "./webhook-handler-options.ts";

/** What the runs of a webhook are started with. */
export interface WebhookRunsOptions {
  readonly name: string;
  readonly agent: Assembly;
  readonly app: string;
  readonly runs: RunStore;
  readonly sessions: SessionStore | undefined;
  readonly executor: Executor;
  readonly logger: Logger;
  readonly maxUnfinished: number;
  readonly maxRemembered: number;
  readonly report: WatchedRunsOptions["report"];
}

/** A run that a delivery has started, now or before. */
export interface DeliveredRun {
  readonly runId: string;
  /** How it stands when it has ended or waits for somebody; `undefined` where that cannot be seen. */
  settled(): Promise<RunRecord | undefined>;
}

/** What a delivery led to. */
export type WebhookOutcome =
  | {
      readonly kind: "run";
      readonly run: DeliveredRun;
      /** Whether an earlier delivery of the same has started it. */
      readonly isKnown: boolean;
    }
  | { readonly kind: "response"; readonly response: Response }
  | { readonly kind: "nothing" };

/** Makes the run of a delivery, where it is to have one. */
export type PlanRun = () => Promise<WebhookRun | Response | null>;

/**
 * Starts the runs of a webhook, each once. The id of a run is made of the delivery's, so that the store of
 * runs itself refuses a second one, whichever process was first, and also after a crash. What is
 * remembered here spares the store, and helps where it forgets soon.
 */
export class WebhookRuns {
  readonly #options: WebhookRunsOptions;
  readonly #watched: WatchedRuns;
  /** By the runs' ids; the last one stands last. Others of the same delivery wait for the first. */
  readonly #remembered = new Map<string, Promise<WebhookOutcome>>();
  readonly #settling = new Map<string, Promise<RunRecord | undefined>>();
  #unfinished = 0;

  constructor(options: WebhookRunsOptions) {
    this.#options = options;
    this.#watched = new WatchedRuns(options);
  }

  /** @throws Refusal 503; what `plan` and the executor throw, and then nothing is remembered. */
  async start(id: string, trace: TraceContext | undefined, plan: PlanRun): Promise<WebhookOutcome> {
    const runId = this.#runIdOf(id);
    const known = await this.#remembered.get(runId)?.catch(() => undefined);
    if (known?.kind === "run") {
      return { ...known, isKnown: true };
    }
    const starting = this.#start(runId, trace, plan);
    this.#remember(runId, starting);
    try {
      const outcome = await starting;
      if (outcome.kind !== "run") {
        this.#forget(runId, starting);
      }
      return outcome;
    } catch (thrown) {
      this.#forget(runId, starting);
      throw thrown;
    }
  }

  /** Watches runs that an earlier process has accepted, so that their ends are told. */
  async watchKept(): Promise<void> {
    const { app, runs, agent } = this.#options;
    const prefix = this.#prefix;
    for (const status of ["running", "suspended"] as const) {
      let after: string | undefined;
      do {
        const page = await runs.list({ app, status, limit: 1_000, ...(after && { after }) });
        for (const run of page.runs) {
          if (run.agent === agent.name && run.id.startsWith(prefix)) {
            void this.#watched.watch(run.id);
          }
        }
        after = page.next;
      } while (after !== undefined);
    }
  }

  /** See {@link WatchedRuns}. */
  idle(): Promise<void> {
    return this.#watched.idle();
  }

  close(): Promise<void> {
    return this.#watched.close();
  }

  async #start(
    runId: string,
    trace: TraceContext | undefined,
    plan: PlanRun,
  ): Promise<WebhookOutcome> {
    const { executor, agent, maxUnfinished } = this.#options;
    if (this.#unfinished >= maxUnfinished) {
      const headers = { "retry-after": "10" };
      const message = "Too many runs of this webhook have not ended yet; try again soon.";
      throw new Refusal(message, { status: 503, code: "unavailable", headers });
    }
    this.#unfinished += 1;
    const release = (): void => {
      this.#unfinished -= 1;
    };
    let isStarted = false;
    try {
      const planned = await plan();
      if (planned === null) {
        return { kind: "nothing" };
      }
      if (planned instanceof Response) {
        return { kind: "response", response: planned };
      }
      const { input, session, ...options } = planned;
      await executor.start(agent, input, {
        ...options,
        id: runId,
        ...(session === undefined ? {} : { session: this.#sessionOf(session) }),
        ...(trace === undefined ? {} : { trace }),
      });
      isStarted = true;
      void this.#watch(runId).then(release);
      return { kind: "run", run: { runId, settled: () => this.#settled(runId) }, isKnown: false };
    } finally {
      if (!isStarted) {
        release();
      }
    }
  }

  /** Records are large: they are kept no longer than somebody may wait for them. */
  async #watch(runId: string): Promise<void> {
    const settling = this.#watched.watch(runId);
    this.#settling.set(runId, settling);
    await settling;
    this.#settling.delete(runId);
  }

  async #settled(runId: string): Promise<RunRecord | undefined> {
    const { app, runs } = this.#options;
    return this.#settling.get(runId) ?? runs.get({ app, id: runId });
  }

  #sessionOf(id: string): { readonly id: string; readonly store?: SessionStore } {
    const { sessions: store } = this.#options;
    return { id, ...(store === undefined ? {} : { store }) };
  }

  #remember(runId: string, starting: Promise<WebhookOutcome>): void {
    this.#remembered.delete(runId);
    this.#remembered.set(runId, starting);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > this.#options.maxRemembered && oldest !== undefined) {
      this.#remembered.delete(oldest);
    }
  }

  #forget(runId: string, starting: Promise<WebhookOutcome>): void {
    if (this.#remembered.get(runId) === starting) {
      this.#remembered.delete(runId);
    }
  }

  get #prefix(): string {
    return `${this.#options.name}_`;
  }

  #runIdOf(delivery: string): string {
    const digest = createHash("sha256").update(delivery).digest("hex");
    return `${this.#prefix}${digest.slice(0, 32)}`;
  }
}
