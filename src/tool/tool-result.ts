import { messageOf } from "../base/dragoman-error.ts";
import { type Json, toJson } from "../base/json.ts";
import { ToolError, type ToolErrorCode } from "../base/tool-error.ts";
import type { ResultContent } from "../message/content.ts";
import type { Artifact } from "./artifact.ts";

/** A tool that has done its work. */
export type ToolSuccess = {
  readonly kind: "success";
  /** The value, for the program. */
  readonly value: Json;
  /** The same for the model. */
  readonly content: readonly ResultContent[];
  /** Files that belong to it. Media in `content` need not stand here, too. */
  readonly artifacts?: readonly Artifact[];
};

/** A tool that could not. The model reads `content`, the program `error`. */
export type ToolFailure = {
  readonly kind: "error";
  readonly error: { readonly code: ToolErrorCode; readonly message: string; readonly data?: Json };
  readonly content: readonly ResultContent[];
  readonly artifacts?: readonly Artifact[];
};

/** A tool that has started a job; another tool tells later what became of it. */
export type ToolPending = {
  readonly kind: "pending";
  readonly jobId: string;
  readonly content: readonly ResultContent[];
};

/** What came of a tool call. Plain JSON. */
export type ToolResult = ToolSuccess | ToolFailure | ToolPending;

/** What a result has besides its value or its error. */
export interface ToolResultParts {
  /** What the model reads. Default: the value, or the error, as text. */
  readonly content?: readonly ResultContent[] | undefined;
  /** Files that belong to the result; the model is shown those that it can read, and told of others. */
  readonly artifacts?: readonly Artifact[];
}

/** Results that were made here, and so are not values that only look like one. */
const made = new WeakSet<object>();

/**
 * A success whose content for the model differs from its value, or that has artifacts. A tool that
 * just returns a value needs none of these functions.
 *
 * @throws ConfigurationError where the value cannot be written as JSON.
 */
export function toolSuccess(
  value: unknown,
  { content, artifacts = [] }: ToolResultParts = {},
): ToolSuccess {
  const json = toJson(value);
  return remember({
    kind: "success",
    value: json,
    content: content ?? [textPart(json)],
    ...(artifacts.length === 0 ? {} : { artifacts }),
  });
}

/** A failure that the model reads; the same as throwing a {@link ToolError}. */
export function toolFailure(
  error: ToolError,
  { content, artifacts = [] }: ToolResultParts = {},
): ToolFailure {
  const { code, message } = error;
  const data = dataOf(error);
  const facts = data === undefined ? "" : `\n${shorten(JSON.stringify(data))}`;
  return remember({
    kind: "error",
    error: { code, message, ...(data === undefined ? {} : { data }) },
    content: content ?? [{ kind: "text", text: `${message}${facts}` }],
    ...(artifacts.length === 0 ? {} : { artifacts }),
  });
}

/** Facts that cannot be written as JSON are left out: the message stands without them. */
function dataOf({ data }: ToolError): Json | undefined {
  try {
    return data === undefined ? undefined : toJson(data);
  } catch {
    return undefined;
  }
}

/** A job that goes on after the call; `message` tells the model how to learn of its end. */
export function toolPending(jobId: string, message: string): ToolPending {
  return remember({ kind: "pending", jobId, content: [{ kind: "text", text: message }] });
}

/**
 * What a tool returned, as a result: a result stays, an error becomes a failure, anything else a
 * success.
 *
 * @throws ConfigurationError where the value cannot be written as JSON.
 */
export function toToolResult(returned: unknown): ToolResult {
  if (returned instanceof Error) {
    return toolFailure(ToolError.is(returned) ? returned : new ToolError(messageOf(returned)));
  }
  return typeof returned === "object" && returned !== null && made.has(returned)
    ? (returned as ToolResult) // in `made`, hence ours
    : toolSuccess(returned);
}

function remember<Result extends ToolResult>(result: Result): Result {
  made.add(result);
  return result;
}

const textPart = (value: Json): ResultContent => ({
  kind: "text",
  text: typeof value === "string" ? value : JSON.stringify(value),
});

const mostFactCharacters = 2_000;

const shorten = (text: string): string =>
  text.length > mostFactCharacters ? `${text.slice(0, mostFactCharacters)}…` : text;
