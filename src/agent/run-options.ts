import type { UserContent } from "../message/content.ts";
import type { Model } from "../model/model.ts";
import type { RunLimits } from "./loop-guard.ts";
import type { ToolLevel } from "./run-tools.ts";

/** What an agent is asked: a text, or parts of which some are pictures or files. */
export type RunInput = string | readonly UserContent[];

/** What holds for one run only. */
export interface RunOptions extends ToolLevel {
  /** The authenticated caller, as the application names it. */
  readonly actor?: string;
  /** Anything that tools and callbacks of this run should have. Never logged or stored. */
  readonly context?: unknown;
  /** Cancels the run. */
  readonly signal?: AbortSignal;
  /** The longest that the run may take, in milliseconds; then it fails with `deadline-exceeded`. */
  readonly timeoutMs?: number;
  /** Instead of the agent's model. */
  readonly model?: string | Model;
  /** Each instead of the agent's limit of that name. */
  readonly limits?: RunLimits;
}
