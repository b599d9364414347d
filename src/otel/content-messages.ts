import type {
  AssistantContent,
  MediaPart,
  ToolResultPart,
  UserContent,
} from "../message/content.ts";
import type { Message } from "../message/message.ts";

/** What the application tells a model, in the form of the conventions. */
export const toSystemInstructions = (messages: readonly Message[]): readonly object[] =>
  messages.flatMap((message) =>
    message.role === "system" ? [{ type: "text", content: message.text }] : [],
  );

/** A conversation in the form of the conventions. Of media that are held here only the type is told. */
export const toContentMessages = (
  messages: readonly (Message & { readonly reason?: string })[],
): readonly object[] =>
  messages.flatMap((message) =>
    message.role === "system"
      ? []
      : [
          {
            role: message.role,
            parts: message.content.map(toPart),
            ...(message.reason === undefined ? {} : { finish_reason: message.reason }),
          },
        ],
  );

function toPart(part: AssistantContent | UserContent | ToolResultPart): object {
  switch (part.kind) {
    case "text":
    case "reasoning":
      return { type: part.kind, content: part.text };
    case "tool-call":
      return { type: "tool_call", id: part.id, name: part.name, arguments: part.arguments };
    case "tool-result":
      return { type: "tool_call_response", id: part.id, response: part.content.map(toPart) };
    default:
      return toMedia(part);
  }
}

const toMedia = ({ kind, mediaType, source }: MediaPart): object =>
  source.kind === "url"
    ? { type: "uri", mime_type: mediaType, modality: kind, uri: source.url }
    : { type: "blob", mime_type: mediaType, modality: kind };
