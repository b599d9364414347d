import type { JsonObject } from "../../base/json.ts";
import type {
  AssistantContent,
  MediaPart,
  ProviderData,
  ResultContent,
  ToolResultPart,
  UserContent,
} from "../../message/content.ts";
import type { Message } from "../../message/message.ts";
import { base64Of, labelOf, unreadable } from "../provider/media-words.ts";
import { mediaAfter, plainResultText } from "../provider/result-text.ts";
import { toWireId } from "../provider/wire-id.ts";

/** How messages are written. */
export interface AiSdkMessageScope {
  readonly generation: "v2" | "v3" | "v4";
  /** The key of the provider data that this provider gets back. */
  readonly key: string;
  /** Whether pictures are sent; else a note says that there was one. */
  readonly images: boolean;
  /** Whether the provider takes media inside of a tool's result; else they follow it. */
  readonly innerMedia: boolean;
}

/** Messages in the form of an AI SDK prompt. */
export const toPrompt = (
  messages: readonly Message[],
  scope: AiSdkMessageScope,
): readonly object[] => messages.flatMap((message) => toEntry(message, scope));

function toEntry(message: Message, scope: AiSdkMessageScope): readonly object[] {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: message.text }];
    case "user":
      return [{ role: "user", content: message.content.flatMap((part) => toPart(part, scope)) }];
    case "assistant": {
      const content = message.content.flatMap((part) => toAssistantPart(part, scope));
      return content.length === 0 ? [] : [{ role: "assistant", content }];
    }
    case "tool":
      return toResults(message.content, scope);
  }
}

const textPart = (text: string): readonly object[] => (text === "" ? [] : [{ type: "text", text }]);

function toPart(part: UserContent, scope: AiSdkMessageScope): readonly object[] {
  if (part.kind === "text") {
    return textPart(part.text);
  }
  if (part.kind === "image" && !scope.images) {
    return textPart(unreadable(part));
  }
  const name = part.name === undefined ? {} : { filename: part.name };
  return [{ type: "file", mediaType: part.mediaType, data: dataOf(part, scope), ...name }];
}

/** Since V4 the data says of what kind it is. */
function dataOf(part: MediaPart, { generation }: AiSdkMessageScope): unknown {
  const base64 = base64Of(part);
  if (base64 !== undefined) {
    return generation === "v4" ? { type: "data", data: base64 } : base64;
  }
  const url = new URL(part.source.kind === "url" ? part.source.url : "");
  return generation === "v4" ? { type: "url", url } : url;
}

function toAssistantPart(part: AssistantContent, scope: AiSdkMessageScope): readonly object[] {
  const options = "providerData" in part ? optionsOf(part.providerData, scope) : {};
  switch (part.kind) {
    case "text":
      return part.text === "" && !("providerOptions" in options)
        ? []
        : [{ type: "text", text: part.text, ...options }];
    case "reasoning":
      // Without what the provider said of it, it is another provider's.
      return "providerOptions" in options
        ? [{ type: "reasoning", text: part.text, ...options }]
        : [];
    case "tool-call": {
      const { id, name: toolName, arguments: input } = part;
      return [{ type: "tool-call", toolCallId: toWireId(id), toolName, input, ...options }];
    }
    default:
      return textPart(`[${part.kind} ${labelOf(part)}]`);
  }
}

function optionsOf(
  data: ProviderData | undefined,
  { key }: AiSdkMessageScope,
): { readonly providerOptions?: unknown } {
  const given = data?.[key];
  return given === undefined ? {} : { providerOptions: given };
}

/** Providers that take no media there would get the bytes as text. */
function toResults(
  results: readonly ToolResultPart[],
  scope: AiSdkMessageScope,
): readonly object[] {
  const entry = { role: "tool", content: results.map((part) => toResult(part, scope)) };
  const media = scope.innerMedia ? [] : mediaAfter(results);
  return media.length === 0
    ? [entry]
    : [entry, { role: "user", content: media.flatMap((part) => toPart(part, scope)) }];
}

function toResult(result: ToolResultPart, scope: AiSdkMessageScope): object {
  const { id, name: toolName, isError, content } = result;
  const isText = !scope.innerMedia || content.every(({ kind }) => kind === "text");
  const output = isText
    ? { type: isError ? "error-text" : "text", value: plainResultText(content) }
    : {
        type: "content",
        value: [
          ...(isError ? [{ type: "text", text: "Error:" }] : []),
          ...content.flatMap((part) => toResultItem(part, scope)),
        ],
      };
  return { type: "tool-result", toolCallId: toWireId(id), toolName, output };
}

function toResultItem(part: ResultContent, scope: AiSdkMessageScope): readonly JsonObject[] {
  if (part.kind === "text") {
    return part.text === "" ? [] : [{ type: "text", text: part.text }];
  }
  const data = base64Of(part);
  if (data === undefined || (part.kind === "image" && !scope.images)) {
    return [{ type: "text", text: unreadable(part) }];
  }
  const { mediaType } = part;
  switch (scope.generation) {
    case "v2":
      return [{ type: "media", mediaType, data }];
    case "v3":
      return [{ type: part.kind === "image" ? "image-data" : "file-data", mediaType, data }];
    case "v4":
      return [{ type: "file", mediaType, data: { type: "data", data } }];
  }
}
