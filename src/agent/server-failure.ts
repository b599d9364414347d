import { ConfigurationError, messageOf } from "../base/dragoman-error.ts";
import type { Binding } from "../tool/binding.ts";
import { isToolset, type Toolset } from "../tool/toolset.ts";
import type { OpeningScope } from "./open-server.ts";
import { RunError } from "./run-error.ts";
import { type FailedServer, toRunFailure } from "./run-failure.ts";
import type { McpEntry } from "./tool-level.ts";

/**
 * Deals with a server that could not be opened, as its `onUnavailable` says.
 *
 * @returns what is recorded; `undefined` for a failure that was expected.
 * @throws where it ends the run.
 */
export function handleFailure(
  entry: McpEntry,
  thrown: unknown,
  { runtime, binding, steps }: OpeningScope,
): FailedServer | undefined {
  const { name } = entry;
  const policy = isToolset(entry) ? (entry.onUnavailable ?? "record") : "record";
  // A server whose configuration is wrong counts as one that is not there; other mistakes are ours.
  const isRecorded = policy === "record" && isWrongServer(thrown);
  if (ConfigurationError.is(thrown) && !isRecorded) {
    throw thrown;
  }
  const failure = toRunFailure(thrown, name);
  if (policy === "ignore") {
    tellOnError(entry as Toolset, thrown, binding); // only a toolset has this policy
    return undefined;
  }
  steps.emit({ kind: "server-fail", server: name, error: failure });
  if (policy === "fail") {
    throw new RunError(failure.message, { code: "server-unavailable", cause: thrown });
  }
  runtime.logger.warn(
    `agent "${binding.agent.name}" goes on without MCP server "${name}": ${failure.message}`,
    { agent: binding.agent.name, server: name, code: failure.code },
  );
  return { name, error: failure };
}

/** @throws ConfigurationError `callback-failed`. */
function tellOnError(toolset: Toolset, failure: unknown, binding: Binding): void {
  try {
    toolset.onError?.(failure, { binding });
  } catch (cause) {
    const why = `The onError of the MCP toolset "${toolset.name}" threw: ${messageOf(cause)}`;
    throw new ConfigurationError(why, { code: "callback-failed", cause });
  }
}

const isWrongServer = (thrown: unknown): boolean =>
  ConfigurationError.is(thrown) &&
  (thrown.code === "invalid-configuration" || thrown.code === "sandbox-unavailable");
