import { createId } from "../base/ids.ts";
import type { Binding } from "../tool/binding.ts";
import type { Tool } from "../tool/tool.ts";
import { MemorySteps } from "./memory-steps.ts";
import { type RunSettings, toolLevels } from "./run-scope.ts";
import { openRunTools } from "./run-tools.ts";
import type { Steps } from "./steps.ts";

/** The tools of a run that does not take place. */
export interface BorrowedTools {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly binding: Binding;
  readonly steps: Steps;
}

/** Opens the tools that a run with these settings would have, lends them, and closes them. */
export async function withRunTools<Value>(
  settings: RunSettings,
  use: (borrowed: BorrowedTools) => Promise<Value>,
): Promise<Value> {
  const { runtime } = settings;
  const binding = bind(settings);
  const { signal } = binding;
  const { id: runId } = binding.run;
  const steps = new MemorySteps({ runId, signal, clock: runtime.clock, emit: () => {} });
  const { tools, servers } = await openRunTools(toolLevels(settings), { runtime, binding, steps });
  try {
    return await use({ tools, binding, steps });
  } finally {
    await servers.close();
  }
}

function bind({ definition, runtime, options }: RunSettings): Binding {
  const { actor, context, signal = new AbortController().signal } = options;
  const { name } = definition;
  const who = actor === undefined ? {} : { actor };
  return {
    run: { id: createId("run"), context, agentPath: [name], ...who },
    agent: { name },
    signal,
    credential: (wanted) => runtime.credentials.credential(wanted, { ...who, signal }),
  };
}
