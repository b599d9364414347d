import type {
  AssistantContent,
  MediaPart,
  ResultContent,
  ToolResultPart,
  UserContent,
} from "../message/content.ts";
import type { Message } from "../message/message.ts";
import type { ToolDefinition } from "../model/model.ts";
import type { Conventions } from "./conventions.ts";
import { finishReasonOf } from "./describe-facts.ts";

/** A message, and why the model stopped after it. */
export type ContentMessage = Message & { readonly reason?: string };

/** What the application tells a model, in the form of the conventions. */
export const toSystemInstructions = (messages: readonly Message[]): readonly object[] =>
  messages.flatMap((message) =>
    message.role === "system" ? [{ type: "text", content: message.text }] : [],
  );

/** A conversation in the form of the conventions. Of media that are held here only the type is told. */
export const toContentMessages = (
  messages: readonly ContentMessage[],
  { messagesHaveReasons }: Conventions,
): readonly object[] =>
  messages.flatMap((message) =>
    message.role === "system"
      ? []
      : [
          {
            role: message.role,
            parts: message.content.map(toPart),
            ...(messagesHaveReasons && message.reason !== undefined
              ? { finish_reason: finishReasonOf(message.reason) }
              : {}),
          },
        ],
  );

/** The tools that a model may call, in the form of the conventions. */
export const toToolDefinitions = (tools: readonly ToolDefinition[]): readonly object[] =>
  tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    name,
    description,
    parameters: inputSchema,
  }));

/** What a tool gave: an object, as the conventions want it. */
export const toToolResponse = (content: readonly ResultContent[]): object => ({
  content: content.map(toPart),
});

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

function toMedia({ kind, mediaType, source }: MediaPart): object {
  const media = { mime_type: mediaType, modality: kind === "file" ? "document" : kind };
  return source.kind === "url"
    ? { type: "uri", ...media, uri: source.url }
    : { type: "blob", ...media, content: "" };
}
