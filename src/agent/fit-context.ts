import type { ResultContent, ToolResultPart } from "../message/content.ts";
import type { Message, ToolMessage } from "../message/message.ts";

/** What was done to make a conversation fit. */
export interface FittedContext {
  readonly messages: readonly Message[];
  /** Tool results that were cut. */
  readonly cutResults: number;
  /** Messages at the beginning that were left out. */
  readonly omittedMessages: number;
}

/** Characters of an old result that are kept at its beginning, and at its end. */
const keptCharacters = 200;

/** Characters that a token stands for, roughly, in the languages and data that models read. */
const charactersPerToken = 4;

/** What a picture, a sound or a file counts for, in tokens. */
const mediaTokens = 1_000;

/** Roughly how many tokens a conversation is; no tokenizer is asked. */
export function estimateTokens(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + tokensOf(message), 0);
}

/**
 * A conversation of about `maxTokens` at the most. First old tool results are cut to their beginning and
 * end, the oldest first; then the oldest turns are left out whole, so that no call is without its
 * result. System messages, the first question and the newest turn always stay.
 */
export function fitContext(messages: readonly Message[], maxTokens: number): FittedContext {
  let surplus = estimateTokens(messages) - maxTokens;
  if (surplus <= 0) {
    return { messages, cutResults: 0, omittedMessages: 0 };
  }
  let cutResults = 0;
  const newest = messages.findLastIndex(({ role }) => role === "tool");
  const cut = messages.map((message, index) => {
    if (message.role !== "tool" || index === newest || surplus <= 0) {
      return message;
    }
    const shorter = cutResultsOf(message);
    const saved = tokensOf(message) - tokensOf(shorter);
    surplus -= saved;
    cutResults += saved > 0 ? message.content.length : 0;
    return saved > 0 ? shorter : message;
  });
  const kept = surplus <= 0 ? cut : omitOldest(cut, surplus);
  return { messages: kept, cutResults, omittedMessages: messages.length - kept.length };
}

function omitOldest(messages: readonly Message[], surplus: number): readonly Message[] {
  const firstQuestion = messages.findIndex(({ role }) => role === "user");
  const lastTurn = messages.findLastIndex(({ role }) => role === "assistant" || role === "user");
  const omitted = new Set<number>();
  let left = surplus;
  for (let index = firstQuestion + 1; index < lastTurn && left > 0; ) {
    const end = groupEnd(messages, index);
    if (end > lastTurn) {
      break;
    }
    for (; index < end; index += 1) {
      const message = messages[index];
      if (message !== undefined && message.role !== "system") {
        omitted.add(index);
        left -= tokensOf(message);
      }
    }
  }
  return messages.filter((_, index) => !omitted.has(index));
}

/** Where the group that begins at `index` ends: an assistant's message has its results with it. */
function groupEnd(messages: readonly Message[], index: number): number {
  return messages[index]?.role === "assistant" && messages[index + 1]?.role === "tool"
    ? index + 2
    : index + 1;
}

function cutResultsOf(message: ToolMessage): ToolMessage {
  return { ...message, content: message.content.map(cutResult) };
}

function cutResult(result: ToolResultPart): ToolResultPart {
  return { ...result, content: result.content.map(cutContent) };
}

function cutContent(part: ResultContent): ResultContent {
  if (part.kind !== "text") {
    return {
      kind: "text",
      text: `(${part.kind} of type ${part.mediaType}, left out: it was shown before)`,
    };
  }
  const missing = part.text.length - 2 * keptCharacters;
  return missing <= 100
    ? part
    : {
        kind: "text",
        text: `${part.text.slice(0, keptCharacters)}\n(… ${missing} characters left out: they were shown before …)\n${part.text.slice(-keptCharacters)}`,
      };
}

function tokensOf(message: Message): number {
  switch (message.role) {
    case "system":
      return textTokens(message.text);
    case "tool":
      return message.content.reduce((sum, { content }) => sum + partTokens(content), 0);
    default:
      return partTokens(message.content);
  }
}

function partTokens(parts: readonly { readonly kind: string }[]): number {
  return parts.reduce((sum, part) => {
    const isMedia = part.kind === "image" || part.kind === "audio" || part.kind === "file";
    return sum + (isMedia ? mediaTokens : textTokens(JSON.stringify(part)));
  }, 0);
}

const textTokens = (text: string): number => Math.ceil(text.length / charactersPerToken);
