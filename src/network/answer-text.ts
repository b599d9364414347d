import type { RunInput } from "../agent/run-input.ts";
import type { CompletedRun } from "../agent/run-result.ts";
import { textOf } from "../message/message.ts";

/** An answer as a text: data as JSON. */
export const answerText = ({ text, output }: CompletedRun): string =>
  output === undefined || output === null ? text : (JSON.stringify(output) ?? text);

/** The text of what was asked. */
export const inputText = (input: RunInput): string =>
  typeof input === "string" ? input : textOf(input);
