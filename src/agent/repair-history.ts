import type { AssistantContent, ToolCallPart, ToolResultPart } from "../message/content.ts";
import type { AssistantMessage, Message } from "../message/message.ts";

/**
 * A history as every provider takes it: each tool call is followed by its one result, no two calls
 * share an id, and nothing is empty. Providers refuse a whole conversation for one such fault, and a
 * session keeps its messages for good, so that a run that was killed would spoil it for ever.
 *
 * - A call without a result gets an error result that says so.
 * - A result without a call, and a second result of a call, is left out.
 * - Results that came late, behind what a person said, are put behind their call.
 * - An id that an earlier call has is changed, in the call and in its result.
 * - Blank texts and reasoning are left out where no provider data hangs on them, also in results, and so
 *   are messages that have nothing left.
 *
 * The input is not changed; of a sound history the output holds the same messages.
 */
export function repairHistory(messages: readonly Message[]): readonly Message[] {
  const repaired: Message[] = [];
  const taken = new Set<string>();
  messages.forEach((message, index) => {
    if (message.role === "assistant") {
      repaired.push(...repairTurn(message, messages.slice(index + 1), taken));
    } else if (message.role !== "tool") {
      repaired.push(...withoutBlanks(message));
    }
  });
  return repaired;
}

/** What the model said and, where it called tools, their results. */
function repairTurn(
  message: AssistantMessage,
  following: readonly Message[],
  taken: Set<string>,
): readonly Message[] {
  const unread = resultsUntilNextTurn(following);
  const results: ToolResultPart[] = [];
  const content = message.content.filter(isFilled).map((part): AssistantContent => {
    if (part.kind !== "tool-call") {
      return part;
    }
    const index = unread.findIndex(({ id }) => id === part.id);
    const [result = unrecorded(part)] = index < 0 ? [] : unread.splice(index, 1);
    const id = freshId(part.id, taken);
    const content = result.content.filter(isFilled);
    results.push({ ...result, id, name: part.name, content });
    return { ...part, id };
  });
  if (content.length === 0) {
    return [];
  }
  const said: Message = { role: "assistant", content };
  return results.length === 0 ? [said] : [said, { role: "tool", content: results }];
}

function resultsUntilNextTurn(following: readonly Message[]): ToolResultPart[] {
  const end = following.findIndex(({ role }) => role === "assistant");
  return following
    .slice(0, end < 0 ? undefined : end)
    .flatMap((message) => (message.role === "tool" ? message.content : []));
}

const unrecorded = ({ id, name }: ToolCallPart): ToolResultPart => ({
  kind: "tool-result",
  id,
  name,
  isError: true,
  content: [
    {
      kind: "text",
      text: "No result was recorded: the run was interrupted. Whether the tool did its work is unknown.",
    },
  ],
});

function freshId(id: string, taken: Set<string>): string {
  let fresh = id;
  for (let count = 2; taken.has(fresh); count += 1) {
    fresh = `${id}_${count}`;
  }
  taken.add(fresh);
  return fresh;
}

function withoutBlanks(
  message: Exclude<Message, { readonly role: "assistant" | "tool" }>,
): readonly Message[] {
  if (message.role === "system") {
    return message.text.trim() === "" ? [] : [message];
  }
  const content = message.content.filter(isFilled);
  return content.length === 0 ? [] : [{ ...message, content }];
}

function isFilled(part: AssistantContent): boolean {
  const isText = part.kind === "text" || part.kind === "reasoning";
  return !isText || part.text.trim() !== "" || part.providerData !== undefined;
}
