import { systemClock } from "../base/clock.ts";
import { isJsonObject, type Json, type JsonObject, parseJson } from "../base/json.ts";
import { ToolError } from "../base/tool-error.ts";
import type { HttpResponse } from "../http/http-response.ts";
import { readServerSentEvents, type ServerSentEvent } from "../http/server-sent-events.ts";
import { ModelError } from "../model/model-error.ts";
import type { ModelEvent } from "../model/model-event.ts";
import { ChatAssembly } from "./openai-assembly.ts";
import { type ProviderScope, toAnswerError } from "./provider-error.ts";
import { errorIn, providerMessage } from "./provider-message.ts";

/** What an answer is read with. */
export interface AnswerScope extends ProviderScope {
  /** The key of the provider data that the parts get. */
  readonly provider: string;
  /** Whether a stream was asked for: decides where the content type says nothing. */
  readonly stream: boolean;
}

/** What is read of a response. */
export type AnswerResponse = Pick<HttpResponse, "headers" | "body" | "text" | "cancel">;

/**
 * Reads an answer of success, streamed or whole. Each batch holds the events that follow from what has
 * come at once, so that a fast stream does not cost this layer a promise for each token.
 *
 * @throws ModelError where the provider reports a failure, or the answer is not whole; what reading
 *   the body throws.
 */
export function readAnswer(
  response: AnswerResponse,
  scope: AnswerScope,
): AsyncGenerator<readonly ModelEvent[], void, undefined> {
  const type = response.headers["content-type"]?.toLowerCase() ?? "";
  const isStream = type.includes("event-stream") || (scope.stream && !/json|html/.test(type));
  return isStream ? readStream(response, scope) : readWhole(response, scope);
}

/** How long the end of a body may come after the end of the answer, in milliseconds. */
const endOfBodyMs = 250;

async function* readStream(
  response: AnswerResponse,
  scope: AnswerScope,
): AsyncGenerator<readonly ModelEvent[], void, undefined> {
  const assembly = new ChatAssembly(scope.provider);
  let isDone = false;
  let stopWaiting = (): void => {};
  try {
    for await (const batch of readServerSentEvents(response.body)) {
      const { events, failure, isLast } = isDone ? noEvents : acceptBatch(batch, assembly, scope);
      yield events;
      if (failure !== undefined) {
        throw failure;
      }
      if (isLast) {
        isDone = true;
        // The connection can only be used again once its end has been read.
        stopWaiting = systemClock.startTimer(() => response.cancel(), endOfBodyMs);
      }
    }
  } catch (error) {
    // Once the model has finished, nothing is lost when the connection breaks.
    const isHarmless = ToolError.is(error) && (isDone || assembly.isFinished);
    if (!isHarmless) {
      throw error;
    }
  } finally {
    stopWaiting();
  }
  yield endOf(assembly, isDone, scope);
}

const noEvents: AcceptedBatch = { events: [] };

/** The events that end a stream, provided that it has not just broken off. */
function endOf(
  assembly: ChatAssembly,
  isDone: boolean,
  { what }: AnswerScope,
): readonly ModelEvent[] {
  if (assembly.isEmpty || !(isDone || assembly.isFinished)) {
    throw invalid(`The answer of ${what} ended before the model had finished.`, true);
  }
  return assembly.end();
}

interface AcceptedBatch {
  readonly events: readonly ModelEvent[];
  /** What ended the answer after these events. */
  readonly failure?: ModelError | undefined;
  /** Whether the server has said that nothing follows. */
  readonly isLast?: boolean;
}

function acceptBatch(
  batch: readonly ServerSentEvent[],
  assembly: ChatAssembly,
  scope: AnswerScope,
): AcceptedBatch {
  const events: ModelEvent[] = [];
  for (const event of batch) {
    const { data } = event;
    if (data === "[DONE]") {
      return { events, isLast: true };
    }
    if (data.trim() !== "") {
      const chunk = parseJson(data);
      const failure = failureIn(chunk, event, scope);
      if (failure !== undefined || !isJsonObject(chunk)) {
        return { events, failure: failure ?? unreadable(data, scope) };
      }
      events.push(...assembly.accept(chunk));
    }
  }
  return { events };
}

async function* readWhole(
  response: AnswerResponse,
  scope: AnswerScope,
): AsyncGenerator<readonly ModelEvent[], void, undefined> {
  const text = await response.text();
  const body = parseJson(text);
  const failure = failureIn(body, undefined, scope);
  if (failure !== undefined) {
    throw failure;
  }
  const assembly = new ChatAssembly(scope.provider);
  const events = isJsonObject(body) ? assembly.accept(body) : [];
  if (assembly.isEmpty) {
    throw unreadable(text, scope);
  }
  yield events;
  yield assembly.end();
}

/** The failure that a provider reports in the place of (more of) an answer. */
function failureIn(
  chunk: Json | undefined,
  event: ServerSentEvent | undefined,
  scope: AnswerScope,
): ModelError | undefined {
  if (isJsonObject(chunk) && !isErrorObject(chunk) && event?.event !== "error") {
    const error = chunk["error"] ?? errorOfChoice(chunk);
    return error === undefined || error === null ? undefined : toAnswerError(error, scope);
  }
  const isError = isJsonObject(chunk) || Array.isArray(chunk) || event?.event === "error";
  const error = isError ? (errorIn(chunk) ?? event?.data) : undefined;
  return error === undefined ? undefined : toAnswerError(error, scope);
}

/** vLLM and Anthropic's gateways put the error's fields at the top. */
const isErrorObject = (chunk: JsonObject): boolean =>
  chunk["object"] === "error" || chunk["type"] === "error";

/** OpenRouter puts a failure into the choice, beside the finish reason `error`. */
function errorOfChoice({ choices }: JsonObject): Json | undefined {
  const choice = Array.isArray(choices) ? choices[0] : undefined;
  if (!isJsonObject(choice)) {
    return undefined;
  }
  return (
    choice["error"] ??
    (choice["finish_reason"] === "error" ? "the model stopped with an error" : undefined)
  );
}

function unreadable(text: string, { what, secrets }: AnswerScope): ModelError {
  const said = providerMessage(text, secrets).slice(0, 300) || "nothing";
  return invalid(
    `The answer of ${what} is no chat completion: ${said}\nCheck that the base URL is that of an OpenAI-compatible API; it often ends in /v1.`,
    false,
  );
}

const invalid = (message: string, retryable: boolean): ModelError =>
  new ModelError(message, { code: "model-invalid-response", retryable });
