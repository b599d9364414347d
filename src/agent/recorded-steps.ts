import type { Clock } from "../base/clock.ts";
import { createId } from "../base/ids.ts";
import type { Json } from "../base/json.ts";
import { sleep } from "../base/sleep.ts";
import { RunError } from "./run-error.ts";
import type { RunEventBody } from "./run-event.ts";
import type { RunJournal } from "./run-journal.ts";
import type { StepAttempt, StepOptions, Steps } from "./steps.ts";
import { Suspension } from "./suspension.ts";
import type { Decision, Waiting } from "./waiting.ts";

/** What recorded steps need of their run. */
export interface RecordedStepsOptions {
  readonly runId: string;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly journal: RunJournal;
  /** What was decided for this run, by the id of what was waited for. */
  readonly decisions: Readonly<Record<string, Decision>>;
  /** 1, and one more each time the run was resumed. */
  readonly execution: number;
  /** Whether a step that may not be repeated is recorded before it begins. */
  readonly marksStarts: boolean;
  /** Publishes an event of the participant with this path, which is counted from the run's first. */
  readonly emit: (event: RunEventBody, agentPath: readonly string[], part: string) => void;
}

/** Steps that are kept in a journal: those of an earlier execution are not done again. */
export class RecordedSteps implements Steps {
  readonly path: string;
  readonly #options: RecordedStepsOptions;
  readonly #agentPath: readonly string[];
  readonly #counts = new Map<string, number>();
  #seal: { readonly reason: unknown } | undefined;

  constructor(options: RecordedStepsOptions, agentPath: readonly string[], path = "") {
    this.#options = options;
    this.#agentPath = agentPath;
    this.path = path;
  }

  get isSealed(): boolean {
    return this.#seal !== undefined;
  }

  seal(reason: unknown): void {
    this.#seal ??= { reason };
  }

  async run<Value extends Json>(
    name: string,
    perform: (attempt: StepAttempt) => Promise<Value>,
    { id, idempotent = true, inDoubt, alone = false }: StepOptions<Value> = {},
  ): Promise<Value> {
    const { runId, signal, journal, marksStarts, execution } = this.#options;
    const key = this.#nextKey(name, id);
    const record = journal.reach(key);
    if (record?.kind === "finished") {
      return record.value as Value; // what this very step gave before
    }
    this.#refuseWhereSealed();
    if (record === undefined && alone) {
      this.#refuseOtherPath(key);
    }
    const before = record?.tries ?? 0;
    const instead = before === 0 ? undefined : await inDoubt?.(before);
    const isMarked = instead === undefined && marksStarts && !idempotent;
    if (isMarked) {
      await journal.add({ kind: "started", key, tries: before + 1 });
    }
    const idempotencyKey = `${runId}:${key}`;
    const value =
      instead === undefined
        ? await perform({ idempotencyKey, attempt: execution, signal }).catch(async (thrown) => {
            if (isMarked && thrown instanceof Suspension) {
              await journal.add({ kind: "started", key, tries: before }); // put aside, not in flight
            }
            throw thrown;
          })
        : instead;
    await journal.add({ kind: "finished", key, value });
    return value;
  }

  isRecorded(name: string, id?: string): boolean {
    return this.#options.journal.has(this.#keyOf(name, id, this.#countOf(name, id) + 1));
  }

  async waitFor(waiting: Waiting): Promise<Decision | null> {
    const { journal, decisions, clock } = this.#options;
    const key = `${this.path}wait:${waiting.id}`;
    const record = journal.reach(key);
    if (record?.kind === "finished") {
      return record.value as Decision | null; // written below
    }
    this.#refuseWhereSealed();
    const { expiresAt } = waiting;
    const isOver = expiresAt !== undefined && clock.now() >= expiresAt;
    const decision = decisions[waiting.id] ?? (isOver ? null : undefined);
    if (decision === undefined) {
      throw new Suspension([waiting]);
    }
    await journal.add({ kind: "finished", key, value: decision });
    return decision;
  }

  async sleep(durationMs: number): Promise<void> {
    const { clock, signal } = this.#options;
    const until = await this.run("sleep", async () => clock.now() + durationMs);
    const left = until - clock.now();
    if (left > 0) {
      await sleep(clock, left, signal);
    }
  }

  now(): Promise<number> {
    return this.run("now", async () => this.#options.clock.now());
  }

  randomId(): Promise<string> {
    return this.run("id", async () => createId("id"));
  }

  note<Value extends Json>(name: string, look: () => Value): Value {
    const { journal } = this.#options;
    const key = this.#nextKey(name);
    const record = journal.reach(key);
    if (record?.kind === "finished") {
      return record.value as Value; // what this very look gave before
    }
    this.#refuseWhereSealed();
    const value = look();
    // Writes keep their order: where it is not written, no later step is either, and that one says so.
    journal.add({ kind: "finished", key, value }).catch(() => {});
    return value;
  }

  recall<Value extends Json>(name: string): readonly Value[] {
    const { journal } = this.#options;
    const values: Value[] = [];
    for (let count = this.#counts.get(name) ?? 0; ; count += 1) {
      const record = journal.reach(`${this.path}${name}#${count + 1}`);
      if (record?.kind !== "finished") {
        return values;
      }
      values.push(record.value as Value); // what steps of this name gave
      this.#counts.set(name, count + 1);
    }
  }

  emit(event: RunEventBody): void {
    this.#options.emit(event, this.#agentPath, this.path);
  }

  within(participant: string, signal: AbortSignal, id?: string): Steps {
    const options = { ...this.#options, signal };
    const path = this.#nextPath(participant, id);
    const steps = new RecordedSteps(options, [...this.#agentPath, participant], path);
    if (this.#seal !== undefined) {
      steps.seal(this.#seal.reason);
    }
    return steps;
  }

  /** Counted apart from steps, which may have the same name. */
  #nextPath(participant: string, givenId: string | undefined): string {
    const id = givenId?.replaceAll("#", "|"); // the last one ends the name
    const named = `${namedAs(participant, id)}/`;
    const count = (this.#counts.get(named) ?? 0) + 1;
    this.#counts.set(named, count);
    return `${this.#keyOf(participant, id, count)}/`;
  }

  #refuseWhereSealed(): void {
    if (this.#seal !== undefined) {
      throw this.#seal.reason;
    }
  }

  #nextKey(name: string, id?: string): string {
    const count = this.#countOf(name, id) + 1;
    this.#counts.set(namedAs(name, id), count);
    return this.#keyOf(name, id, count);
  }

  #countOf(name: string, id: string | undefined): number {
    return this.#counts.get(namedAs(name, id)) ?? 0;
  }

  #keyOf(name: string, id: string | undefined, count: number): string {
    const number = id === undefined ? `#${count}` : count === 1 ? "" : `~${count}`;
    return `${this.path}${namedAs(name, id)}${number}`;
  }

  /** All recorded steps must have been taken before a new one that stands alone. */
  #refuseOtherPath(key: string): void {
    const missed = this.#options.journal.missed(this.path);
    if (missed !== undefined) {
      throw new RunError(
        `Run ${this.#options.runId} cannot go on: it has taken the step "${missed}" before, but the agent now takes "${key}" in its place. Resume it with the agent that it was begun with.`,
        { code: "step-mismatch" },
      );
    }
  }
}

const namedAs = (name: string, id: string | undefined): string =>
  id === undefined ? plain(name) : `${plain(name)}#${plain(id)}`;

/** Models choose names and ids: a slash would look like a participant's, and stores have their limits. */
const plain = (text: string): string =>
  text
    .slice(0, 200)
    .toWellFormed()
    .replace(/[/\p{Cc}]/gu, "|");
