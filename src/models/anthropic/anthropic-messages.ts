import type { JsonObject } from "../../base/json.ts";
import type {
  AssistantContent,
  MediaPart,
  ToolResultPart,
  UserContent,
} from "../../message/content.ts";
import type { Message } from "../../message/message.ts";
import { base64Of, labelOf, unreadable } from "../provider/media-words.ts";
import { opaqueOf } from "../provider/provider-data.ts";
import { toWireId } from "../provider/wire-id.ts";

/** How messages are written. */
export interface AnthropicMessageScope {
  /** The key of the provider data that this provider gets back. */
  readonly provider: string;
  /** Whether pictures are sent; else a note says that there was one. */
  readonly images: boolean;
}

/** The system prompt: the messages API knows no system messages between others. */
export function systemOf(messages: readonly Message[]): string | undefined {
  const texts = messages.flatMap((message) => (message.role === "system" ? [message.text] : []));
  return texts.join("\n\n").trim() === "" ? undefined : texts.join("\n\n");
}

/** The conversation as the messages API takes it, without its system messages. */
export function toAnthropicMessages(
  messages: readonly Message[],
  scope: AnthropicMessageScope,
): readonly JsonObject[] {
  return messages.flatMap((message) => {
    const role = message.role === "assistant" ? "assistant" : "user";
    const content = contentOf(message, scope);
    return content.length === 0 ? [] : [{ role, content }];
  });
}

function contentOf(message: Message, scope: AnthropicMessageScope): readonly JsonObject[] {
  switch (message.role) {
    case "system":
      return [];
    case "user":
      return message.content.flatMap((part) => toBlock(part, scope));
    case "assistant":
      return message.content.flatMap((part) => toAssistantBlock(part, scope));
    case "tool":
      return message.content.map((result) => toResult(result, scope));
  }
}

/** The API refuses a text that is empty or blank. */
const textBlock = (text: string): readonly JsonObject[] =>
  text.trim() === "" ? [] : [{ type: "text", text }];

const toBlock = (part: UserContent, scope: AnthropicMessageScope): readonly JsonObject[] =>
  part.kind === "text" ? textBlock(part.text) : [toMedia(part, scope)];

const pictureTypes = /^image\/(?:jpeg|png|gif|webp)$/;

function toMedia(part: MediaPart, { images }: AnthropicMessageScope): JsonObject {
  const { kind, mediaType: media_type, source, name } = part;
  const data = base64Of(part);
  const inner =
    data === undefined
      ? source.kind === "url" && { type: "url", url: source.url }
      : { type: "base64", media_type, data };
  if (kind === "image" && images && inner && pictureTypes.test(media_type)) {
    return { type: "image", source: inner };
  }
  if (media_type === "application/pdf" && inner) {
    return { type: "document", source: inner, ...(name === undefined ? {} : { title: name }) };
  }
  return { type: "text", text: unreadable(part) };
}

function toAssistantBlock(
  part: AssistantContent,
  { provider }: AnthropicMessageScope,
): readonly JsonObject[] {
  switch (part.kind) {
    case "text":
      return textBlock(part.text);
    case "reasoning": {
      // A block without its signature would be refused.
      const { signature, data } = opaqueOf(part.providerData, provider);
      if (typeof data === "string") {
        return [{ type: "redacted_thinking", data }];
      }
      return typeof signature === "string"
        ? [{ type: "thinking", thinking: part.text, signature }]
        : [];
    }
    case "tool-call":
      return [{ type: "tool_use", id: toWireId(part.id), name: part.name, input: part.arguments }];
    default:
      return [{ type: "text", text: `[${part.kind} ${labelOf(part)}]` }];
  }
}

function toResult(
  { id, content, isError }: ToolResultPart,
  scope: AnthropicMessageScope,
): JsonObject {
  const blocks = content.flatMap((part) => toBlock(part, scope));
  return {
    type: "tool_result",
    tool_use_id: toWireId(id),
    // A result may be empty, but an empty error tells the model nothing.
    content: blocks.length === 0 ? [{ type: "text", text: "(no output)" }] : blocks,
    ...(isError ? { is_error: true } : {}),
  };
}
