import type { Message } from "../message/message.ts";

/**
 * The messages with what servers say on their use at the end of the system prompt. It is no part of the
 * conversation: a session does not keep it.
 */
export function withServerInstructions(
  messages: readonly Message[],
  instructions: readonly string[],
): readonly Message[] {
  if (instructions.length === 0) {
    return messages;
  }
  const told = instructions.join("\n\n");
  const [first, ...rest] = messages;
  return first?.role === "system"
    ? [{ ...first, text: `${first.text}\n\n${told}` }, ...rest]
    : [{ role: "system", text: told }, ...messages];
}
