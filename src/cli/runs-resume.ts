import { RunError } from "../agent/run-error.ts";
import { writeFailure } from "./answer.ts";
import { cliAgentName, cliAppName, openCliAgent } from "./cli-agent.ts";
import { CliError } from "./cli-error.ts";
import type { CliStreams } from "./cli-streams.ts";
import type { ExitCode } from "./exit-code.ts";
import { openRunStore } from "./run-store-argument.ts";
import type { RunsResumeOptions } from "./runs-group.ts";
import { watchRun } from "./watch-run.ts";
import { demandRun } from "./with-run-store.ts";

/**
 * `dragoman runs resume`: lets a run go on that `dragoman run` has begun, and reports like it. Runs of
 * other agents are resumed by the application that has them.
 *
 * @throws CliError, RunError, ConfigurationError on bad input.
 */
export async function runsResume(
  id: string,
  options: RunsResumeOptions,
  streams: CliStreams,
): Promise<ExitCode> {
  try {
    await using store = await openRunStore(options.store, streams.env);
    const run = await demandRun(store, id, options);
    if (run.agent !== cliAgentName || run.app !== cliAppName) {
      throw new CliError(
        `Run ${id} belongs to agent "${run.agent}" of the application "${run.app}", which alone can resume it.`,
        { code: "invalid-usage" },
      );
    }
    await using cli = await openCliAgent(options, streams);
    const { actor } = run;
    const resumed = cli.agent.resumeStream(id, {
      store,
      signal: streams.signal,
      ...(actor === undefined ? {} : { actor }),
    });
    return await watchRun(resumed, { servers: cli.servers, kept: true }, options, streams);
  } catch (thrown) {
    if (options.json === true && (RunError.is(thrown) || CliError.is(thrown))) {
      writeFailure({ code: thrown.code, message: thrown.message }, streams);
    }
    throw thrown;
  }
}
