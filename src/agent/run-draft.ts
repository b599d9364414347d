import type { Usage } from "../model/usage.ts";
import { type LoopState, newLoopState, totalUsage } from "./model-step.ts";
import type { RunArtifacts } from "./run-artifacts.ts";
import type { FailedServer } from "./run-failure.ts";
import type { RunReport } from "./run-result.ts";

/**
 * What a participant has done so far. It is kept outside the participant, so that a result tells of it
 * also where the work breaks off.
 */
export class RunDraft {
  state: LoopState = newLoopState([]);
  /** The id of the model in use; empty before one is chosen. */
  model = "";
  failedServers: readonly FailedServer[] = [];
  /** Files of tool results; absent before the tools are there. */
  artifacts: RunArtifacts | undefined;

  report(runId: string): RunReport {
    const { text, usage, steps, messages } = this.state;
    const usageByModel: Record<string, Usage> = Object.fromEntries(usage);
    return {
      runId,
      text,
      model: this.model,
      usage: totalUsage(this.state),
      usageByModel,
      steps,
      messages,
      failedServers: this.failedServers,
      artifacts: this.artifacts?.all ?? [],
    };
  }
}
