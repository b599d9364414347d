import type { CallScope } from "../base/call-scope.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { messageOf } from "../base/dragoman-error.ts";
import { sha256 } from "../base/sha256.ts";
import { ToolError, ToolHttpError } from "../base/tool-error.ts";
import { AddressGuard } from "../http/address-guard.ts";
import type { HttpClient } from "../http/http-client.ts";
import { httpClientFor } from "../http/http-client-for.ts";
import type { HttpOptions } from "../http/http-options.ts";
import type { HttpResponse } from "../http/http-response.ts";
import { pause, type RetryOptions, retryDelayMs } from "../http/retry.ts";
import { signWebhook } from "./sign-webhook.ts";

/** How webhooks are sent: times, certificates, the address guard, further tries. */
export type WebhookHttpOptions = Omit<HttpOptions, "maxRedirects" | "credentialOrigins" | "proxy">;

/** One message and where it goes. */
export interface OutgoingWebhook {
  readonly url: URL;
  /** What tells this message from all others, the same for each try; see {@link webhookIdOf}. */
  readonly id: string;
  /** JSON. */
  readonly body: string;
  /** What it is signed with; none for a receiver that checks no signatures. */
  readonly keys: readonly Uint8Array[];
  /** Besides those of Standard Webhooks. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly http?: WebhookHttpOptions;
  /** Whether the start of the answer is wanted. */
  readonly readsAnswer?: boolean;
}

/** A message that was taken. */
export interface DeliveredWebhook {
  readonly id: string;
  readonly status: number;
  /** How often it was sent, the last time included. */
  readonly attempts: number;
  /** The start of the answer, where it was wanted. */
  readonly answer?: string;
}

/** Tries, and the waits between them. */
const defaultRetry: RetryOptions = { attempts: 3, delayMs: 500, maxDelayMs: 10_000 };

/** No more of an answer is read. */
const mostAnswerBytes = 8_192;

/**
 * Posts JSON, signed by Standard Webhooks, until it is taken (status 200 to 299) or there is no use in
 * trying again. Public addresses only, unless the guard says otherwise; redirects are not followed, since
 * whoever a message was meant for is in the URL.
 *
 * @throws ToolError that names the receiver by its origin only: paths of such URLs are often secrets.
 *   `tool-address-refused` where it may not go; the scope's signal's reason.
 */
export async function sendWebhook(
  webhook: OutgoingWebhook,
  scope: CallScope,
): Promise<DeliveredWebhook> {
  const { url, id, http = {} } = webhook;
  const { retry = defaultRetry, clock = systemClock, guard = publicAddresses, ...options } = http;
  const client = httpClientFor(withoutBaggage(scope), {
    baseUrl: url,
    options: { ...options, guard, clock, maxRedirects: 0 },
  });
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await post(client, webhook, clock);
      const answer = await answerOf(response, webhook.readsAnswer === true);
      return { id, status: response.status, attempts: attempt, ...answer };
    } catch (thrown) {
      scope.signal.throwIfAborted();
      const delayMs = retryDelayMs(thrown, attempt, retry, clock.now());
      if (delayMs === undefined || clock.now() + delayMs > (scope.deadline ?? Infinity)) {
        throw undelivered(thrown, url, attempt);
      }
      await pause(clock, delayMs, scope.signal);
    }
  }
}

/**
 * The id of the message that a piece of work sends: the same whenever that work is done again, so that a
 * receiver can tell.
 *
 * @param key such as a tool call's `idempotencyKey`.
 */
export async function webhookIdOf(key: string): Promise<string> {
  return `msg_${(await sha256(new TextEncoder().encode(key))).slice(0, 32)}`;
}

const publicAddresses = new AddressGuard();

/** Each try has a time and a signature of its own. */
async function post(
  client: HttpClient,
  { url, id, body, keys, headers = {} }: OutgoingWebhook,
  clock: Clock,
): Promise<HttpResponse> {
  const timestamp = String(Math.floor(clock.now() / 1_000));
  const signature = signWebhook({ id, timestamp, body }, keys);
  const response = await client.stream("POST", url, {
    body,
    headers: {
      ...headers,
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      ...(keys.length === 0 ? {} : { "webhook-signature": signature }),
    },
  });
  if (response.status >= 300) {
    response.cancel();
    throw new ToolHttpError(`It answered ${response.status}, a redirect.`, {
      status: response.status,
      headers: response.headers,
      body: "",
    });
  }
  return response;
}

/** What was taken stays taken, whatever becomes of the rest of the answer. */
async function answerOf(
  response: HttpResponse,
  isWanted: boolean,
): Promise<{ readonly answer?: string }> {
  if (!isWanted) {
    response.cancel();
    return {};
  }
  const decoder = new TextDecoder();
  let answer = "";
  let size = 0;
  try {
    for await (const chunk of response.body) {
      answer += decoder.decode(chunk.subarray(0, mostAnswerBytes - size), { stream: true });
      size += chunk.length;
      if (size >= mostAnswerBytes) {
        break;
      }
    }
  } catch {
    // What came before stands.
  }
  return { answer };
}

function undelivered(thrown: unknown, { origin }: URL, attempts: number): ToolError {
  const tries = attempts === 1 ? "" : ` after ${attempts} tries`;
  if (ToolHttpError.is(thrown)) {
    const { status } = thrown.response;
    const message = `The webhook at ${origin} was not taken${tries}: status ${status}${adviceFor(status)}`;
    return new ToolError(message, { data: { status, attempts }, cause: thrown });
  }
  if (!ToolError.is(thrown)) {
    return new ToolError(`The webhook at ${origin} could not be sent: ${messageOf(thrown)}`, {
      cause: thrown,
    });
  }
  const { code } = thrown;
  if (code === "tool-address-refused") {
    const message = `The webhook may not be sent to ${origin}: the address is not public, or not on the list of what may be asked.`;
    return new ToolError(message, { code, cause: thrown });
  }
  // Not the code: whoever calls tools would begin anew, and all tries were made here.
  const reason = reasons[code] ?? "the request failed";
  const message = `The webhook at ${origin} was not taken${tries}: ${reason}.`;
  return new ToolError(message, { data: { reason: code, attempts }, cause: thrown });
}

const reasons: Readonly<Record<string, string>> = {
  "tool-network": "no connection, or it broke",
  "tool-timeout": "it did not answer in time",
  "tool-certificate": "its certificate is not to be trusted",
};

function adviceFor(status: number): string {
  if (status < 400) {
    return ", a redirect, which is not followed. Send to the final URL.";
  }
  if (status === 410) {
    return ": the receiver wants no more of these.";
  }
  return status === 401 || status === 403 ? ": it does not accept the sender." : ".";
}

/** What the application has attached to a trace may name its users: no stranger gets that. */
function withoutBaggage({ traceHeaders = {}, ...scope }: CallScope): CallScope {
  const { baggage: _, ...headers } = traceHeaders;
  return { ...scope, traceHeaders: headers };
}
