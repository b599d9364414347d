import { checkNumbers } from "../base/check-numbers.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { eventAfter, type JoinedEvent, joinEvents } from "./joined-events.ts";
import { RunBells, type RunPlace } from "./run-bells.ts";
import type { RunEvent } from "./run-event.ts";
import {
  checkEventRange,
  checkNewRun,
  checkRunAge,
  checkRunFilter,
  checkRunKey,
  checkRunOwner,
} from "./run-limits.ts";
import { newestFirst, parseRunCursor, toRunPage } from "./run-page.ts";
import {
  checkDecisions,
  checkTakeOver,
  endStatuses,
  hasEnded,
  runExists,
  runLost,
  runNotFound,
  undecided,
} from "./run-refusals.ts";
import type {
  EventRange,
  NewRun,
  RunAge,
  RunChanges,
  RunFilter,
  RunKey,
  RunOwner,
  RunPage,
  RunRecord,
  RunStore,
  StepRecord,
} from "./run-store.ts";
import type { Decision } from "./waiting.ts";

/** How a memory store is limited. */
export interface MemoryRunStoreOptions {
  /**
   * Of more runs than this, those that have ended are forgotten, the ones that were changed first before
   * others, and then those that wait; never one that is executed. Default 10 000.
   */
  readonly maxRuns?: number;
  readonly clock?: Clock;
}

/** A run and all that belongs to it. */
interface KeptRun {
  record: RunRecord;
  owner: string;
  readonly steps: Map<string, StepRecord>;
  readonly events: JoinedEvent[];
}

/** Runs in this process's memory: they end with it. */
export class MemoryRunStore implements RunStore {
  /** The last changed one stands last. */
  readonly #runs = new Map<string, KeptRun>();
  readonly #bells = new RunBells();
  readonly #maxRuns: number;
  readonly #clock: Clock;

  constructor({ maxRuns = 10_000, clock = systemClock }: MemoryRunStoreOptions = {}) {
    checkNumbers({ maxRuns }, { maxRuns: "count" }, { where: "of a store of runs in memory" });
    this.#maxRuns = maxRuns;
    this.#clock = clock;
  }

  async create(run: NewRun, owner: string): Promise<void> {
    checkNewRun(run);
    const place = placeOf(run);
    const known = this.#runs.get(place);
    if (known?.owner === owner) {
      return;
    }
    if (known !== undefined) {
      throw runExists(run.id);
    }
    const now = this.#clock.now();
    const record: RunRecord = {
      ...copyOf(run),
      status: "running",
      waitingFor: [],
      decisions: {},
      ready: false,
      createdAt: now,
      updatedAt: now,
      sequence: 0,
    };
    this.#runs.set(place, { record, owner, steps: new Map(), events: [] });
    this.#forget();
    this.#bells.ring(run);
  }

  /** Makes room for one run: of those that have ended the oldest goes, else of those that wait. */
  #forget(): void {
    if (this.#runs.size <= this.#maxRuns) {
      return;
    }
    let waiting: KeptRun | undefined;
    for (const run of this.#runs.values()) {
      const { status } = run.record;
      if (hasEnded(status)) {
        this.#remove(run);
        return;
      }
      waiting ??= status === "suspended" ? run : undefined;
    }
    if (waiting !== undefined) {
      this.#remove(waiting);
    }
  }

  async get(key: RunKey): Promise<RunRecord | undefined> {
    const run = this.#reach(key);
    return run && copyOf(run.record);
  }

  async list(filter: RunFilter): Promise<RunPage> {
    const size = checkRunFilter(filter);
    const { app, actor, status, session, ready } = filter;
    const { changedBefore = Number.POSITIVE_INFINITY } = filter;
    const cursor = parseRunCursor(filter.after);
    const found = [...this.#runs.values()]
      .map(({ record }) => record)
      .filter(
        (run) =>
          run.app === app &&
          run.actor === (actor ?? run.actor) &&
          run.status === (status ?? run.status) &&
          run.session === (session ?? run.session) &&
          run.ready === (ready ?? run.ready) &&
          run.updatedAt < changedBefore &&
          (cursor === undefined || newestFirst(run, cursor) > 0),
      )
      .toSorted(newestFirst);
    return toRunPage(found.slice(0, size + 1).map(copyOf), size);
  }

  async steps(key: RunKey): Promise<readonly StepRecord[]> {
    return [...this.#demand(key).steps.values()].map(copyOf);
  }

  async events(key: RunKey, range: EventRange = {}): Promise<readonly RunEvent[]> {
    checkEventRange(range);
    const { after = 0, limit } = range;
    return this.#demand(key)
      .events.filter(({ event }) => event.sequence > after)
      .slice(0, limit)
      .map((joined) => copyOf(eventAfter(joined, after)));
  }

  async write(key: RunKey, owner: string, changes: RunChanges): Promise<void> {
    const run = this.#demand(key);
    if (run.owner !== owner) {
      throw runLost(key.id);
    }
    const { steps = [], events = [], ...changed } = copyOf(changes);
    for (const step of steps) {
      run.steps.set(step.key, step);
    }
    const { sequence } = run.record;
    const added = events.filter((event) => event.sequence > sequence);
    run.events.push(...joinEvents(added));
    this.#change(run, { ...changed, sequence: added.at(-1)?.sequence ?? sequence });
  }

  async decide(key: RunKey, decisions: Readonly<Record<string, Decision>>): Promise<RunRecord> {
    const run = this.#demand(key);
    checkDecisions(run.record, decisions);
    const all = { ...run.record.decisions, ...copyOf(decisions) };
    return copyOf(this.#change(run, { decisions: all, ready: true }));
  }

  async takeOver(
    key: RunKey,
    owner: string,
    decisions: Readonly<Record<string, Decision>> = {},
  ): Promise<RunRecord> {
    const run = this.#demand(key);
    if (run.owner !== owner) {
      checkTakeOver(run.record, decisions);
      run.owner = owner;
      const all = { ...run.record.decisions, ...copyOf(decisions) };
      const waitingFor = undecided(run.record, all);
      this.#change(run, { status: "running", waitingFor, decisions: all, ready: false });
    }
    return copyOf(run.record);
  }

  changes(of: RunPlace, signal: AbortSignal): AsyncIterable<void> {
    return this.#bells.listen(of, signal);
  }

  async delete(key: RunKey): Promise<boolean> {
    const run = this.#reach(key);
    return run !== undefined && this.#remove(run);
  }

  async deleteAll(owner: RunOwner): Promise<number> {
    checkRunOwner(owner);
    const { app, actor, session } = owner;
    return this.#removeAll(
      ({ record: run }) =>
        run.app === app &&
        run.actor === (actor ?? run.actor) &&
        run.session === (session ?? run.session),
    );
  }

  async prune(age: RunAge): Promise<number> {
    checkRunAge(age);
    const { app, olderThanMs, status = endStatuses } = age;
    const latest = this.#clock.now() - olderThanMs;
    return this.#removeAll(
      ({ record: run }) =>
        run.app === app && status.includes(run.status) && run.updatedAt <= latest,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#runs.clear();
    this.#bells.ringAll();
  }

  #reach(key: RunKey): KeptRun | undefined {
    checkRunKey(key);
    const run = this.#runs.get(placeOf(key));
    return key.actor === undefined || run?.record.actor === key.actor ? run : undefined;
  }

  #demand(key: RunKey): KeptRun {
    const run = this.#reach(key);
    if (run === undefined) {
      throw runNotFound(key.id);
    }
    return run;
  }

  #change(run: KeptRun, changes: Partial<RunRecord>): RunRecord {
    const { record } = run;
    const updatedAt = Math.max(record.updatedAt, this.#clock.now());
    run.record = { ...record, ...changes, updatedAt };
    const place = placeOf(record);
    this.#runs.delete(place);
    this.#runs.set(place, run);
    this.#bells.ring(record);
    return run.record;
  }

  #remove({ record }: KeptRun): boolean {
    this.#runs.delete(placeOf(record));
    this.#bells.ring(record);
    return true;
  }

  #removeAll(which: (run: KeptRun) => boolean): number {
    return [...this.#runs.values()].filter(which).map((run) => this.#remove(run)).length;
  }
}

const placeOf = ({ app, id }: Required<RunPlace>): string => JSON.stringify([app, id]);

/** As a database would give it, so that nobody shares an object with the store. */
const copyOf = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;
