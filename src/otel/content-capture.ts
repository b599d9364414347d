import { checkNumbers } from "../base/check-numbers.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import type { TraceContent } from "../base/trace-operation.ts";
import type { Message } from "../message/message.ts";
import { toContentMessages, toSystemInstructions } from "./content-messages.ts";
import { eventNames, names } from "./conventions.ts";
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
  /** As attributes of spans, or as events of theirs. Default `"attributes"`. */
  readonly as?: "attributes" | "events";
  /** Longer values are cut. Default 16 384 characters. */
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

/** One value that may be written. */
export interface CapturedValue {
  readonly key: string;
  readonly text: string;
}

const keys: Readonly<Record<CapturedKind, string>> = {
  "system-instructions": "gen_ai.system_instructions",
  "input-messages": "gen_ai.input.messages",
  "output-messages": "gen_ai.output.messages",
  "tool-definitions": "gen_ai.tool.definitions",
  "tool-arguments": "gen_ai.tool.call.arguments",
  "tool-result": "gen_ai.tool.call.result",
  exception: names.exceptionMessage,
};

/** The content as it may be written; what the scrubber leaves out or fails on is not there. */
export function captured(
  content: TraceContent,
  value: unknown,
  capture: ContentCapture,
): readonly CapturedValue[] {
  switch (content) {
    case "input-messages": {
      const messages = value as readonly Message[]; // the kernel's, see TraceContent
      return [
        ...scrubbed("system-instructions", toSystemInstructions(messages), capture),
        ...scrubbed("input-messages", toContentMessages(messages), capture),
      ];
    }
    case "output-messages":
      return scrubbed(content, toContentMessages(value as readonly Message[]), capture); // as above
    default:
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
  if (typeof given === "string") {
    return { [names.exceptionMessage]: cutTo(given, capture) };
  }
  if (typeof given !== "object" || given === null) {
    return {};
  }
  const told = given as { readonly message?: unknown; readonly stack?: unknown }; // checked below
  return {
    ...(typeof told.message === "string"
      ? { [names.exceptionMessage]: cutTo(told.message, capture) }
      : {}),
    ...(typeof told.stack === "string"
      ? { [names.exceptionStack]: cutTo(told.stack, capture) }
      : {}),
  };
}

/** The event that holds content, where events do. */
export const contentEvent: string = eventNames.content;

function scrubbed(
  kind: CapturedKind,
  value: readonly unknown[] | unknown,
  capture: ContentCapture,
): readonly CapturedValue[] {
  if (Array.isArray(value) && value.length === 0) {
    return [];
  }
  const given = scrub(kind, value, capture);
  // SDK 2 drops attributes that are objects without a word, so all is JSON text.
  const text = given === undefined ? undefined : textOf(given);
  return text === undefined ? [] : [{ key: keys[kind], text: cutTo(text, capture) }];
}

function scrub(kind: CapturedKind, value: unknown, capture: ContentCapture): unknown {
  try {
    return capture.scrub(kind, value);
  } catch {
    return undefined; // better nothing than what was not scrubbed
  }
}

function textOf(value: unknown): string | undefined {
  try {
    return typeof value === "string" ? value : JSON.stringify(value);
  } catch {
    return undefined;
  }
}

const cutTo = (text: string, { maxCharacters = 16_384 }: ContentCapture): string =>
  text.length > maxCharacters ? `${text.slice(0, maxCharacters).toWellFormed()}…` : text;
