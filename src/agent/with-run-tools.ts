import { createId } from "../base/ids.ts";
import type { Binding } from "../tool/binding.ts";
import type { KeptToolsets } from "./kept-toolsets.ts";
import type { RunTools } from "./named-tools.ts";
import { RecordedSteps } from "./recorded-steps.ts";
import { RunJournal } from "./run-journal.ts";
import { bindRun, openingScope, type RunSettings, toolLevels } from "./run-scope.ts";
import { openRunTools } from "./run-tools.ts";
import type { Steps } from "./steps.ts";

/** The tools of a run that does not take place. */
export interface BorrowedTools {
  readonly tools: RunTools;
  readonly binding: Binding;
  readonly steps: Steps;
}

/** Opens the tools that a run with these settings would have, lends them, and closes them. */
export async function withRunTools<Value>(
  settings: RunSettings,
  kept: KeptToolsets | undefined,
  use: (borrowed: BorrowedTools) => Promise<Value>,
): Promise<Value> {
  const { runtime, definition, options } = settings;
  const { signal = new AbortController().signal } = options;
  const runId = createId("run");
  const agentPath = [definition.name];
  const binding = bindRun(settings, { runId, agentPath, signal });
  const steps = new RecordedSteps(
    {
      runId,
      signal,
      clock: runtime.clock,
      journal: new RunJournal([], () => undefined),
      decisions: {},
      execution: 1,
      marksStarts: false,
      emit: () => {},
    },
    agentPath,
  );
  const tools = await openRunTools(
    toolLevels(settings),
    openingScope(settings, { binding, steps, kept }),
  );
  try {
    await tools.complete();
    return await use({ tools, binding, steps });
  } finally {
    await tools.servers.close();
  }
}
