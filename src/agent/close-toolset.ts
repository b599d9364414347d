import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/dragoman-error.ts";
import type { OpenToolset } from "../tool/toolset.ts";
import type { AgentRuntime } from "./agent-runtime.ts";

/** How long a toolset may take to close before it is left to itself, in milliseconds. */
const longestCloseMs = 15_000;

/** How long is waited for one that is given up while it is being opened, in milliseconds. */
export const longestLeaveMs = 1_000;

/** Closes a toolset. One that does not close in time, or fails in it, is logged; never rejects. */
export async function closeToolset(
  toolset: OpenToolset,
  {
    name,
    agent,
    runtime,
  }: { readonly name: string; readonly agent: string } & {
    readonly runtime: Pick<AgentRuntime, "clock" | "logger">;
  },
): Promise<void> {
  const warn = (why: string): void =>
    runtime.logger.warn(`agent "${agent}" could not close "${name}": ${why}`);
  const closing = (async () => toolset.close())().catch((thrown) => warn(messageOf(thrown)));
  if (!(await settlesWithin(longestCloseMs, closing, runtime.clock))) {
    warn("it takes too long");
  }
}

/** Waits for what does not reject, at most so many milliseconds. @returns whether it was in time. */
export async function settlesWithin(
  limitMs: number,
  work: Promise<unknown>,
  clock: Clock,
): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const stop = clock.startTimer(() => late.resolve(false), limitMs);
  return Promise.race([work.then(() => true), late.promise]).finally(stop);
}
