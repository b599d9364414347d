import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** The longest that a program of these tests may take, in milliseconds. */
const timeoutMs = 150_000;

/**
 * Runs a program to its end, in a folder, as if a person had called it there: without the settings that
 * the npm that runs these tests hands down to its scripts.
 *
 * @returns what it wrote to its standard output, without blanks at the ends.
 * @throws Error with all that it wrote, where its exit code is not 0.
 */
export async function runProgram(
  folder: string,
  program: string,
  ...args: readonly string[]
): Promise<string> {
  const inherited = Object.entries(process.env).filter(
    ([name]) =>
      !/^(npm_(package|lifecycle)_|npm_config_local_prefix$|INIT_CWD$|NODE_OPTIONS$)/.test(name),
  );
  const options = { cwd: folder, env: Object.fromEntries(inherited), timeout: timeoutMs };
  try {
    const { stdout } = await promisify(execFile)(program, args, options);
    return stdout.trim();
  } catch (cause) {
    const { stdout, stderr } = cause as { stdout?: string; stderr?: string }; // as execFile rejects
    throw new Error(`${program} ${args.join(" ")} failed:\n${stdout ?? ""}${stderr ?? ""}`, {
      cause,
    });
  }
}
