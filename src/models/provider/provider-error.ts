import { isJsonObject, type Json, parseJson } from "../../base/json.ts";
import { ToolError } from "../../base/tool-error.ts";
import { ModelError, type ModelErrorCode } from "../../model/model-error.ts";
import type { ProviderAdvice } from "./provider-advice.ts";
import { errorIn, providerMessage } from "./provider-message.ts";
import { retryAfterMsOf } from "./retry-after.ts";

/** Whose failure it is. */
export interface ProviderScope {
  /** Names the model and where it is: `model "openai:gpt-5" at https://api.openai.com`. */
  readonly what: string;
  /** What may stand in no message. */
  readonly secrets: readonly string[];
  /** Default: what holds for any provider. */
  readonly advice?: ProviderAdvice;
}

/** An answer with a status that is not of success. */
export interface StatusAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The start of the body, at least. */
  readonly body: string;
}

/** What a status means. */
interface Verdict {
  readonly code: ModelErrorCode;
  readonly retryable: boolean;
  /** What the provider did. */
  readonly did: string;
  /** What to do about it, whoever the provider is. */
  readonly advice?: string;
}

/**
 * The error for an HTTP status. A provider's word on whether to try again
 * (`x-should-retry`) counts for more than the status.
 *
 * @param now milliseconds since the epoch, for dates in headers.
 */
export function toStatusError(
  answer: StatusAnswer,
  { what, secrets, advice = anyAdvice }: ProviderScope,
  now: number,
): ModelError {
  const { status, headers, body } = answer;
  const error = errorIn(parseJson(body));
  const verdict = verdictOn(status, error);
  const { code, retryable, did } = verdict;
  const retryAfterMs = retryAfterMsOf({ status, headers, error }, now);
  const said = providerMessage(body, secrets);
  const why = said === "" ? " without saying why." : `: ${closed(said)}`;
  return new ModelError(
    capital(`${what} ${did} (HTTP ${status})${why}${after(verdict.advice ?? advice[code])}`),
    {
      code,
      status,
      retryable:
        headers["x-should-retry"] === undefined ? retryable : headers["x-should-retry"] === "true",
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    },
  );
}

/** The error for an error object in an answer that began with a status of success. */
export function toAnswerError(
  error: Json,
  { what, secrets, advice = anyAdvice }: ProviderScope,
): ModelError {
  const status = statusIn(error);
  const verdict = status === undefined ? verdictOnWords(error) : verdictOn(status, error);
  const said = providerMessage(JSON.stringify({ error }), secrets);
  const next = after(verdict.advice ?? advice[verdict.code]);
  return new ModelError(capital(`${what} answered with an error: ${closed(said)}${next}`), {
    code: verdict.code,
    retryable: verdict.retryable,
    ...(status === undefined ? {} : { status }),
  });
}

/** The error for what the HTTP client threw; anything that is no failure of the way stays as it is. */
export function toTransportError(
  thrown: unknown,
  { what, advice = anyAdvice }: ProviderScope,
): unknown {
  if (!ToolError.is(thrown)) {
    return thrown;
  }
  const { code, retryable } = transportVerdict(thrown);
  // The client's messages show no secrets of the URL and no headers.
  // A certificate is not the way, and the client has said what to do about it.
  const next = thrown.code === "tool-network" ? advice[code] : undefined;
  return new ModelError(capital(`${what} could not be used: ${thrown.message}${after(next)}`), {
    code,
    retryable,
    cause: thrown,
  });
}

function transportVerdict(error: ToolError): Pick<Verdict, "code" | "retryable"> {
  switch (error.code) {
    case "tool-timeout":
      return { code: "model-timeout", retryable: true };
    case "tool-network":
      return { code: "model-unreachable", retryable: true };
    case "tool-certificate":
      return { code: "model-unreachable", retryable: false };
    case "tool-response-too-large":
      return { code: "model-invalid-response", retryable: false };
    default:
      return { code: "model-unreachable", retryable: false };
  }
}

function verdictOn(status: number, error: Json | undefined): Verdict {
  if (status === 401 || status === 403 || isBadKey(error)) {
    return unauthorized;
  }
  if (status === 429 || status === 402) {
    return status === 402 || isQuotaSpent(error) ? quotaSpent : rateLimited;
  }
  if (status === 408) {
    return { code: "model-timeout", retryable: true, did: "gave up waiting" };
  }
  if (status >= 500 || status === 409 || status === 425) {
    return { code: "model-unavailable", retryable: status !== 501, did: "failed" };
  }
  if (status < 400) {
    const advice = "Give the base URL that the provider documents; it often ends in /v1.";
    return { code: "model-refused", retryable: false, did: "did not answer the request", advice };
  }
  return status === 404 ? notFound : refused;
}

const unauthorized: Verdict = {
  code: "model-unauthorized",
  retryable: false,
  did: "refused the credential",
};
const rateLimited: Verdict = {
  code: "model-rate-limited",
  retryable: true,
  did: "takes no more requests for now",
  advice:
    "Send fewer requests at once, wait, or name models that take over in fallbackModels of the agent.",
};
const quotaSpent: Verdict = {
  code: "model-rate-limited",
  retryable: false,
  did: "says that the quota is spent",
  advice: "Look at plan and billing of its account, or use another model.",
};
const notFound: Verdict = {
  code: "model-not-found",
  retryable: false,
  did: "was not found",
};
const refused: Verdict = {
  code: "model-refused",
  retryable: false,
  did: "refused the request",
};
const unavailable: Verdict = { code: "model-unavailable", retryable: true, did: "failed" };

/** An error in a stream names its kind in words, if at all. */
function verdictOnWords(error: Json): Verdict {
  const words = wordsIn(error);
  if (isQuotaSpent(error)) {
    return quotaSpent;
  }
  if (/rate.?limit|too.?many/.test(words)) {
    return rateLimited;
  }
  if (/authentication|api.?key|permission|unauthori[sz]ed/.test(words)) {
    return unauthorized;
  }
  if (/not.?found/.test(words)) {
    return notFound;
  }
  return /invalid.?request|badrequest|context.?length|too.?large/.test(words)
    ? refused
    : unavailable;
}

/** An HTTP status that stands in an error object as its code. */
function statusIn(error: Json): number | undefined {
  const given = isJsonObject(error) ? (error["code"] ?? error["status"]) : undefined;
  const status = typeof given === "string" && /^\d{3}$/.test(given) ? Number(given) : given;
  return typeof status === "number" && status >= 400 && status < 600 ? status : undefined;
}

/** Google answers 400 for a wrong key. */
const isBadKey = (error: Json | undefined): boolean =>
  isJsonObject(error) && JSON.stringify(error["details"] ?? "").includes('"API_KEY_INVALID"');

const isQuotaSpent = (error: Json | undefined): boolean =>
  /insufficient.?(?:quota|credit|balance|funds)|billing|credit balance/.test(wordsIn(error));

function wordsIn(error: Json | undefined): string {
  const { code, type } = isJsonObject(error) ? error : {};
  return `${typeof code === "string" ? code : ""} ${typeof type === "string" ? type : ""}`.toLowerCase();
}

const after = (advice: string | undefined): string => (advice === undefined ? "" : ` ${advice}`);

/** Of a model of whose place nothing is known. */
const anyAdvice: ProviderAdvice = {
  "model-unauthorized": "Check the API key, and that it may use this model.",
  "model-not-found": "Check the name of the model.",
};

const closed = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
