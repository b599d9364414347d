import type { Tracer } from "../base/tracing.ts";
import { configure } from "../index.ts";

/**
 * Has the runs of this process's agents traced, from the next one on: the same as
 * `configure({ instrument })`. Tracers that were given before are told no more.
 */
export function instrument(...tracers: readonly Tracer[]): void {
  configure({ instrument: tracers });
}
