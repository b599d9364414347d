import type { Message } from "../message/message.ts";
import type { ModelRequest, OutputRequest } from "./model.ts";

/**
 * The conversation with the wish for JSON in words, for a provider that cannot hold the model to a
 * schema. It joins the first system message, or becomes one: providers want them at the start.
 */
export function withOutputInWords({ messages, output }: ModelRequest): readonly Message[] {
  if (output === undefined) {
    return messages;
  }
  const [first, ...others] = messages;
  const words = outputInWords(output);
  return first?.role === "system"
    ? [{ role: "system", text: `${first.text}\n\n${words}` }, ...others]
    : [{ role: "system", text: words }, ...messages];
}

const outputInWords = ({ schema }: OutputRequest): string =>
  `When you give your final answer, write one JSON value of this JSON Schema and nothing else, without a code fence:\n${JSON.stringify(schema)}`;
