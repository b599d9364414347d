import { checkNumbers } from "../../base/check-numbers.ts";
import { isJsonObject } from "../../base/json.ts";
import { type Message, textOf, toolCallsOf } from "../../message/message.ts";
import type { Model, ModelRequest } from "../../model/model.ts";
import type { ModelEvent } from "../../model/model-event.ts";
import { noUsage } from "../../model/usage.ts";
import { answerOf, howToGetModel, unfinished } from "./answer.ts";
import { tellsRoots } from "./folders.ts";
import { planMessage } from "./plan.ts";
import type { Exchange, PlannedCall, Planning } from "./planning.ts";
import { rootsOf, textOfResult } from "./results.ts";

/** What to tell whoever gets this model without having chosen it: two lines. */
export const offlineNotice: string = `No language model is used: the offline model matches words to tools and quotes their results; it does not think.\n${howToGetModel}`;

/** Settings of {@link offlineModel}. */
export interface OfflineModelOptions {
  /** The most tool calls for one message of the user. Default 5. */
  readonly maxCalls?: number;
}

/**
 * The offline model: it needs no key and no server, and it does not think.
 *
 * It picks a tool by matching words, fills the arguments with what the message says (quoted texts,
 * paths, URLs, numbers, dates, names, values of an `enum`, `key: value`), makes a few calls of which
 * one may feed the next, and answers by quoting results. It never invents: where no tool matches, or
 * a required argument is not given, it says so and calls nothing. A tool that changes something is
 * called only where the message asks for a change. The same conversation always gives the same answer.
 */
export function offlineModel({ maxCalls = 5 }: OfflineModelOptions = {}): Model {
  checkNumbers({ maxCalls }, { maxCalls: "count-or-0" }, { where: "of the offline model" });
  return {
    id: "offline",
    capabilities: { tools: true, images: false, jsonSchema: false },
    async *stream(request, { signal }) {
      signal.throwIfAborted();
      yield* say(decide(request, maxCalls), request.messages);
    },
  };
}

/** In UTF-16 units. A part of a message would be worse than none: what is cut off may be a value. */
const longestMessage = 100_000;

type Decision =
  | { readonly kind: "call"; readonly call: PlannedCall }
  | { readonly kind: "answer"; readonly text: string };

/**
 * Runs the plan for the last message of the user from its start, with the results that are there,
 * until it wants a call that was not made yet or is at its end.
 */
function decide({ messages, tools, toolChoice }: ModelRequest, maxCalls: number): Decision {
  const start = messages.findLastIndex(({ role }) => role === "user");
  const texts = messages.flatMap((message) =>
    message.role === "user" ? [textOf(message.content)] : [],
  );
  const message = texts.at(-1) ?? "";
  if (message.length > longestMessage) {
    const text = `The offline model reads no message of more than ${longestMessage} characters, and this one has ${message.length}.\n${howToGetModel}`;
    return { kind: "answer", text };
  }
  const made = exchangesOf(messages.slice(start + 1));
  const planning: Planning = {
    message,
    tools,
    earlier: texts.slice(-4, -1).filter((text) => text.length <= longestMessage),
    knownRoot: knownRootOf(exchangesOf(messages.slice(0, Math.max(start, 0))), tools),
    outcomes: [],
  };
  const results = new Map(made.map(({ call, result }) => [keyOf(call), result]));
  const plan = planMessage(planning);
  let step = plan.next();
  while (step.done !== true) {
    const result = results.get(keyOf(step.value));
    if (result === undefined && made.length < maxCalls && toolChoice !== "none") {
      return { kind: "call", call: step.value };
    }
    if (result === undefined) {
      const note = unfinished(step.value.name, made.length);
      const parts =
        planning.outcomes.length > 0 ? [answerOf(planning.outcomes, tools), note] : [note];
      return { kind: "answer", text: parts.join("\n\n") };
    }
    step = plan.next(result);
  }
  return { kind: "answer", text: answerOf(planning.outcomes, tools) };
}

function exchangesOf(messages: readonly Message[]): readonly Exchange[] {
  const results = new Map(
    messages.flatMap((message) =>
      message.role === "tool" ? message.content.map((part) => [part.id, part] as const) : [],
    ),
  );
  return messages.flatMap((message) =>
    message.role === "assistant"
      ? toolCallsOf(message).flatMap((call) => {
          const result = results.get(call.id);
          return result === undefined ? [] : [{ call, result }];
        })
      : [],
  );
}

/** Calls are told apart by name and arguments; a store may have changed the order of the keys. */
const keyOf = ({ name, arguments: given }: PlannedCall): string =>
  `${name} ${JSON.stringify(given, (_key, value: unknown) =>
    isJsonObject(value)
      ? Object.fromEntries(
          Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)),
        )
      : value,
  )}`;

/** The folder that the server told in an earlier turn, so that it need not be asked again. */
function knownRootOf(
  exchanges: readonly Exchange[],
  tools: ModelRequest["tools"],
): string | undefined {
  const tellers = new Set(tools.filter(tellsRoots).map(({ name }) => name));
  const told = exchanges.filter(({ call, result }) => tellers.has(call.name) && !result.isError);
  return told.flatMap(({ result }) => rootsOf(textOfResult(result)))[0];
}

function* say(decision: Decision, messages: readonly Message[]): Generator<ModelEvent> {
  if (decision.kind === "answer") {
    yield { kind: "text-start", id: "text" };
    yield { kind: "text-delta", id: "text", text: decision.text };
    yield { kind: "text-end", id: "text" };
    yield { kind: "finish", reason: "stop", usage: noUsage };
    return;
  }
  const { name, arguments: given } = decision.call;
  const calls = messages.flatMap((message) =>
    message.role === "assistant" ? toolCallsOf(message) : [],
  );
  const id = `call_${calls.length + 1}`;
  yield { kind: "tool-call-start", id, name };
  yield { kind: "tool-call-delta", id, text: JSON.stringify(given) };
  yield { kind: "tool-call-end", id };
  yield { kind: "finish", reason: "tool-calls", usage: noUsage };
}
