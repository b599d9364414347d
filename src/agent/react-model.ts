import { findJson } from "../base/find-json.ts";
import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import type { ResultContent, UserContent } from "../message/content.ts";
import type { AssistantMessage, Message, ToolMessage } from "../message/message.ts";
import type { Model, ModelRequest, ToolDefinition } from "../model/model.ts";
import { ModelError } from "../model/model-error.ts";
import type { FinishReason, ModelEvent } from "../model/model-event.ts";
import { addUsage, noUsage, type Usage } from "../model/usage.ts";
import { fillTemplate, type Prompts } from "./prompts.ts";

/** How often a model is asked again in one turn, when what it writes cannot be read. */
const mostQuestions = 3;

/** What the model has decided. */
type Action =
  | {
      readonly kind: "call";
      readonly name: string;
      readonly arguments: Json;
      readonly thought: string;
    }
  | { readonly kind: "answer"; readonly text: string; readonly thought: string };

/**
 * A model that calls tools, made of one that only writes: it is told of the tools in words, writes its
 * next action as JSON (thought, then a tool or the answer), and reads results as observations. What it
 * writes is read with patience, and it is asked again a few times where it cannot be read at all.
 */
export function toReactModel(model: Model, prompts: Prompts): Model {
  return {
    id: model.id,
    capabilities: { ...model.capabilities, tools: true },
    endpoint: model.endpoint,
    stream(request, options) {
      return request.tools.length === 0 || request.toolChoice === "none"
        ? model.stream(toPlainRequest(request), options)
        : act(model, request, prompts, options);
    },
  };
}

type StreamOptions = Parameters<Model["stream"]>[1];

async function* act(
  model: Model,
  request: ModelRequest,
  prompts: Prompts,
  options: StreamOptions,
): AsyncGenerator<ModelEvent> {
  const plain = toPlainRequest(request);
  const told = fillTemplate(prompts.react, { tools: toolList(request.tools) }, "react prompt");
  const messages: Message[] = withSystem(plain.messages, told);
  let usage = noUsage;
  for (let question = 1; ; question += 1) {
    const reply = await write(model, { ...plain, messages }, options);
    usage = addUsage(usage, reply.usage);
    const action = toAction(await findJson(reply.text), reply.text);
    if (typeof action === "object") {
      yield* publish(action, request.messages.length);
      const reason = action.kind === "call" ? "tool-calls" : stopReason(reply.reason);
      yield { kind: "finish", reason, usage };
      return;
    }
    if (question >= mostQuestions) {
      throw new ModelError(
        `Model ${model.id} was asked ${mostQuestions} times for its next action as JSON, and did not give it: ${action}`,
        { code: "model-invalid-response" },
      );
    }
    const again = fillTemplate(prompts.reactAgain, { problem: action }, "reactAgain prompt");
    messages.push(said(reply.text), asked(again));
  }
}

const stopReason = (reason: FinishReason): FinishReason =>
  reason === "tool-calls" ? "stop" : reason;

function* publish(action: Action, turn: number): Generator<ModelEvent> {
  if (action.thought !== "") {
    yield { kind: "reasoning-start", id: "thought" };
    yield { kind: "reasoning-delta", id: "thought", text: action.thought };
    yield { kind: "reasoning-end", id: "thought" };
  }
  if (action.kind === "answer") {
    yield { kind: "text-start", id: "answer" };
    yield { kind: "text-delta", id: "answer", text: action.text };
    yield { kind: "text-end", id: "answer" };
    return;
  }
  const id = `action_${turn}`;
  yield { kind: "tool-call-start", id, name: action.name };
  yield { kind: "tool-call-delta", id, text: JSON.stringify(action.arguments) };
  yield { kind: "tool-call-end", id };
}

/** Names that models give to the parts of their action. */
const toolKeys = ["tool", "action", "name", "tool_name"];
const argumentKeys = ["arguments", "action_input", "parameters", "args", "input"];
const answerKeys = ["answer", "final_answer", "final", "response"];

/** The action that was written; else, in words, why there is none. */
function toAction(value: Json | undefined, text: string): Action | string {
  if (!isJsonObject(value)) {
    return text.trim() === "" ? "there was no text." : "it is not a JSON object.";
  }
  const thought = typeof value["thought"] === "string" ? value["thought"] : "";
  // A call may be nested, as in {"action": {"tool": …}}.
  const nested = value["action"] ?? value["tool_call"] ?? value["function"];
  const call = isJsonObject(nested) ? nested : value;
  const name = firstOf(call, toolKeys);
  if (typeof name === "string" && !answerKeys.includes(name)) {
    return { kind: "call", name, arguments: firstOf(call, argumentKeys) ?? {}, thought };
  }
  const answer = firstOf(value, answerKeys) ?? firstOf(call, argumentKeys);
  return answer === undefined
    ? `it has neither "tool" nor "answer", only: ${Object.keys(value).join(", ") || "nothing"}.`
    : {
        kind: "answer",
        text: typeof answer === "string" ? answer : JSON.stringify(answer),
        thought,
      };
}

const firstOf = (value: JsonObject, keys: readonly string[]): Json | undefined =>
  keys.map((key) => value[key]).find((one) => one !== undefined && one !== null);

async function write(
  model: Model,
  request: ModelRequest,
  options: StreamOptions,
): Promise<{ readonly text: string; readonly reason: FinishReason; readonly usage: Usage }> {
  let text = "";
  for await (const event of model.stream(request, options)) {
    if (event.kind === "text-delta") {
      text += event.text;
    } else if (event.kind === "finish") {
      return { text, reason: event.reason, usage: event.usage };
    }
  }
  throw new ModelError("The model's stream ended before the model had finished.", {
    code: "model-invalid-response",
    retryable: true,
  });
}

function toolList(tools: readonly ToolDefinition[]): string {
  return tools
    .map(({ name, description, inputSchema }) =>
      JSON.stringify({ name, description, arguments: inputSchema }),
    )
    .join("\n");
}

function withSystem(messages: readonly Message[], text: string): Message[] {
  const [first, ...rest] = messages;
  return first?.role === "system"
    ? [{ role: "system", text: `${first.text}\n\n${text}` }, ...rest]
    : [{ role: "system", text }, ...messages];
}

/** The request as a model sees it that knows no tools: calls are what it wrote, results what it reads. */
function toPlainRequest({ toolChoice: _, ...request }: ModelRequest): ModelRequest {
  return { ...request, tools: [], messages: request.messages.map(toPlainMessage) };
}

function toPlainMessage(message: Message): Message {
  switch (message.role) {
    case "assistant":
      return toWritten(message);
    case "tool":
      return toObservations(message);
    default:
      return message;
  }
}

function toWritten(message: AssistantMessage): Message {
  const thought = message.content
    .flatMap((part) => (part.kind === "reasoning" ? [part.text] : []))
    .join("\n");
  const calls = message.content.filter((part) => part.kind === "tool-call");
  const written = calls.map(({ name, arguments: given }) =>
    JSON.stringify({ thought, tool: name, arguments: given }),
  );
  const text = message.content.flatMap((part) => (part.kind === "text" ? [part.text] : []));
  return said([...text, ...written].join("\n"));
}

function toObservations({ content }: ToolMessage): Message {
  return {
    role: "user",
    content: content.flatMap(({ name, isError, content: parts }): readonly UserContent[] => [
      { kind: "text", text: `${isError ? "Error" : "Result"} of ${name}:` },
      ...parts.map((part: ResultContent) => part),
    ]),
  };
}

const said = (text: string): AssistantMessage => ({
  role: "assistant",
  content: [{ kind: "text", text }],
});

const asked = (text: string): Message => ({ role: "user", content: [{ kind: "text", text }] });
