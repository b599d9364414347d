import type { Assembly } from "../agent/assembly.ts";
import { asAssembly } from "../agent/create-assembly.ts";
import type { Run } from "../agent/run.ts";
import type { RunEvent } from "../agent/run-event.ts";
import type { RunResult } from "../agent/run-result.ts";

/** Knows the runs of a server that are going on. */
export class RunTracker {
  readonly #runs = new Map<string, Run>();

  /** Those that have begun and neither ended nor suspended. */
  get active(): readonly Run[] {
    return [...this.#runs.values()];
  }

  /** The run of that id, if it goes on here. */
  find(id: string): Run | undefined {
    return this.#runs.get(id);
  }

  /** The same assembly, whose runs are known here from their beginning. */
  tracked(assembly: Assembly): Assembly {
    const { name, description } = assembly;
    const tracked: Assembly = {
      name,
      description,
      ask: (input, options) => tracked.stream(input, options).result,
      stream: (input, options) => this.#tracked(assembly.stream(input, options)),
      resume: (runId, options) => tracked.resumeStream(runId, options).result,
      resumeStream: (runId, options) => this.#tracked(assembly.resumeStream(runId, options)),
    };
    return asAssembly(tracked, assembly);
  }

  #tracked(run: Run): Run {
    return new TrackedRun(run, () => {
      this.#runs.set(run.id, run);
      void run.result.then(() => {
        if (this.#runs.get(run.id) === run) {
          this.#runs.delete(run.id);
        }
      });
    });
  }
}

/** A run that tells when it begins, which is with the first look. */
class TrackedRun implements Run {
  readonly id: string;
  readonly #run: Run;
  readonly #onStart: () => void;
  #hasStarted = false;

  constructor(run: Run, onStart: () => void) {
    this.id = run.id;
    this.#run = run;
    this.#onStart = onStart;
  }

  get result(): Promise<RunResult> {
    this.#start();
    return this.#run.result;
  }

  cancel(reason?: unknown): void {
    this.#run.cancel(reason);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RunEvent, void, undefined> {
    this.#start();
    yield* this.#run;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#run[Symbol.asyncDispose]();
  }

  #start(): void {
    if (!this.#hasStarted) {
      this.#hasStarted = true;
      this.#onStart();
    }
  }
}
