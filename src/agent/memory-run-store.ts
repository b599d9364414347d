import { type Clock, systemClock } from "../base/clock.ts";
import { decisionProblem } from "./decisions.ts";
import { RunError } from "./run-error.ts";
import type { RunEvent } from "./run-event.ts";
import type {
  NewRun,
  RunChanges,
  RunFilter,
  RunKey,
  RunPage,
  RunRecord,
  RunStore,
  StepRecord,
} from "./run-store.ts";
import type { Decision } from "./waiting.ts";

/** A run and all that belongs to it. */
interface KeptRun {
  record: RunRecord;
  owner: string;
  readonly steps: Map<string, StepRecord>;
  readonly events: RunEvent[];
}

/** How a memory store is limited. */
export interface MemoryRunStoreOptions {
  /** Of more runs than this, the ones that were changed first are forgotten. Default 10 000. */
  readonly maxRuns?: number;
  readonly clock?: Clock;
}

/** Runs in this process's memory: they end with it. */
export class MemoryRunStore implements RunStore {
  readonly #runs = new Map<string, KeptRun>();
  readonly #maxRuns: number;
  readonly #clock: Clock;

  constructor({ maxRuns = 10_000, clock = systemClock }: MemoryRunStoreOptions = {}) {
    this.#maxRuns = maxRuns;
    this.#clock = clock;
  }

  async create(run: NewRun, owner: string): Promise<void> {
    const id = idOf(run);
    if (this.#runs.has(id)) {
      throw new RunError(`A run ${JSON.stringify(run.id)} is there already.`, {
        code: "run-conflict",
      });
    }
    const now = this.#clock.now();
    const record: RunRecord = {
      ...run,
      status: "running",
      waitingFor: [],
      decisions: {},
      createdAt: now,
      updatedAt: now,
      sequence: 0,
    };
    this.#runs.set(id, { record, owner, steps: new Map(), events: [] });
    const [oldest] = this.#runs.keys();
    if (this.#runs.size > this.#maxRuns && oldest !== undefined) {
      this.#runs.delete(oldest);
    }
  }

  async get(key: RunKey): Promise<RunRecord | undefined> {
    return this.#reach(key)?.record;
  }

  async list({ app, actor, status, session, limit = 100, after }: RunFilter): Promise<RunPage> {
    const runs = [...this.#runs.values()]
      .map(({ record }) => record)
      .filter((run) => run.app === app)
      .filter((run) => actor === undefined || run.actor === actor)
      .filter((run) => status === undefined || run.status === status)
      .filter((run) => session === undefined || run.session === session)
      .toReversed();
    const start = after === undefined ? 0 : runs.findIndex(({ id }) => id === after) + 1;
    const page = runs.slice(start, start + limit);
    const last = page.at(-1);
    return start + limit < runs.length && last !== undefined
      ? { runs: page, next: last.id }
      : { runs: page };
  }

  async steps(key: RunKey): Promise<readonly StepRecord[]> {
    return [...this.#found(key).steps.values()];
  }

  async events(
    key: RunKey,
    { after = 0, limit }: { readonly after?: number; readonly limit?: number } = {},
  ): Promise<readonly RunEvent[]> {
    return this.#found(key)
      .events.filter(({ sequence }) => sequence > after)
      .slice(0, limit);
  }

  async write(key: RunKey, owner: string, changes: RunChanges): Promise<void> {
    const run = this.#found(key);
    if (run.owner !== owner) {
      throw new RunError(`Run ${JSON.stringify(key.id)} was taken over by another process.`, {
        code: "run-lost",
      });
    }
    const { steps = [], events = [], ...changed } = changes;
    for (const step of steps) {
      run.steps.set(step.key, step);
    }
    run.events.push(...events);
    const sequence = events.at(-1)?.sequence ?? run.record.sequence;
    this.#change(run, { ...changed, sequence });
  }

  async decide(key: RunKey, decisions: Readonly<Record<string, Decision>>): Promise<RunRecord> {
    const run = this.#found(key);
    refuse(decisionProblem(run.record, decisions));
    return this.#change(run, { decisions: { ...run.record.decisions, ...decisions } });
  }

  async takeOver(
    key: RunKey,
    owner: string,
    decisions: Readonly<Record<string, Decision>> = {},
  ): Promise<RunRecord> {
    const run = this.#found(key);
    const { status } = run.record;
    if (status !== "running" && status !== "suspended") {
      throw new RunError(`Run ${JSON.stringify(key.id)} has ended: it is ${status}.`, {
        code: "run-finished",
      });
    }
    refuse(decisionProblem(run.record, decisions));
    run.owner = owner;
    return this.#change(run, {
      status: "running",
      waitingFor: [],
      decisions: { ...run.record.decisions, ...decisions },
    });
  }

  async delete(key: RunKey): Promise<boolean> {
    return this.#reach(key) !== undefined && this.#runs.delete(idOf(key));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#runs.clear();
  }

  #reach(key: RunKey): KeptRun | undefined {
    const run = this.#runs.get(idOf(key));
    return key.actor === undefined || run?.record.actor === key.actor ? run : undefined;
  }

  #found(key: RunKey): KeptRun {
    const run = this.#reach(key);
    if (run === undefined) {
      throw new RunError(`There is no run ${JSON.stringify(key.id)}.`, { code: "run-not-found" });
    }
    return run;
  }

  /** The last changed one stands last. */
  #change(run: KeptRun, changes: Partial<RunRecord>): RunRecord {
    const { record } = run;
    run.record = {
      ...record,
      ...changes,
      updatedAt: Math.max(record.updatedAt, this.#clock.now()),
    };
    const id = idOf(record);
    if (this.#runs.delete(id)) {
      this.#runs.set(id, run);
    }
    return run.record;
  }
}

const idOf = ({ app, id }: { readonly app: string; readonly id: string }): string =>
  JSON.stringify([app, id]);

function refuse(problem: RunError | undefined): void {
  if (problem !== undefined) {
    throw problem;
  }
}
