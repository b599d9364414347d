import { untilAborted } from "../base/abort.ts";
import { messageOf } from "../base/dragoman-error.ts";
import { createId } from "../base/ids.ts";
import type { JsonObject } from "../base/json.ts";
import type { JsonSchema } from "../base/json-schema.ts";
import type { Model, ModelRequest } from "./model.ts";
import { ModelError } from "./model-error.ts";
import type { ModelEvent } from "./model-event.ts";
import { withOutputInWords } from "./output-words.ts";
import { toPrompt } from "./prompt-text.ts";
import { noUsage } from "./usage.ts";

/** What is asked of a {@link TextAdapter} besides its prompt. */
export interface GenerateOptions {
  /** Whether the answer is to be JSON. */
  readonly json: boolean;
  /** The schema that the JSON is to fit; only for an adapter that supports structured output. */
  readonly schema?: JsonSchema;
  readonly signal: AbortSignal;
}

/** A tool as a {@link TextAdapter} is told of it. */
export interface AdapterTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: JsonSchema;
}

/** What a model wants to do next: call one tool, or answer. */
export type AdapterAction =
  | {
      readonly kind: "tool";
      readonly name: string;
      readonly arguments: JsonObject;
      readonly thought?: string;
    }
  | { readonly kind: "final"; readonly text: string; readonly thought?: string };

/**
 * The least that makes a provider usable: three members that speak text. It may stand wherever a
 * {@link Model} may; {@link fromTextAdapter} tells what becomes of it.
 */
export interface TextAdapter {
  /** Whether it can be used now. A provider without a key, say, is not. */
  available(): boolean | Promise<boolean>;
  /** The model's name; none where it is not available. */
  readonly modelName: string | null | undefined;
  /** The text that follows the prompt; none where the adapter is not available. */
  generate(prompt: string, options: GenerateOptions): MaybeText | Promise<MaybeText>;
  /** Whether `generate` holds the model to a schema. Default false. */
  readonly supportsStructuredOutput?: boolean;
  /** Whether the provider's own tool calling is used, with {@link TextAdapter.generateWithTools}. Default false. */
  readonly supportsFunctionCalling?: boolean;
  /** The next action. Called only where `supportsFunctionCalling` is true. */
  generateWithTools?(
    prompt: string,
    options: { readonly tools: readonly AdapterTool[]; readonly signal: AbortSignal },
  ): AdapterAction | Promise<AdapterAction>;
}

type MaybeText = string | null | undefined;

// A model may have a member called `generate` as well.
const isTextAdapter = (value: Model | TextAdapter): value is TextAdapter =>
  !("stream" in value) && "generate" in value;

/** The model, or the model that an adapter makes. */
export const toModel = (value: Model | TextAdapter): Model =>
  isTextAdapter(value) ? fromTextAdapter(value) : value;

/**
 * A model made of a small adapter. The conversation is written out as one prompt; the answer comes as one
 * piece of text, and takes no counted tokens. Without function calling the model calls no tools
 * natively: the loop then asks for actions as JSON.
 *
 * What an adapter throws is a ModelError `model-unavailable`, as is an answer that it does not give; its
 * own ModelErrors stay as they are. Its signal is passed on, but work that ignores it holds nobody.
 */
export function fromTextAdapter(adapter: TextAdapter): Model {
  const { supportsFunctionCalling = false, supportsStructuredOutput = false } = adapter;
  return {
    id: `adapter:${adapter.modelName ?? "unavailable"}`,
    capabilities: {
      tools: supportsFunctionCalling && adapter.generateWithTools !== undefined,
      images: false,
      jsonSchema: supportsStructuredOutput,
    },
    stream: (request, { signal }) => answer(adapter, request, signal),
  };
}

async function* answer(
  adapter: TextAdapter,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void, undefined> {
  signal.throwIfAborted();
  const asked = act(adapter, request, signal);
  const action = await untilAborted(asked, signal).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw ModelError.is(cause) ? cause : failed(adapter, messageOf(cause), cause);
  });
  yield* part("reasoning", action.thought);
  if (action.kind === "tool") {
    const id = createId("call");
    yield { kind: "tool-call-start", id, name: action.name };
    yield { kind: "tool-call-delta", id, text: JSON.stringify(action.arguments) };
    yield { kind: "tool-call-end", id };
  } else {
    yield* part("text", action.text);
  }
  const reason = action.kind === "tool" ? "tool-calls" : "stop";
  yield { kind: "finish", reason, usage: noUsage };
}

function* part(kind: "text" | "reasoning", text: string | undefined): Generator<ModelEvent> {
  if (text !== undefined && text !== "") {
    yield { kind: `${kind}-start`, id: kind };
    yield { kind: `${kind}-delta`, id: kind, text };
    yield { kind: `${kind}-end`, id: kind };
  }
}

async function act(
  adapter: TextAdapter,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<AdapterAction> {
  if (!(await adapter.available())) {
    throw failed(adapter, "it says that it is not available.");
  }
  const { output, tools, toolChoice, messages } = request;
  const hasTools = tools.length > 0 && toolChoice !== "none";
  if (hasTools && adapter.supportsFunctionCalling && adapter.generateWithTools !== undefined) {
    const offered = tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      parameters: inputSchema,
    }));
    return adapter.generateWithTools(toPrompt(messages), { tools: offered, signal });
  }
  const isHeld = adapter.supportsStructuredOutput === true && output !== undefined;
  const prompt = toPrompt(isHeld ? messages : withOutputInWords(request));
  const schema = isHeld ? { schema: output.schema } : {};
  const text = await adapter.generate(prompt, { json: output !== undefined, ...schema, signal });
  if (typeof text !== "string") {
    throw failed(adapter, "it gave no answer.");
  }
  return { kind: "final", text };
}

const failed = ({ modelName }: TextAdapter, why: string, cause?: unknown): ModelError =>
  new ModelError(`The adapter of model "${modelName ?? "(no name)"}" failed: ${why}`, {
    code: "model-unavailable",
    ...(cause === undefined ? {} : { cause }),
  });
