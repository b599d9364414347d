import { DragomanError, messageOf } from "../base/dragoman-error.ts";
import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import { hideValues } from "../mcp/secrets/hide-values.ts";
import { McpError } from "../mcp/wire/mcp-error.ts";
import { CliError } from "./cli-error.ts";
import type { CliStreams } from "./cli-streams.ts";
import type { ExitCode } from "./exit-code.ts";
import { jsonText, terminalText } from "./terminal-text.ts";

/** What a command has to say, for programs and for people. */
export interface Answer {
  /** Written with `--json`, after an `ok` that says whether the exit code is 0. */
  readonly document: JsonObject;
  /** Written without it; it has been made fit for a terminal. */
  readonly text: string;
  readonly exitCode: ExitCode;
}

/**
 * Runs a command whose answer is one document. With `--json` it is the only thing on standard output,
 * also where the command fails: then it has an `error` with `code` and `message`.
 *
 * @param command gets a list of secrets to add to: they are written nowhere, whatever happens.
 */
export async function answering(
  { json = false }: { readonly json?: boolean },
  streams: CliStreams,
  command: (secrets: string[]) => Promise<Answer>,
): Promise<ExitCode> {
  const secrets: string[] = [];
  try {
    const { document, text, exitCode } = await command(secrets);
    if (json) {
      const shown = hidden({ ok: exitCode === 0, ...document }, secrets);
      streams.stdout.write(`${jsonText(shown)}\n`);
    } else {
      streams.stdout.write(`${hideValues(text, secrets).trimEnd()}\n`);
    }
    return exitCode;
  } catch (thrown) {
    const stopped = streams.signal.aborted;
    const failure = stopped ? wasStopped : failureOf(thrown);
    if (json) {
      writeFailure(hidden(failure, secrets), streams);
    }
    const message = hideValues(terminalText(failure.message), secrets);
    streams.stderr.write(`error: ${message}\n`);
    return stopped || DragomanError.is(thrown) ? 2 : 1;
  }
}

const wasStopped = { code: "stopped", message: "it was stopped before it was done." };

/** A failure as the one document on standard output. */
export function writeFailure(
  error: Json | undefined,
  { stdout }: Pick<CliStreams, "stdout">,
): void {
  stdout.write(`${jsonText({ ok: false, error })}\n`);
}

/** What failed, as it stands in a document. */
export function failureOf(thrown: unknown): JsonObject & { readonly message: string } {
  const code = DragomanError.is(thrown) ? thrown.code : "internal-error";
  const { server, status, remote } = McpError.is(thrown)
    ? thrown
    : { server: undefined, status: undefined, remote: undefined };
  return {
    code,
    message: messageOf(thrown),
    ...(server === undefined ? {} : { server }),
    ...(status === undefined ? {} : { status }),
    ...(remote === undefined ? {} : { remote: { ...remote } }),
    ...(CliError.is(thrown) && thrown.issues !== undefined
      ? { issues: thrown.issues.map((issue) => ({ ...issue })) }
      : {}),
  };
}

/** The same value without the secrets in any text of it. */
function hidden(value: Json | undefined, secrets: readonly string[]): Json | undefined {
  if (secrets.length === 0) {
    return value;
  }
  if (typeof value === "string") {
    return hideValues(value, secrets);
  }
  if (Array.isArray(value)) {
    return value.map((item: Json) => hidden(item, secrets) ?? null);
  }
  return isJsonObject(value)
    ? Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [
          hideValues(key, secrets),
          hidden(inner, secrets),
        ]),
      )
    : value;
}
