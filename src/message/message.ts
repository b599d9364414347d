import type {
  AssistantContent,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  UserContent,
} from "./content.ts";

/** What the application tells the model about its task. */
export type SystemMessage = { readonly role: "system"; readonly text: string };

/** What the person (or the calling program) says. */
export type UserMessage = { readonly role: "user"; readonly content: readonly UserContent[] };

/** What the model says, in the order in which it said it. */
export type AssistantMessage = {
  readonly role: "assistant";
  readonly content: readonly AssistantContent[];
};

/** Results of the calls of the assistant message before it: one for each, in the order of the calls. */
export type ToolMessage = { readonly role: "tool"; readonly content: readonly ToolResultPart[] };

/** One entry of a conversation. Plain JSON, so that it can be stored as it is. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** All text of a message's parts, joined. */
export function textOf(content: readonly (AssistantContent | UserContent)[]): string {
  return content
    .filter((part): part is TextPart => part.kind === "text")
    .map(({ text }) => text)
    .join("");
}

/** The tool calls of an assistant message, in order. */
export function toolCallsOf(message: AssistantMessage): readonly ToolCallPart[] {
  return message.content.filter((part) => part.kind === "tool-call");
}
