import { systemClock } from "../../base/clock.ts";
import { DragomanError, messageOf } from "../../base/dragoman-error.ts";
import { ModelError } from "../../model/model-error.ts";
import { toStatusError } from "../provider/provider-error.ts";
import { providerMessage } from "../provider/provider-message.ts";

/** The ModelError for what an AI SDK model threw; ours stay as they are. */
export function toAiSdkError(thrown: unknown, what: string): unknown {
  if (DragomanError.is(thrown)) {
    return thrown;
  }
  // All that is read of an APICallError; whatever else it is, they are absent there.
  const { statusCode, responseHeaders, responseBody, name } = (thrown ?? {}) as {
    readonly [field: string]: unknown;
  };
  if (typeof statusCode === "number" && statusCode > 299) {
    const body = withoutKeys(typeof responseBody === "string" ? responseBody : messageOf(thrown));
    const headers = (responseHeaders ?? {}) as Readonly<Record<string, string>>; // as AI SDK has it
    const answer = { status: statusCode, headers, body };
    return toStatusError(answer, { what, secrets: [] }, systemClock.now());
  }
  const said = providerMessage(JSON.stringify({ message: withoutKeys(messageOf(thrown)) }), []);
  if (isNetworkFailure(thrown)) {
    return new ModelError(`The call of ${what} broke off: ${said}`, {
      code: "model-unreachable",
      retryable: true,
      cause: thrown,
    });
  }
  const isUnreadable =
    typeof statusCode === "number" ||
    /TypeValidation|JSONParse|NoContent|EmptyResponse|InvalidResponse/.test(`${name}`);
  return new ModelError(
    isUnreadable
      ? `The answer of ${what} cannot be read: ${said}`
      : `The call of ${what} failed: ${said}`,
    { code: isUnreadable ? "model-invalid-response" : "model-unavailable", cause: thrown },
  );
}

/** Whether `fetch` has failed, here or further down among the causes. */
function isNetworkFailure(thrown: unknown): boolean {
  let error = thrown;
  for (let depth = 0; depth < 5 && error instanceof Error; depth += 1) {
    if (/fetch failed|terminated|other side closed|ECONN|ENOTFOUND|UND_ERR/.test(`${error}`)) {
      return true;
    }
    error = error.cause;
  }
  return false;
}

/** The key is the provider's, which does not tell it: what looks like one is taken out. */
const withoutKeys = (text: string): string =>
  text
    .replaceAll(/\b(?:sk-[\w-]{8,}|AIza[\w-]{20,})/g, "[redacted]")
    .replaceAll(/\b(bearer\s+|key=)[^\s"'&]+/gi, "$1[redacted]");
