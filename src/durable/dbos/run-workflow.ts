import { messageId, type RunMessage, retryMs, type Standing } from "../engine.ts";
import type { RunWorker } from "../run-worker.ts";
import type { DbosEnqueueOptions, DbosSdk } from "./dbos-sdk.ts";

type Dbos = DbosSdk["DBOS"];

/** What DBOS knows the workflow of an application's runs by, and its queue. */
export const nameOf = (app: string): string => `dragoman.${app}`;

/** How a message is enqueued: the same one twice is one workflow. */
export const enqueueing = (message: RunMessage, delayMs = 0): DbosEnqueueOptions => ({
  queueName: nameOf(message.app),
  workflowName: nameOf(message.app),
  workflowID: messageId(message),
  ...(delayMs > 0 ? { delaySeconds: delayMs / 1_000 } : {}),
});

/**
 * Registers the workflow that executes a run once, to where it ends or waits; before DBOS is launched.
 * What DBOS records of it is how the run stood then.
 */
export function registerRunWorkflow(dbos: Dbos, app: string, worker: RunWorker): void {
  dbos.registerWorkflow(
    async (message: RunMessage): Promise<void> => {
      for (let failures = 0; ; failures += 1) {
        const standing = await dbos.runStep(() => execute(dbos, worker, message), {
          name: "execute",
        });
        if (standing.kind === "again") {
          await dbos.sleep(Math.min(retryMs.first * retryMs.factor ** failures, retryMs.longest));
        } else if (standing.kind === "settled" || !(await waits(dbos, message, standing))) {
          return;
        }
      }
    },
    { name: nameOf(app) },
  );
}

async function execute(dbos: Dbos, worker: RunWorker, message: RunMessage): Promise<Standing> {
  const cancelled = dbos.stepStatus?.cancelSignal;
  // An operator has cancelled the workflow in DBOS: then the run does not go on either.
  const onCancel = (): void => void worker.cancel(message.runId).catch(() => {});
  cancelled?.addEventListener("abort", onCancel, { once: true });
  try {
    const standing = await worker.execute(message);
    if (standing.kind === "again" && worker.isClosing) {
      await new Promise(() => {}); // recorded as nothing, so that DBOS takes it up again
    }
    return standing;
  } finally {
    cancelled?.removeEventListener("abort", onCancel);
  }
}

/**
 * Sees to it that a run goes on when the time to decide is over, which a workflow of its own waits for.
 *
 * @returns whether this is that workflow, which came too early by this machine's clock: it looks again.
 */
async function waits(
  dbos: Dbos,
  { app, runId, because, stand }: RunMessage,
  standing: Extract<Standing, { readonly kind: "waiting" }>,
): Promise<boolean> {
  const { expiresAt } = standing;
  if (expiresAt === undefined) {
    return false;
  }
  const left = async (): Promise<number> => Math.max(1, expiresAt - Date.now());
  const delayMs = await dbos.runStep(left, { name: "left" });
  if (because === "expiry" && stand === standing.stand) {
    await dbos.sleep(delayMs);
    return true;
  }
  const expiry = { app, runId, stand: standing.stand, because: "expiry" } as const;
  await dbos.enqueueWorkflowWithOptions(enqueueing(expiry, delayMs), expiry);
  return false;
}
