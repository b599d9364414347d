import type { AssistantContent, ResultContent, UserContent } from "../message/content.ts";
import type { Message } from "../message/message.ts";

/**
 * A conversation written out as one prompt. One that consists of a question alone, with or without
 * instructions, stays without labels; media are named, never written out.
 */
export function toPrompt(messages: readonly Message[]): string {
  const isQuestion = messages.filter(({ role }) => role !== "system").length <= 1;
  const blocks = messages.flatMap((message) => toBlocks(message, isQuestion));
  const last = messages.at(-1)?.role;
  return [...blocks, ...(isQuestion || last === "assistant" ? [] : ["Assistant:"])].join("\n\n");
}

function toBlocks(message: Message, isQuestion: boolean): readonly string[] {
  switch (message.role) {
    case "system":
      return [message.text];
    case "user": {
      const text = message.content.map(contentText).join("\n");
      return [isQuestion ? text : `User: ${text}`];
    }
    case "assistant":
      return message.content.flatMap(assistantText);
    case "tool":
      return message.content.map(({ name, isError, content }) => {
        const label = isError ? `The tool ${name} failed` : `Result of the tool ${name}`;
        return `${label}: ${content.map(contentText).join("\n")}`;
      });
  }
}

const contentText = (part: UserContent | ResultContent): string =>
  part.kind === "text" ? part.text : `[${part.kind} ${part.name ?? part.mediaType}]`;

function assistantText(part: AssistantContent): readonly string[] {
  switch (part.kind) {
    case "reasoning":
      return [];
    case "tool-call":
      return [`Assistant calls the tool ${part.name} with ${JSON.stringify(part.arguments)}`];
    default:
      return [`Assistant: ${contentText(part)}`];
  }
}
