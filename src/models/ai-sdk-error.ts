import { systemClock } from "../base/clock.ts";
import { DragomanError, messageOf } from "../base/dragoman-error.ts";
import { ModelError } from "../model/model-error.ts";
import { toStatusError } from "./provider-error.ts";
import { providerMessage } from "./provider-message.ts";

/** The ModelError for what an AI SDK model threw; ours stay as they are. */
export function toAiSdkError(thrown: unknown, what: string): unknown {
  if (DragomanError.is(thrown)) {
    return thrown;
  }
  // All that is read of an APICallError; whatever else it is, they are absent there.
  const { statusCode, responseHeaders, responseBody, isRetryable, name } = (thrown ?? {}) as {
    readonly [field: string]: unknown;
  };
  if (typeof statusCode === "number" && statusCode > 299) {
    const body = typeof responseBody === "string" ? responseBody : messageOf(thrown);
    const headers = (responseHeaders ?? {}) as Readonly<Record<string, string>>; // as AI SDK has it
    const answer = { status: statusCode, headers, body };
    return toStatusError(answer, { what, secrets: [] }, systemClock.now());
  }
  const said = providerMessage(JSON.stringify({ message: messageOf(thrown) }), []);
  const isUnreadable = /TypeValidation|JSONParse|NoContent|EmptyResponse|InvalidResponse/.test(
    `${name}`,
  );
  if (isUnreadable || typeof statusCode === "number") {
    return new ModelError(`The answer of ${what} cannot be read: ${said}`, {
      code: "model-invalid-response",
      cause: thrown,
    });
  }
  const isNetwork = isRetryable === true || /fetch failed|terminated|socket|ECONN/i.test(said);
  return new ModelError(`The call of ${what} failed: ${said}`, {
    code: isNetwork ? "model-unreachable" : "model-unavailable",
    retryable: isNetwork,
    cause: thrown,
  });
}
