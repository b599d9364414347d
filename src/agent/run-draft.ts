import { addUsage, type Usage } from "../model/usage.ts";
import { type LoopState, newLoopState, totalUsage } from "./model-step.ts";
import type { RunArtifact, RunArtifacts } from "./run-artifacts.ts";
import type { FailedServer } from "./run-failure.ts";
import type { ParticipantReport, RunReport, RunResult } from "./run-result.ts";

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
  readonly #asked: { readonly name: string; result: RunResult | undefined }[] = [];

  /** Somebody is asked in turn. @returns what takes the result. */
  ask(name: string): (result: RunResult) => void {
    const asked: { readonly name: string; result: RunResult | undefined } = {
      name,
      result: undefined,
    };
    this.#asked.push(asked);
    return (result) => {
      asked.result = result;
    };
  }

  /** Everything so far, what others did in turn included. */
  report(runId: string): RunReport {
    const { text, steps, messages } = this.state;
    const participants = this.#asked.flatMap(({ name, result }): readonly ParticipantReport[] =>
      result ? [{ name, result }] : [],
    );
    const inner = participants.map(({ result }) => result);
    const own: Readonly<Record<string, Usage>> = Object.fromEntries(this.state.usage);
    return {
      runId,
      text,
      model: this.model,
      usage: inner.map(({ usage }) => usage).reduce(addUsage, totalUsage(this.state)),
      usageByModel: inner.map(({ usageByModel }) => usageByModel).reduce(addEach, own),
      steps: inner.reduce((sum, result) => sum + result.steps, steps),
      messages,
      failedServers: [...this.failedServers, ...inner.flatMap((result) => result.failedServers)],
      participants,
      artifacts: firstOfEach([
        ...(this.artifacts?.all ?? []),
        ...inner.flatMap((result) => result.artifacts),
      ]),
    };
  }
}

function addEach(
  left: Readonly<Record<string, Usage>>,
  right: Readonly<Record<string, Usage>>,
): Readonly<Record<string, Usage>> {
  const sum = { ...left };
  for (const [model, usage] of Object.entries(right)) {
    const before = Object.hasOwn(sum, model) ? sum[model] : undefined;
    sum[model] = before === undefined ? usage : addUsage(before, usage);
  }
  return sum;
}

/** Equal bytes are one artifact of the run, whoever's tool gave them. */
function firstOfEach(artifacts: readonly RunArtifact[]): readonly RunArtifact[] {
  const byId = new Map<string, RunArtifact>();
  for (const artifact of artifacts) {
    byId.set(artifact.id, byId.get(artifact.id) ?? artifact);
  }
  return [...byId.values()];
}
