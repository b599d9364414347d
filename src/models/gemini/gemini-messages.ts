import type { JsonObject } from "../../base/json.ts";
import type {
  AssistantContent,
  MediaPart,
  ResultContent,
  ToolCallPart,
  ToolResultPart,
  UserContent,
} from "../../message/content.ts";
import type { AssistantMessage, Message, SystemMessage } from "../../message/message.ts";
import { base64Of, labelOf, unreadable } from "../provider/media-words.ts";
import { opaqueOf } from "../provider/provider-data.ts";
import { isBeforeGemini3 } from "./gemini-generation.ts";

/** How messages are written. */
export interface GeminiMessageScope {
  readonly model: string;
  /** The key of the provider data that this provider gets back. */
  readonly provider: string;
  /** Whether pictures are sent; else a note says that there was one. */
  readonly images: boolean;
}

/** What the system instruction holds: Gemini knows no system messages between others. */
export const systemTextOf = (messages: readonly Message[]): string =>
  messages
    .filter((message): message is SystemMessage => message.role === "system")
    .map(({ text }) => text)
    .join("\n\n");

/** The conversation as Gemini takes it, without its system messages. */
export function toContents(
  messages: readonly Message[],
  scope: GeminiMessageScope,
): readonly JsonObject[] {
  const ids = new Map<string, string>();
  return messages.flatMap((message) => {
    const role = message.role === "assistant" ? "model" : "user";
    const parts = partsOf(message, scope, ids);
    return parts.length === 0 ? [] : [{ role, parts }];
  });
}

/** @param ids the provider's own ids of the calls so far, by ours. */
function partsOf(
  message: Message,
  scope: GeminiMessageScope,
  ids: Map<string, string>,
): readonly JsonObject[] {
  switch (message.role) {
    case "system":
      return [];
    case "user":
      return message.content.flatMap((part) => toUserPart(part, scope));
    case "assistant":
      return toModelParts(message, scope, ids);
    case "tool":
      return toResponses(message.content, scope, ids);
  }
}

/** Google refuses a part with an empty text. */
function toUserPart(part: UserContent, scope: GeminiMessageScope): readonly JsonObject[] {
  return part.kind === "text" ? textPart(part.text) : [toMedia(part, scope)];
}

const textPart = (text: string): readonly JsonObject[] => (text === "" ? [] : [{ text }]);

function toMedia(part: MediaPart, { images }: GeminiMessageScope): JsonObject {
  if (part.kind === "image" && !images) {
    return { text: unreadable(part) };
  }
  const { mediaType: mimeType, source } = part;
  const data = base64Of(part);
  if (data !== undefined) {
    return { inlineData: { mimeType, data } };
  }
  return source.kind === "url"
    ? { fileData: { mimeType, fileUri: source.url } }
    : { text: unreadable(part) };
}

/** With this for a signature Google does not check that of a call which no Gemini model has made. */
const unchecked = "skip_thought_signature_validator";

function toModelParts(
  { content }: AssistantMessage,
  scope: GeminiMessageScope,
  ids: Map<string, string>,
): readonly JsonObject[] {
  const isForeign = content.every((part) => signatureOf(part, scope) === undefined);
  const first = content.find((part) => part.kind === "tool-call");
  return content.flatMap((part): readonly JsonObject[] => {
    const signature = signatureOf(part, scope);
    const signed = signature === undefined ? {} : { thoughtSignature: signature };
    switch (part.kind) {
      case "text":
        return part.text === "" && signature === undefined ? [] : [{ text: part.text, ...signed }];
      case "reasoning":
        // Summaries are for people; only what is signed is of use to the model.
        return signature === undefined ? [] : [{ text: part.text, thought: true, ...signed }];
      case "tool-call": {
        const mark =
          isForeign && part === first && !isBeforeGemini3(scope.model)
            ? { thoughtSignature: unchecked }
            : signed;
        return [{ functionCall: toCall(part, scope, ids), ...mark }];
      }
      default:
        return [{ text: `[${part.kind} ${labelOf(part)}]` }];
    }
  });
}

function signatureOf(part: AssistantContent, { provider }: GeminiMessageScope): string | undefined {
  const data = "providerData" in part ? part.providerData : undefined;
  const { thoughtSignature } = opaqueOf(data, provider);
  return typeof thoughtSignature === "string" ? thoughtSignature : undefined;
}

/** Only an id that Google gave is given back. */
function toCall(
  call: ToolCallPart,
  { provider }: GeminiMessageScope,
  ids: Map<string, string>,
): JsonObject {
  const { id } = opaqueOf(call.providerData, provider);
  const { name, arguments: args } = call;
  if (typeof id !== "string") {
    ids.delete(call.id);
    return { name, args };
  }
  ids.set(call.id, id);
  return { id, name, args };
}

/** Media that Gemini takes inside of a tool's result; all others follow the results. */
const innerMedia = /^(?:image\/(?:png|jpeg|webp)|application\/pdf|text\/plain)$/;

function toResponses(
  results: readonly ToolResultPart[],
  scope: GeminiMessageScope,
  ids: ReadonlyMap<string, string>,
): readonly JsonObject[] {
  const isInner = (part: ResultContent): part is MediaPart =>
    part.kind !== "text" &&
    !isBeforeGemini3(scope.model) &&
    innerMedia.test(part.mediaType) &&
    (part.kind !== "image" || scope.images) &&
    base64Of(part) !== undefined;
  const responses = results.map((result) => {
    const id = ids.get(result.id);
    const inner = result.content.flatMap((part) => (isInner(part) ? [toMedia(part, scope)] : []));
    const text = result.content
      .flatMap((part) => (isInner(part) ? [] : [wordsFor(part)]))
      .join("\n");
    return {
      functionResponse: {
        ...(id === undefined ? {} : { id }),
        name: result.name,
        response: { [result.isError ? "error" : "output"]: text },
        ...(inner.length === 0 ? {} : { parts: inner }),
      },
    };
  });
  const outer = results.flatMap((result) => {
    const media = result.content.flatMap((part) =>
      part.kind === "text" || isInner(part) ? [] : [part],
    );
    const title = { text: `From the result of ${result.name}:` };
    return media.length === 0 ? [] : [title, ...media.map((part) => toMedia(part, scope))];
  });
  return [...responses, ...outer];
}

const wordsFor = (part: ResultContent): string =>
  part.kind === "text" ? part.text : `[${part.kind} ${labelOf(part)}: below]`;
