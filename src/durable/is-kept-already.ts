import { RunError } from "../agent/run-error.ts";
import type { NewRun, RunStore } from "../agent/run-store.ts";

/** Whether a run could not be kept because the very run is kept already, as somebody has started it twice. */
export async function isKeptAlready(
  store: RunStore,
  { app, id, agent, actor }: NewRun,
  thrown: unknown,
): Promise<boolean> {
  if (!(RunError.is(thrown) && thrown.code === "run-conflict")) {
    return false;
  }
  const found = await store.get({ app, id });
  return found !== undefined && found.agent === agent && found.actor === actor;
}
