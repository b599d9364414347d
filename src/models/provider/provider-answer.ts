import { systemClock } from "../../base/clock.ts";
import { isJsonObject, type Json, type JsonObject, parseJson } from "../../base/json.ts";
import { ToolError } from "../../base/tool-error.ts";
import type { HttpResponse } from "../../http/http-response.ts";
import { readServerSentEvents } from "../../http/server-sent-events.ts";
import { ModelError } from "../../model/model-error.ts";
import type { ModelEvent } from "../../model/model-event.ts";
import { type ProviderScope, toAnswerError } from "./provider-error.ts";
import { providerMessage } from "./provider-message.ts";
import type { AnswerPiece } from "./read-lines.ts";
import { readLines } from "./read-lines.ts";

/** Makes model events of the objects of one answer. Synchronous. */
export interface AnswerAssembly {
  /** Whether any answer has come at all. */
  readonly isEmpty: boolean;
  /** Whether the provider has said why the model stopped: nothing of the answer is missing then. */
  readonly isFinished: boolean;
  /** Whether the provider has said that nothing follows. */
  readonly isLast: boolean;
  /** The events that follow from one object of the stream, or from an answer that came whole. */
  accept(chunk: JsonObject): readonly ModelEvent[];
  /** Closes what is open and finishes. */
  end(): readonly ModelEvent[];
}

/** How a provider writes its answers. */
export interface AnswerProtocol {
  /** The content type of a stream: server-sent events, or one JSON object on each line. */
  readonly streamType: "text/event-stream" | "application/x-ndjson";
  /** The data that says that nothing follows, where that is no object. */
  readonly endMark?: string;
  /** What an answer is called, and what to check where one cannot be read. */
  readonly answerName: string;
  readonly advice: string;
  readonly createAssembly: () => AnswerAssembly;
  /** The failure that comes in the place of (more of) an answer, if it is one. */
  readonly failureIn: (chunk: Json | undefined, piece: AnswerPiece) => Json | undefined;
}

/** What is read of a response. */
export type AnswerResponse = Pick<HttpResponse, "headers" | "body" | "text" | "cancel">;

/**
 * Reads an answer of success, streamed or whole: its content type decides, and where that says nothing
 * what was asked for. Each batch holds the events that follow from what has come at once, so that a
 * fast stream does not cost this layer a promise for each token.
 *
 * @throws ModelError where the provider reports a failure, or the answer is not whole; what reading
 *   the body throws.
 */
export function readAnswer(
  response: AnswerResponse,
  protocol: AnswerProtocol,
  wantsStream: boolean,
  scope: ProviderScope,
): AsyncGenerator<readonly ModelEvent[], void, undefined> {
  const type = response.headers["content-type"]?.toLowerCase() ?? "";
  const isStream =
    /event-stream|ndjson|jsonl/.test(type) || (wantsStream && !/json|html/.test(type));
  const reader = new AnswerReader(protocol, scope);
  return isStream ? reader.readStream(response) : reader.readWhole(response);
}

/** How long the end of a body may come after the end of the answer, in milliseconds. */
const endOfBodyMs = 250;

interface AcceptedBatch {
  readonly events: readonly ModelEvent[];
  /** What ended the answer after these events. */
  readonly failure?: ModelError | undefined;
  /** Whether the server has said that nothing follows. */
  readonly isLast?: boolean;
}

class AnswerReader {
  readonly #protocol: AnswerProtocol;
  readonly #scope: ProviderScope;
  readonly #assembly: AnswerAssembly;

  constructor(protocol: AnswerProtocol, scope: ProviderScope) {
    this.#protocol = protocol;
    this.#scope = scope;
    this.#assembly = protocol.createAssembly();
  }

  async *readStream(
    response: AnswerResponse,
  ): AsyncGenerator<readonly ModelEvent[], void, undefined> {
    let isDone = false;
    let stopWaiting = (): void => {};
    try {
      for await (const batch of this.#pieces(response)) {
        const { events, failure, isLast } = isDone ? noEvents : this.#acceptBatch(batch);
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
      const isHarmless = ToolError.is(error) && (isDone || this.#assembly.isFinished);
      if (!isHarmless) {
        throw error;
      }
    } finally {
      stopWaiting();
    }
    yield this.#end(isDone);
  }

  /** The events that end a stream, provided that it has not just broken off. */
  #end(isDone: boolean): readonly ModelEvent[] {
    if (this.#assembly.isEmpty || !(isDone || this.#assembly.isFinished)) {
      const message = `The answer of ${this.#scope.what} ended before the model had finished.`;
      throw invalid(message, true);
    }
    return this.#assembly.end();
  }

  async *readWhole(
    response: AnswerResponse,
  ): AsyncGenerator<readonly ModelEvent[], void, undefined> {
    const text = await response.text();
    const body = parseJson(text);
    const failure = this.#failureIn(body, { data: text, event: "" });
    if (failure !== undefined) {
      throw failure;
    }
    const chunks = [body].flat().filter(isJsonObject);
    const events = chunks.flatMap((chunk) => this.#assembly.accept(chunk));
    if (this.#assembly.isEmpty) {
      throw this.#unreadable(text);
    }
    yield events;
    yield this.#assembly.end();
  }

  #pieces({ body }: AnswerResponse): AsyncIterable<readonly AnswerPiece[]> {
    return this.#protocol.streamType === "text/event-stream"
      ? readServerSentEvents(body)
      : readLines(body);
  }

  #acceptBatch(batch: readonly AnswerPiece[]): AcceptedBatch {
    const events: ModelEvent[] = [];
    for (const piece of batch) {
      const { data } = piece;
      if (data === this.#protocol.endMark) {
        return { events, isLast: true };
      }
      if (data.trim() !== "") {
        const chunk = parseJson(data);
        const failure = this.#failureIn(chunk, piece);
        if (failure !== undefined || !isJsonObject(chunk)) {
          return { events, failure: failure ?? this.#unreadable(data) };
        }
        events.push(...this.#assembly.accept(chunk));
        if (this.#assembly.isLast) {
          return { events, isLast: true };
        }
      }
    }
    return { events };
  }

  #failureIn(chunk: Json | undefined, piece: AnswerPiece): ModelError | undefined {
    const error = this.#protocol.failureIn(chunk, piece);
    return error === undefined || error === null ? undefined : toAnswerError(error, this.#scope);
  }

  #unreadable(text: string): ModelError {
    const { what, secrets } = this.#scope;
    const { answerName, advice } = this.#protocol;
    const said = providerMessage(text, secrets).slice(0, 300) || "nothing";
    return invalid(`The answer of ${what} is no ${answerName}: ${said}\n${advice}`, false);
  }
}

const noEvents: AcceptedBatch = { events: [] };

const invalid = (message: string, retryable: boolean): ModelError =>
  new ModelError(message, { code: "model-invalid-response", retryable });
