import { isJsonObject } from "../../base/json.ts";
import type { Logger } from "../../base/logger.ts";
import { type RunMessage, retryMs, type Standing } from "../engine.ts";
import type { RunWorker } from "../run-worker.ts";
import type {
  RestateContext,
  RestateEndpointOptions,
  RestateSdk,
  RestateService,
} from "./restate-sdk.ts";

/** What the service of runs works with. */
export interface RunServiceOptions {
  readonly sdk: Pick<RestateSdk, "object" | "rpc" | "CancelledError">;
  readonly name: string;
  readonly app: string;
  readonly worker: RunWorker;
  readonly longestExecutionMs: number;
}

/** How long Restate keeps its journal of an execution that has ended, to be looked at, in milliseconds. */
const journalRetentionMs = 24 * 60 * 60 * 1_000;

/**
 * The virtual object that stands for runs in Restate, keyed by the run's id: Restate lets one execution
 * of a run go on at a time, and repeats it on another worker where one has died. Its journal has one
 * entry for an execution, which says how the run stands.
 */
export function runService(options: RunServiceOptions): RestateService {
  const { sdk, name, longestExecutionMs } = options;
  return sdk.object({
    name,
    handlers: { execute: (context, message) => execute(context, message, options) },
    options: {
      // A model may think for long, and nothing is said to Restate meanwhile.
      inactivityTimeout: longestExecutionMs,
      abortTimeout: 60_000,
      journalRetention: journalRetentionMs,
      retryPolicy: {
        initialInterval: retryMs.first,
        maxInterval: retryMs.longest,
        exponentiationFactor: retryMs.factor,
        onMaxAttempts: "pause",
      },
    },
  });
}

async function execute(
  context: RestateContext,
  given: unknown,
  { sdk, name, app, worker }: RunServiceOptions,
): Promise<Standing> {
  const message = toRunMessage(given, app);
  const { runId } = message;
  const { attemptCompletedSignal } = context.request();
  try {
    const standing = await context.run("execute", async () =>
      demandEnd(await worker.execute(message, attemptCompletedSignal), runId),
    );
    if (standing.kind === "waiting" && standing.expiresAt !== undefined) {
      const delay = Math.max(1, standing.expiresAt - (await now(context)));
      const expiry: RunMessage = { app, runId, stand: standing.stand, because: "expiry" };
      context.objectSendClient({ name }, runId)["execute"]?.(expiry, sdk.rpc.sendOpts({ delay }));
    }
    return standing;
  } catch (thrown) {
    // An operator has cancelled it in Restate: then it does not go on here either.
    if (thrown instanceof sdk.CancelledError) {
      await context.run("cancel", () => worker.cancel(runId));
    }
    throw thrown;
  }
}

const now = (context: RestateContext): PromiseLike<number> =>
  context.run("now", async () => Date.now());

/** What is thrown lets Restate try again later, here or on another worker. */
function demandEnd(standing: Standing, runId: string): Standing {
  if (standing.kind === "again") {
    throw new Error(`Run ${runId} could not be carried on now: ${standing.code}`);
  }
  return standing;
}

function toRunMessage(given: unknown, app: string): RunMessage {
  if (!isJsonObject(given) || given["app"] !== app || typeof given["runId"] !== "string") {
    throw new Error(`This worker executes runs of the application "${app}" and no others.`);
  }
  return given as RunMessage; // as RestateIngress and the service itself write it
}

/** What the SDK has to say, in the application's log. What it repeats when it replays is left out. */
export const restateLogger =
  (logger: Logger): RestateEndpointOptions["logger"] =>
  ({ level, replaying }, message, ...more) => {
    const text = [message, ...more]
      .map((one) => (one instanceof Error ? one.message : String(one)))
      .join(" ");
    if (level === "error" || level === "warn") {
      logger.warn(`Restate: ${text}`);
    } else if (!replaying) {
      logger.debug(`Restate: ${text}`);
    }
  };
