import type { CliStreams } from "./cli-streams.ts";
import { runDocument, runLine } from "./describe-run.ts";
import type { ExitCode } from "./exit-code.ts";
import type { RunsListOptions } from "./runs-group.ts";
import { withRunStore } from "./with-run-store.ts";

/** `dragoman runs list`: a line for each run, the last changed first. */
export function runsList(options: RunsListOptions, streams: CliStreams): Promise<ExitCode> {
  const { app, actor, status, session, limit = 20 } = options;
  return withRunStore(options, streams, async (store) => {
    const { runs, next } = await store.list({
      app,
      limit,
      ...(actor === undefined ? {} : { actor }),
      ...(status === undefined ? {} : { status }),
      ...(session === undefined ? {} : { session }),
    });
    const more = next === undefined ? [] : [`… there are more than ${limit}: see --limit`];
    const lines = runs.length === 0 ? ["No runs."] : [...runs.map(runLine), ...more];
    return {
      document: { runs: runs.map(runDocument), ...(next === undefined ? {} : { next }) },
      text: lines.join("\n"),
      exitCode: 0,
    };
  });
}
