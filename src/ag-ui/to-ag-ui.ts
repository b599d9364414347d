import type { Json } from "../base/json.ts";
import type { AgUiEvent } from "./ag-ui-event.ts";
import { type EventFilter, filtered } from "./event-filter.ts";
import { forClient } from "./for-client.ts";
import { type PositionedOptions, positionedEvents, type RunSource } from "./positioned-events.ts";
import type { TranslationOptions } from "./run-translation.ts";
import { StateMirror } from "./state-mirror.ts";

/** What {@link toAgUi} is told besides the run. */
export interface ToAgUiOptions extends TranslationOptions {
  /** What the client says in its input. Absent: a client before 1.0, which gets what it can read. */
  readonly protocolVersion?: string;
  /** See {@link EventFilter}. Default: everything is sent. */
  readonly filter?: EventFilter;
  /**
   * Reads the state that the client is to have like us: sent whole at the beginning, then as patches
   * after each tool and at the end. Absent: no state is sent.
   */
  readonly state?: () => Promise<Json | undefined>;
}

/**
 * The events of a run as events of AG-UI 1.0: an adapter that holds nothing between calls. Lazy: each
 * `next()` drives the run as far as the next event; leaving the loop ends this reader, and what then
 * becomes of the run is the caller's (`run.cancel()`, say).
 *
 * It ends with exactly one `RUN_FINISHED` or `RUN_ERROR`, also when the source throws or stops in the
 * middle, and everything that was opened is closed before. The stream may hold private content, as the
 * run's events do; `filter` takes it out.
 */
export async function* toAgUi(
  run: RunSource,
  { filter, protocolVersion, state, ...options }: ToAgUiOptions,
): AsyncGenerator<AgUiEvent, void, undefined> {
  const positioned: PositionedOptions = {
    ...options,
    state: state && new StateMirror(state),
  };
  for await (const { event } of positionedEvents(run, positioned)) {
    const sent = filtered(forClient(event, protocolVersion), filter);
    if (sent !== undefined) {
      yield sent;
    }
  }
}
