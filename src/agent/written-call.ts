import { isJsonObject, type JsonObject, parseJson } from "../base/json.ts";

/** A tool call that a model wrote as its answer. */
export interface WrittenCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

const wrappers = [
  /^<tool_call>(.*)<\/tool_call>$/s,
  /^```(?:json|tool_call)?\s*\n(.*)\n?```$/s,
  /^\[TOOL_CALLS\]\s*\[?(.*?)\]?$/s,
];

/**
 * The call that a text is, as small models write it where they should have called: one JSON object
 * with the name of an offered tool and its arguments, alone or in a fence or tag, and nothing else.
 * Prose that quotes such JSON is an answer.
 */
export function readWrittenCall(
  text: string,
  offered: { has(name: string): boolean },
): WrittenCall | undefined {
  const value = parseJson(unwrap(text.trim()));
  if (!isJsonObject(value)) {
    return undefined;
  }
  const call = isJsonObject(value["function"]) ? value["function"] : value;
  const { name } = call;
  const given = call["arguments"] ?? call["parameters"];
  const parsed = typeof given === "string" ? parseJson(given) : given;
  const isCall = typeof name === "string" && offered.has(name) && isJsonObject(parsed);
  return isCall ? { name, arguments: parsed } : undefined;
}

function unwrap(text: string): string {
  const [inner] = wrappers.flatMap((wrapper) => wrapper.exec(text)?.[1] ?? []);
  return (inner ?? text).trim();
}
