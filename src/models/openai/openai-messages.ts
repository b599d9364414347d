import type { Json, JsonObject } from "../../base/json.ts";
import type {
  AssistantContent,
  MediaPart,
  ReasoningPart,
  ResultContent,
  ToolCallPart,
  UserContent,
} from "../../message/content.ts";
import {
  type AssistantMessage,
  type Message,
  type ToolMessage,
  textOf,
  toolCallsOf,
} from "../../message/message.ts";
import { labelOf } from "../provider/media-words.ts";
import { opaqueOf } from "../provider/provider-data.ts";
import { mediaAfter, resultText } from "../provider/result-text.ts";
import { toMediaPart } from "./openai-media.ts";
import { opaqueCallFields } from "./openai-tool-calls.ts";

/** How messages are written. */
export interface MessageScope {
  /** The key of the provider data that this provider gets back. */
  readonly provider: string;
  /** Whether pictures are sent; else a note says that there was one. */
  readonly images: boolean;
}

/**
 * Messages as chat completions take them. A tool's result is text only there: its pictures and other
 * media follow in a user message after all results of the turn.
 */
export function toWireMessages(
  messages: readonly Message[],
  scope: MessageScope,
): readonly JsonObject[] {
  return messages.flatMap((message) => toWire(message, scope));
}

function toWire(message: Message, scope: MessageScope): readonly JsonObject[] {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: message.text }];
    case "user":
      return [{ role: "user", content: toUserContent(message.content, scope) }];
    case "assistant":
      return toAssistant(message, scope);
    case "tool":
      return toResults(message, scope);
  }
}

/** Text alone stays a string, which is all that some local servers take. */
function toUserContent(content: readonly UserContent[], scope: MessageScope): Json {
  const parts = content.map((part) => toPart(part, scope));
  return parts.every((part) => part["type"] === "text")
    ? parts.map(({ text }) => text).join("\n")
    : parts;
}

const toPart = (part: UserContent, { images }: MessageScope): JsonObject =>
  part.kind === "text" ? textPart(part.text) : toMediaPart(part, images);

const textPart = (text: string): JsonObject => ({ type: "text", text });

/** An answer that holds nothing at all is left out: providers refuse it. */
function toAssistant(message: AssistantMessage, scope: MessageScope): readonly JsonObject[] {
  const { content } = message;
  const text = `${textOf(content)}${content.filter(isMedia).map(noteOf).join("\n")}`;
  const calls = toolCallsOf(message).map((call) => toCall(call, scope));
  if (text === "" && calls.length === 0) {
    return [];
  }
  return [
    {
      role: "assistant",
      content: text === "" ? null : text,
      ...reasoningOf(content, calls.length > 0, scope),
      ...extraOf(content, scope),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  ];
}

function toCall(call: ToolCallPart, { provider }: MessageScope): JsonObject {
  const opaque = opaqueOf(call.providerData, provider);
  const given = opaqueCallFields.filter((field) => opaque[field] !== undefined);
  return {
    id: call.id,
    type: "function",
    // The parsed arguments, and never what the model wrote in their place.
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
    ...Object.fromEntries(given.map((field) => [field, opaque[field]])),
  };
}

/**
 * Reasoning as the same provider gave it. Signed blocks (OpenRouter) always go back; plain reasoning
 * only with tool calls, where providers want it: elsewhere some refuse it and none needs it.
 */
function reasoningOf(
  content: readonly AssistantContent[],
  hasCalls: boolean,
  { provider }: MessageScope,
): JsonObject {
  const parts = content.filter((part): part is ReasoningPart => part.kind === "reasoning");
  const details = parts.flatMap((part) => {
    const given = opaqueOf(part.providerData, provider)["reasoning_details"];
    return Array.isArray(given) ? given : [];
  });
  if (details.length > 0) {
    return { reasoning_details: details };
  }
  const named = parts.filter((part) => fieldOf(part, provider) !== undefined);
  const field = named.map((part) => fieldOf(part, provider)).at(0);
  return hasCalls && field !== undefined ? { [field]: named.map(({ text }) => text).join("") } : {};
}

function fieldOf(part: ReasoningPart, provider: string): string | undefined {
  const { field } = opaqueOf(part.providerData, provider);
  return typeof field === "string" ? field : undefined;
}

/** What Google wants back with a text. */
function extraOf(content: readonly AssistantContent[], { provider }: MessageScope): JsonObject {
  const extras = content
    .filter((part) => part.kind === "text")
    .map((part) => opaqueOf(part.providerData, provider)["extra_content"])
    .filter((extra) => extra !== undefined);
  return extras.length === 0 ? {} : { extra_content: extras.at(-1) };
}

function toResults({ content }: ToolMessage, scope: MessageScope): readonly JsonObject[] {
  const results = content.map(
    (result): JsonObject => ({
      role: "tool",
      tool_call_id: result.id,
      content: resultText(result),
    }),
  );
  const media = mediaAfter(content).map((part) => toPart(part, scope));
  return media.length === 0 ? results : [...results, { role: "user", content: media }];
}

const isMedia = (part: AssistantContent | ResultContent): part is MediaPart =>
  part.kind === "image" || part.kind === "audio" || part.kind === "file";

/** A model's own pictures cannot be given back to it. */
const noteOf = (part: MediaPart): string => `[${part.kind} ${labelOf(part)}]`;
