import type { JsonObject } from "../../base/json.ts";
import type { MediaPart, ToolResultPart, UserContent } from "../../message/content.ts";
import { type AssistantMessage, type Message, textOf, toolCallsOf } from "../../message/message.ts";
import { base64Of, labelOf, unreadable } from "../provider/media-words.ts";
import { opaqueOf } from "../provider/provider-data.ts";
import { mediaAfter, resultText } from "../provider/result-text.ts";

/** How messages are written. */
export interface OllamaMessageScope {
  /** The key of the provider data that this provider gets back. */
  readonly provider: string;
  /** Whether pictures are sent; else a note says that there was one. */
  readonly images: boolean;
}

/** Messages as Ollama takes them: one text each, pictures beside it, results by the tool's name. */
export const toOllamaMessages = (
  messages: readonly Message[],
  scope: OllamaMessageScope,
): readonly JsonObject[] => messages.flatMap((message) => toWire(message, scope));

function toWire(message: Message, scope: OllamaMessageScope): readonly JsonObject[] {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: message.text }];
    case "user":
      return [toUser(message.content, scope)];
    case "assistant":
      return toAssistant(message, scope);
    case "tool":
      return toResults(message.content, scope);
  }
}

function toUser(content: readonly UserContent[], { images }: OllamaMessageScope): JsonObject {
  const isPicture = (part: UserContent): part is MediaPart =>
    part.kind === "image" && images && base64Of(part) !== undefined;
  const pictures = content.flatMap((part) => (isPicture(part) ? [base64Of(part)] : []));
  const texts = content.flatMap((part) => {
    if (part.kind === "text") {
      return [part.text];
    }
    return isPicture(part) ? [] : [unreadable(part)];
  });
  return {
    role: "user",
    content: texts.join("\n"),
    ...(pictures.length === 0 ? {} : { images: pictures.filter((data) => data !== undefined) }),
  };
}

/** An answer that holds nothing at all is left out. */
function toAssistant(
  message: AssistantMessage,
  { provider }: OllamaMessageScope,
): readonly JsonObject[] {
  const { content } = message;
  const calls = toolCallsOf(message).map(({ name, arguments: args }) => ({
    function: { name, arguments: args },
  }));
  const notes = content.flatMap((part) =>
    part.kind === "text" || part.kind === "reasoning" || part.kind === "tool-call"
      ? []
      : [`[${part.kind} ${labelOf(part)}]`],
  );
  const text = `${textOf(content)}${notes.join("\n")}`;
  // Thoughts are only of use to the model until its calls are answered.
  const thoughts = content.flatMap((part) =>
    part.kind === "reasoning" && opaqueOf(part.providerData, provider)["thinking"] === true
      ? [part.text]
      : [],
  );
  if (text === "" && calls.length === 0) {
    return [];
  }
  return [
    {
      role: "assistant",
      content: text,
      ...(calls.length === 0 || thoughts.length === 0 ? {} : { thinking: thoughts.join("") }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  ];
}

function toResults(
  results: readonly ToolResultPart[],
  scope: OllamaMessageScope,
): readonly JsonObject[] {
  const answers = results.map((result) => ({
    role: "tool",
    tool_name: result.name,
    content: resultText(result),
  }));
  const media = mediaAfter(results);
  return media.length === 0 ? answers : [...answers, toUser(media, scope)];
}
