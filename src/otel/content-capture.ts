import { checkNumbers } from "../base/check-numbers.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import type { TraceContent } from "../base/trace-operation.ts";
import type { ResultContent } from "../message/content.ts";
import type { ToolDefinition } from "../model/model.ts";
import {
  type ContentMessage,
  toContentMessages,
  toSystemInstructions,
  toToolDefinitions,
  toToolResponse,
} from "./content-messages.ts";
import { type Conventions, names } from "./conventions.ts";
import { cutText, fitJson } from "./fit-json.ts";
import type { SpanAttributes } from "./span-attributes.ts";

/** What is captured, as a scrubber is told of it. */
export type CapturedKind =
  | "system-instructions"
  | "input-messages"
  | "output-messages"
  | "tool-definitions"
  | "tool-arguments"
  | "tool-result"
  /** Message and stack of what was thrown. */
  | "exception";

/** Puts what people, models and servers said into traces, which by default holds none of it. */
export interface ContentCapture {
  /**
   * Gets everything before it is written, in the form of the conventions, and gives what may be: without
   * names, keys and whatever else must not be in a trace. `undefined` leaves it out; so does throwing.
   */
  readonly scrub: (kind: CapturedKind, value: unknown) => unknown;
  /**
   * As attributes of spans, or as events: one for each model call and tool call, a log record where the
   * application has a logger provider, else an event of the span. Default `"attributes"`.
   */
  readonly as?: "attributes" | "events";
  /** The texts in longer values are cut. Default 16 384 characters of JSON. */
  readonly maxCharacters?: number;
}

/** @throws ConfigurationError where there is no scrubber. */
export function checkCapture(capture: ContentCapture | undefined): void {
  if (capture !== undefined && typeof capture.scrub !== "function") {
    throw new ConfigurationError(
      "Content is captured only with a scrubber: give capture.scrub, a function (kind, value) that returns what may be written.",
      { code: "invalid-configuration" },
    );
  }
  checkNumbers(capture ?? {}, { maxCharacters: "count" }, { where: "of capture" });
}

/** One value that may be written: JSON text, or the text that the scrubber gave instead. */
export interface CapturedValue {
  readonly key: string;
  readonly text: string;
  readonly isJson: boolean;
}

const keys: Readonly<Record<Exclude<CapturedKind, "exception">, string>> = {
  "system-instructions": "gen_ai.system_instructions",
  "input-messages": "gen_ai.input.messages",
  "output-messages": "gen_ai.output.messages",
  "tool-definitions": "gen_ai.tool.definitions",
  "tool-arguments": "gen_ai.tool.call.arguments",
  "tool-result": "gen_ai.tool.call.result",
};

/** The content as it may be written; what the scrubber leaves out or fails on is not there. */
export function captured(
  content: TraceContent,
  value: unknown,
  capture: ContentCapture,
  conventions: Conventions,
): readonly CapturedValue[] {
  // What each content is: see TraceContent.
  switch (content) {
    case "input-messages": {
      const messages = value as readonly ContentMessage[];
      return [
        ...scrubbed("system-instructions", toSystemInstructions(messages), capture),
        ...scrubbed("input-messages", toContentMessages(messages, conventions), capture),
      ];
    }
    case "output-messages": {
      const messages = value as readonly ContentMessage[];
      return scrubbed(content, toContentMessages(messages, conventions), capture);
    }
    case "tool-definitions":
      return scrubbed(content, toToolDefinitions(value as readonly ToolDefinition[]), capture);
    case "tool-result":
      return scrubbed(content, toToolResponse(value as readonly ResultContent[]), capture);
    case "tool-arguments":
      return scrubbed(content, value, capture);
  }
}

/** Message and stack of what was thrown, as far as they may be written. */
export function capturedException(thrown: unknown, capture: ContentCapture): SpanAttributes {
  if (!(thrown instanceof Error)) {
    return {};
  }
  const { message, stack } = thrown;
  const given = scrub("exception", { message, stack }, capture);
  const told = typeof given === "string" ? { message: given } : ((given ?? {}) as Partial<Error>); // checked below
  const cut = (key: string, text: unknown): SpanAttributes =>
    typeof text === "string" ? { [key]: cutText(text, mostOf(capture)) } : {};
  return {
    ...cut(names.exceptionMessage, told.message),
    ...cut(names.exceptionStack, told.stack),
  };
}

function scrubbed(
  kind: keyof typeof keys,
  value: readonly unknown[] | unknown,
  capture: ContentCapture,
): readonly CapturedValue[] {
  if (Array.isArray(value) && value.length === 0) {
    return [];
  }
  const given = scrub(kind, value, capture);
  const key = keys[kind];
  if (typeof given === "string") {
    return [{ key, text: cutText(given, mostOf(capture)), isJson: false }];
  }
  const text = fitJson(given, mostOf(capture));
  return text === undefined ? [] : [{ key, text, isJson: true }];
}

function scrub(kind: CapturedKind, value: unknown, capture: ContentCapture): unknown {
  try {
    return capture.scrub(kind, value);
  } catch {
    return undefined; // better nothing than what was not scrubbed
  }
}

const mostOf = ({ maxCharacters = 16_384 }: ContentCapture): number => maxCharacters;
