import { untilAborted } from "../../base/abort.ts";
import { ConfigurationError } from "../../base/dragoman-error.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Model, ModelCapabilities, ModelRequest } from "../../model/model.ts";
import type { ModelEvent } from "../../model/model-event.ts";
import { AiSdkAssembly } from "./ai-sdk-assembly.ts";
import { toAiSdkError } from "./ai-sdk-error.ts";
import { type AiSdkScope, toCallOptions } from "./ai-sdk-request.ts";

/**
 * What {@link fromAiSdk} needs of a language model of an AI SDK provider. The `LanguageModelV2`, `V3` and
 * `V4` of `@ai-sdk/provider` are of this type; that package need not be installed.
 */
export interface AiSdkModel {
  readonly specificationVersion: "v2" | "v3" | "v4";
  readonly provider: string;
  readonly modelId: string;
  doStream(options: object): PromiseLike<{ readonly stream: AiSdkStream }>;
}

/** What is used of a `ReadableStream`. */
export interface AiSdkStream {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
    cancel(reason?: unknown): Promise<void>;
  };
}

/** How an AI SDK model is used. */
export interface AiSdkOptions {
  /** Default: the provider's name, a colon and the model's. */
  readonly id?: string;
  /** Default: calls tools, reads pictures, is held to schemas. */
  readonly capabilities?: Partial<ModelCapabilities>;
  /** Sent with each request, as in `{ google: { … } }`. */
  readonly providerOptions?: JsonObject;
}

const generations: readonly string[] = ["v2", "v3", "v4"];

/**
 * A model of an AI SDK provider, of the generations V2 to V4; the `ai` package is not needed. What a
 * provider says beside a part (`providerMetadata`) is kept as it is, and handed back as
 * `providerOptions`. Parts of a stream that are not known are passed over, so are tools that the
 * provider runs itself. JSON is asked for in words, and by `responseFormat` where there are no tools.
 *
 * @throws ConfigurationError for a model of another generation.
 */
export function fromAiSdk(model: AiSdkModel, options: AiSdkOptions = {}): Model {
  const { specificationVersion: generation, provider, modelId } = model;
  if (!generations.includes(generation)) {
    throw new ConfigurationError(
      `The AI SDK model "${modelId}" is of the generation ${JSON.stringify(generation)}; v2, v3 and v4 are known. Use a version of its provider's package that has one of these, or a newer Dragoman.`,
      { code: "invalid-configuration" },
    );
  }
  const { id = `${provider}:${modelId}` } = options;
  const capabilities = {
    tools: true,
    images: true,
    audio: true,
    documents: true,
    jsonSchema: true,
    ...options.capabilities,
  };
  const scope: AiSdkScope = {
    generation,
    provider,
    key: `ai-sdk/${provider}`,
    images: capabilities.images,
    innerMedia: /anthropic|google|vertex|bedrock|openai\.responses/.test(provider),
    providerOptions: options.providerOptions,
  };
  const what = `model "${id}"`;
  return {
    id,
    capabilities,
    stream: (request, { signal }) => streamAnswer(model, request, signal, { ...scope, what }),
  };
}

async function* streamAnswer(
  model: AiSdkModel,
  request: ModelRequest,
  signal: AbortSignal,
  scope: AiSdkScope & { readonly what: string },
): AsyncGenerator<ModelEvent, void, undefined> {
  signal.throwIfAborted();
  const assembly = new AiSdkAssembly(scope);
  try {
    const options = { ...toCallOptions(request, scope), abortSignal: signal };
    const { stream } = await untilAborted(Promise.resolve(model.doStream(options)), signal);
    for await (const part of partsOf(stream, signal)) {
      yield* assembly.accept(part);
    }
    yield* assembly.end();
  } catch (error) {
    signal.throwIfAborted();
    throw toAiSdkError(error, scope.what);
  }
}

/** Leaving the loop cancels the stream. */
async function* partsOf(stream: AiSdkStream, signal: AbortSignal): AsyncGenerator<unknown> {
  const reader = stream.getReader();
  let isOver = false;
  try {
    while (!isOver) {
      const { done, value } = await untilAborted(reader.read(), signal);
      isOver = done;
      if (!done) {
        yield value;
      }
    }
  } finally {
    if (!isOver) {
      reader.cancel().catch(() => {}); // it has failed already, or nobody waits for it
    }
  }
}
