import type { Json, JsonObject } from "../base/json.ts";

/**
 * What a provider wants back unchanged with a part (a thought signature, say). Opaque: it is carried
 * through history, storage and trimming, and only the adapter of that provider reads it.
 */
export type ProviderData = { readonly [provider: string]: Json };

/** Plain text. */
export type TextPart = {
  readonly kind: "text";
  readonly text: string;
  readonly providerData?: ProviderData;
};

/** Where the bytes of a medium are: here, in base64, or behind a URL. */
export type MediaSource =
  | { readonly kind: "data"; readonly base64: string }
  | { readonly kind: "url"; readonly url: string };

/** A picture, a sound or another file. `mediaType` is a MIME type such as `image/png`. */
export type MediaPart = {
  readonly kind: "image" | "audio" | "file";
  readonly mediaType: string;
  readonly source: MediaSource;
  /** A file name to show. */
  readonly name?: string;
  /** The id of the artifact that it is, for models that cannot read it. */
  readonly artifact?: string;
};

/** What the model thought aloud, where its provider shows it. */
export type ReasoningPart = {
  readonly kind: "reasoning";
  readonly text: string;
  readonly providerData?: ProviderData;
};

/** A tool call that the model asked for. */
export type ToolCallPart = {
  readonly kind: "tool-call";
  /** Unique within the run; the result carries the same id. */
  readonly id: string;
  readonly name: string;
  /** The parsed arguments; empty where they could not be parsed. */
  readonly arguments: JsonObject;
  /** What the model wrote instead of a JSON object, cut short; never sent back to a provider. */
  readonly malformedArguments?: string;
  readonly providerData?: ProviderData;
};

/** What a model may read in a tool's result. */
export type ResultContent = TextPart | MediaPart;

/** The answer to one tool call. */
export type ToolResultPart = {
  readonly kind: "tool-result";
  /** The id of the {@link ToolCallPart} that this answers. */
  readonly id: string;
  readonly name: string;
  readonly isError: boolean;
  readonly content: readonly ResultContent[];
};

/** A part of what a user says. */
export type UserContent = TextPart | MediaPart;

/** A part of what a model says. */
export type AssistantContent = TextPart | MediaPart | ReasoningPart | ToolCallPart;
