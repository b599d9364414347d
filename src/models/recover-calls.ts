import { createId } from "../base/ids.ts";
import { isJsonObject, type Json, type JsonObject, parseJson } from "../base/json.ts";
import type { Model, ModelRequest } from "../model/model.ts";
import type { ModelEvent } from "../model/model-event.ts";

/**
 * The same model, for small ones that write a tool call as their text: where an answer is nothing but
 * one or more calls in JSON (`{"name": …, "arguments" or "parameters": {…}}`, or a list of such), bare,
 * in a code fence, in `<tool_call>` tags or after a model's own mark, and each names a tool of the request, it is those calls. Any other text stays
 * text; such as only quotes a call does. Text that may become a call is held back until it cannot.
 */
export const recoverCalls = (model: Model): Model => ({
  id: model.id,
  capabilities: model.capabilities,
  stream: (request, options) => recover(model.stream(request, options), request),
});

async function* recover(
  stream: AsyncIterable<ModelEvent>,
  { tools, toolChoice }: ModelRequest,
): AsyncGenerator<ModelEvent, void, undefined> {
  const names = new Set(toolChoice === "none" ? [] : tools.map(({ name }) => name));
  const hold = new Hold(names);
  for await (const event of stream) {
    yield* hold.accept(event);
  }
}

/** Holds events of text back for as long as it may become a call. */
class Hold {
  readonly #names: ReadonlySet<string>;
  #held: ModelEvent[] = [];
  #text = "";
  #isPlain: boolean;

  constructor(names: ReadonlySet<string>) {
    this.#names = names;
    this.#isPlain = names.size === 0;
  }

  /** The events that can go on. */
  accept(event: ModelEvent): readonly ModelEvent[] {
    if (this.#isPlain || event.kind.startsWith("reasoning")) {
      return [event];
    }
    if (event.kind === "finish") {
      const calls = callsIn(this.#text, this.#names);
      return calls.length === 0
        ? [...this.#held, event]
        : [...calls.flatMap(toEvents), { ...event, reason: "tool-calls" }];
    }
    this.#held.push(event);
    this.#text += event.kind === "text-delta" ? event.text : "";
    this.#isPlain = event.kind === "tool-call-start" || !mayBeCall(this.#text);
    return this.#isPlain ? this.#held.splice(0) : [];
  }
}

/** With what models of Meta and of Mistral begin a call. */
const marks = ["<|python_tag|>", "[TOOL_CALLS]"];

const openings = ["{", "[", "```", "<tool_call>", ...marks];

function mayBeCall(text: string): boolean {
  const start = text.trimStart();
  return openings.some((opening) => start.startsWith(opening) || opening.startsWith(start));
}

/** A call as models write it. */
interface WrittenCall {
  readonly name: string;
  readonly args: JsonObject;
}

/** The calls that a text consists of; none where there is anything else in it. */
function callsIn(text: string, names: ReadonlySet<string>): readonly WrittenCall[] {
  const written = text.trim();
  const mark = marks.find((one) => written.startsWith(one)) ?? "";
  const whole = written.slice(mark.length).trim();
  const [, fenced] = /^```(?:json|tool_call)?\s*\n(.*)\n\s*```$/s.exec(whole) ?? [];
  const tagged = [...whole.matchAll(/<tool_call>(.*?)(?:<\/tool_call>|$)/gs)].map(
    ([, call]) => `${call}`,
  );
  const isTagged =
    tagged.length > 0 && whole.replaceAll(/<tool_call>.*?(?:<\/tool_call>|$)|\s/gs, "") === "";
  const values = (isTagged ? tagged : [fenced ?? whole]).flatMap((one) => parseJson(one) ?? null);
  const calls = values.map((value) => toCall(value, names));
  const known = calls.filter((call) => call !== undefined);
  return known.length === calls.length ? known : [];
}

function toCall(written: Json, names: ReadonlySet<string>): WrittenCall | undefined {
  if (!isJsonObject(written)) {
    return undefined;
  }
  const { type: _type, id: _id, function: inner, ...rest } = written;
  const isWrapped = isJsonObject(inner) && Object.keys(rest).length === 0;
  const { name, arguments: given, parameters, ...strange } = isWrapped ? inner : rest;
  const said = given ?? parameters ?? {};
  const args = typeof said === "string" ? parseJson(said) : said;
  const isCall = typeof name === "string" && names.has(name) && isJsonObject(args);
  const isAll = Object.keys(strange).length === 0 && (isWrapped || inner === undefined);
  return isCall && isAll ? { name, args } : undefined;
}

function toEvents({ name, args }: WrittenCall): readonly ModelEvent[] {
  const id = createId("call");
  return [
    { kind: "tool-call-start", id, name },
    { kind: "tool-call-delta", id, text: JSON.stringify(args) },
    { kind: "tool-call-end", id },
  ];
}
