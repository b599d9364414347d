import { refuseUnknownKeys } from "../base/check-object.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";

/** What every runner of programs can be told. */
export interface RunnerOptions {
  /** What each program's environment holds beside PATH, HOME and the like. Nothing else is passed on. */
  readonly env?: Readonly<Record<string, string>>;
  /** The longest that a program may run, in milliseconds. Default 30 000. */
  readonly timeoutMs?: number;
  /** How much of each of its two outputs is kept, in bytes. Default 1 MiB. */
  readonly maxOutputBytes?: number;
}

/** The options with what holds where they say nothing. */
export type CheckedRunnerOptions = Required<RunnerOptions>;

/** The keys of {@link RunnerOptions}. */
export const runnerKeys: readonly (keyof RunnerOptions)[] = ["env", "timeoutMs", "maxOutputBytes"];

/** @throws ConfigurationError `invalid-definition` or `invalid-configuration` on the first fault. */
export function checkRunnerOptions(
  options: RunnerOptions,
  known: readonly string[],
  what: string,
): CheckedRunnerOptions {
  refuseUnknownKeys(options, known, what);
  const { env = {}, timeoutMs = 30_000, maxOutputBytes = 1024 * 1024 } = options;
  for (const [key, value] of Object.entries({ timeoutMs, maxOutputBytes })) {
    if (!Number.isSafeInteger(value) || value <= 0 || value > longestTimer) {
      throw invalid(`"${key}" of ${what} must be a positive whole number.`);
    }
  }
  const wrong = Object.entries(env).find(([name, value]) => !isVariable(name, value));
  if (wrong !== undefined) {
    throw invalid(`"env" of ${what} must hold texts by name; that of "${wrong[0]}" is none.`);
  }
  return { env, timeoutMs, maxOutputBytes };
}

/** More milliseconds would make a timer fire at once. */
const longestTimer = 0x7fff_ffff;

const isVariable = (name: string, value: unknown): boolean =>
  name !== "" &&
  !name.includes("=") &&
  ![name, value].some((text) => typeof text !== "string" || text.includes("\u0000"));

const invalid = (message: string): ConfigurationError =>
  new ConfigurationError(message, { code: "invalid-configuration" });
