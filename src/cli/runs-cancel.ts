import { cancelKeptRun } from "../agent/cancel-kept-run.ts";
import { systemClock } from "../base/clock.ts";
import type { CliStreams } from "./cli-streams.ts";
import type { ExitCode } from "./exit-code.ts";
import type { RunsOptions } from "./runs-group.ts";
import { terminalLine } from "./terminal-text.ts";
import { demandRun, runKeyOf, withRunStore } from "./with-run-store.ts";

/** `dragoman runs cancel`: ends a run; a process that executes it can record nothing more. */
export function runsCancel(
  id: string,
  options: RunsOptions,
  streams: CliStreams,
): Promise<ExitCode> {
  return withRunStore(options, streams, async (store) => {
    await demandRun(store, id, options);
    await cancelKeptRun(store, runKeyOf(id, options), systemClock);
    return {
      document: { id, status: "cancelled" },
      text: `${terminalLine(id, 300)} was cancelled.`,
      exitCode: 0,
    };
  });
}
