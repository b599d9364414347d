import type { Hono } from "hono";
import type { Caller } from "../ag-ui/handler-options.ts";
import type { Clock } from "../base/clock.ts";
import type { NodeBindings } from "./node-bindings.ts";
import type { Places } from "./places.ts";
import type { RunTracker } from "./run-tracker.ts";

/** What routes get with a request. */
export interface ServerEnvironment {
  readonly Bindings: Partial<NodeBindings>;
  readonly Variables: {
    /** Who calls; set for every route but the health check. */
    caller: Caller;
  };
}

/** A server's routes, to which a file adds its own. */
export type Routes = Hono<ServerEnvironment>;

/** What routes work with. */
export interface ServerScope {
  readonly places: Places;
  readonly tracker: RunTracker;
  readonly clock: Clock;
  readonly maxBodyBytes: number;
}
