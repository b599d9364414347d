import type { Assembly } from "../agent/assembly.ts";
import { checkInput, checkRunOptions } from "../agent/check-run-options.ts";
import { runtimeOf } from "../agent/create-assembly.ts";
import type { RunInput } from "../agent/run-input.ts";
import type { NewRun } from "../agent/run-store.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import type { StartOptions } from "./executor.ts";

/**
 * What is kept of a run before it begins.
 *
 * @throws ConfigurationError where input or options are not valid, or the agent is of another application.
 */
export function newRunOf(
  assembly: Assembly,
  input: RunInput,
  { id, app, ...options }: StartOptions & { readonly id: string; readonly app: string },
): NewRun {
  const runtime = runtimeOf(assembly);
  if (runtime?.app !== app) {
    throw new ConfigurationError(
      `The executor is of the application "${app}", but its agents are of another: give it the app that they are configured with.`,
      { code: "invalid-configuration" },
    );
  }
  checkInput(input, assembly.name);
  checkRunOptions(options, runtime);
  const { actor, session } = options;
  return {
    id,
    app,
    agent: assembly.name,
    ...(actor === undefined ? {} : { actor }),
    ...(session === undefined ? {} : { session: session.id }),
    input,
  };
}
