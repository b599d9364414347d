import { existsSync } from "node:fs";
import { RunError } from "../agent/run-error.ts";
import type { RunKey, RunRecord, RunStore } from "../agent/run-store.ts";
import { type Answer, answering } from "./answer.ts";
import { CliError } from "./cli-error.ts";
import type { CliStreams } from "./cli-streams.ts";
import type { ExitCode } from "./exit-code.ts";
import { chosenStore, isPostgresUrl, openRunStore } from "./run-store-argument.ts";
import type { RunsOptions } from "./runs-group.ts";

/** Opens the store of a `dragoman runs` command, gives the command's answer, and closes it. */
export function withRunStore(
  options: RunsOptions,
  streams: CliStreams,
  command: (store: RunStore) => Promise<Answer>,
): Promise<ExitCode> {
  return answering(options, streams, async (secrets) => {
    secrets.push(...passwordsOf(chosenStore(options.store, streams.env)));
    refuseMissingFile(options.store);
    await using store = await openRunStore(options.store, streams.env);
    return await command(store);
  });
}

/** A file that was misspelt would be made anew, and have no runs. */
function refuseMissingFile(store: string | undefined): void {
  if (store !== undefined && !isPostgresUrl(store) && !existsSync(store)) {
    throw new CliError(
      `There is no store of runs at ${store}: check --store. dragoman run --store makes one.`,
      { code: "file-unusable" },
    );
  }
}

/** Which run an id of the command line means. */
export const runKeyOf = (id: string, { app, actor }: RunsOptions): RunKey => ({
  app,
  id,
  ...(actor === undefined ? {} : { actor }),
});

/** @throws RunError `run-not-found`, which names the application. */
export async function demandRun(
  store: RunStore,
  id: string,
  options: RunsOptions,
): Promise<RunRecord> {
  const run = await store.get(runKeyOf(id, options));
  if (run === undefined) {
    const whose = options.actor === undefined ? "" : ` of actor "${options.actor}"`;
    throw new RunError(
      `The application "${options.app}" has no run "${id}"${whose} in this store. See dragoman runs list, and --store and --app.`,
      { code: "run-not-found" },
    );
  }
  return run;
}

function passwordsOf(place: string | undefined): readonly string[] {
  const { password = "" } = (place !== undefined && URL.parse(place)) || {};
  return password === "" ? [] : [password, decodeURIComponent(password)];
}
