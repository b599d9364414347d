import type { RunEvent } from "../agent/run-event.ts";
import { type RunFailure, toRunFailure } from "../agent/run-failure.ts";
import type { RunResult } from "../agent/run-result.ts";
import type { AgUiEvent } from "./ag-ui-event.ts";
import { type PositionedEvent, PositionReader } from "./position-reader.ts";
import { RunTranslation, type TranslationOptions } from "./run-translation.ts";
import type { StateMirror } from "./state-mirror.ts";
import type { StreamPosition } from "./stream-position.ts";

/** What AG-UI events are made of: a run, or the events of one that were kept. */
export interface RunSource extends AsyncIterable<RunEvent> {
  /** How the run ended, for what no event says. */
  readonly result?: Promise<RunResult>;
}

/** What a stream is made with. */
export interface PositionedOptions extends TranslationOptions {
  /** Keeps the client's state like the session's. */
  readonly state?: StateMirror | undefined;
  /** What comes right after the beginning. */
  readonly prelude?: readonly AgUiEvent[];
  /** The last event that the reader has; what comes after it is given, and nothing before. */
  readonly after?: StreamPosition | undefined;
}

/**
 * All AG-UI events of a run, or those after a position. Lazy: the source is asked for its next event
 * when the reader asks. It ends with one terminal event, whatever becomes of the source.
 */
export async function* positionedEvents(
  source: RunSource,
  { state, after, prelude = [], ...options }: PositionedOptions,
): AsyncGenerator<PositionedEvent, void, undefined> {
  const stream = new PositionedStream({
    translation: new RunTranslation(options),
    reader: new PositionReader(after),
    state,
    prelude,
  });
  let failure: RunFailure = {
    code: "internal-error",
    message: "The events of the run ended before the run did.",
  };
  try {
    for await (const event of source) {
      yield* stream.take(event, event.kind === "run-end" ? await source.result : undefined);
      if (stream.ended) {
        return;
      }
    }
    // A run that could not begin has no events.
    const result = await source.result;
    failure = result?.status === "failed" ? result.error : failure;
  } catch (thrown) {
    failure = toRunFailure(thrown);
  }
  yield* stream.fail(failure);
}

interface StreamParts {
  readonly translation: RunTranslation;
  readonly reader: PositionReader;
  readonly state: StateMirror | undefined;
  readonly prelude: readonly AgUiEvent[];
}

/** One reader's way through a run: translated, from its position on, with the state put in. */
class PositionedStream {
  readonly #translation: RunTranslation;
  readonly #reader: PositionReader;
  readonly #state: StateMirror | undefined;
  readonly #prelude: readonly AgUiEvent[];
  #isFirst = true;
  #sequence = 0;

  constructor({ translation, reader, state, prelude }: StreamParts) {
    this.#translation = translation;
    this.#reader = reader;
    this.#state = state;
    this.#prelude = prelude;
  }

  get ended(): boolean {
    return this.#translation.ended;
  }

  async *take(event: RunEvent, result: RunResult | undefined): AsyncGenerator<PositionedEvent> {
    this.#sequence = event.sequence;
    if (event.kind === "run-end" || event.kind === "run-suspend") {
      yield* await this.#changes();
    }
    const translated = this.#translation.take(event, result);
    for (const one of this.#reader.take(translated, event.sequence)) {
      yield* this.#isFirst ? await this.#first(one) : [one];
    }
    if (event.kind === "tool-end") {
      yield* await this.#changes();
    }
  }

  fail(failure: RunFailure): readonly PositionedEvent[] {
    return this.#reader.take(this.#translation.fail(failure), this.#sequence + 1);
  }

  /** A client takes nothing before `RUN_STARTED`; one that reads on has had it. */
  async #first(one: PositionedEvent): Promise<readonly PositionedEvent[]> {
    this.#isFirst = false;
    const snapshot = made(await this.#state?.snapshot());
    return one.event.type === "RUN_STARTED"
      ? [one, ...snapshot, ...made(this.#prelude)]
      : [...snapshot, one];
  }

  async #changes(): Promise<readonly PositionedEvent[]> {
    return this.#isFirst ? [] : made(await this.#state?.changes());
  }
}

const made = (events: readonly AgUiEvent[] = []): readonly PositionedEvent[] =>
  events.map((event) => ({ event }));
