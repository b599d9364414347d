import type { AgentRuntime } from "./agent-runtime.ts";
import type { Assembly } from "./assembly.ts";
import { checkInput, checkRunOptions } from "./check-run-options.ts";
import { HostedRun } from "./hosted-run.ts";
import type { Participant } from "./participant.ts";
import type { Run } from "./run.ts";
import type { RunInput } from "./run-input.ts";
import type { ResumeOptions, RunOptions } from "./run-options.ts";

/**
 * Makes a participant something that can be asked.
 *
 * @param runtimeNow gives what holds for the runs that begin now.
 */
export function createAssembly<Output>(
  participant: Participant,
  runtimeNow: () => AgentRuntime,
): Assembly<Output> {
  const { name, description } = participant;
  const ask = (input: RunInput, options: RunOptions, observed: boolean): Run<Output> => {
    checkInput(input, name);
    const runtime = runtimeNow();
    checkRunOptions(options, runtime);
    const source = { kind: "ask", input } as const;
    return new HostedRun<Output>({ participant, runtime, options, source, observed });
  };
  const resume = (runId: string, given: ResumeOptions, observed: boolean): Run<Output> => {
    const { decisions = {}, ...options } = given;
    const runtime = runtimeNow();
    checkRunOptions(options, runtime);
    const source = { kind: "resume", runId, decisions } as const;
    return new HostedRun<Output>({ participant, runtime, options, source, observed });
  };
  const assembly: Assembly<Output> = {
    name,
    description,
    ask: async (input, options = {}) => ask(input, options, false).result,
    stream: (input, options = {}) => ask(input, options, true),
    resume: async (runId, options = {}) => resume(runId, options, false).result,
    resumeStream: (runId, options = {}) => resume(runId, options, true),
  };
  participants.set(assembly, participant);
  runtimes.set(assembly, runtimeNow);
  return assembly;
}

const runtimes = new WeakMap<object, () => AgentRuntime>();

/** What holds for the runs of an assembly that begin now; `undefined` for what was not made here. */
export const runtimeOf = (assembly: object): AgentRuntime | undefined => runtimes.get(assembly)?.();

const participants = new WeakMap<object, Participant>();

/** What takes part for an assembly; `undefined` for what was not made here. */
export const participantOf = (assembly: object): Participant | undefined =>
  participants.get(assembly);

/** Lets another object, which is asked like `assembly`, count as it. */
export function asAssembly<Value extends object>(value: Value, assembly: Assembly): Value {
  const participant = participants.get(assembly);
  const runtimeNow = runtimes.get(assembly);
  if (participant !== undefined && runtimeNow !== undefined) {
    participants.set(value, participant);
    runtimes.set(value, runtimeNow);
  }
  return value;
}
