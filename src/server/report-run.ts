import type { RunRecord } from "../agent/run-store.ts";
import type { Clock } from "../base/clock.ts";
import type { JsonObject } from "../base/json.ts";
import { Secret } from "../base/secret.ts";
import { resolveSecret, type SecretValue } from "../base/secret-value.ts";
import type { RetryOptions } from "../http/retry.ts";
import { type DeliveredWebhook, sendWebhook, webhookIdOf } from "../tools/send-webhook.ts";
import { toDestination } from "../tools/webhook-destination.ts";
import { toWebhookKey } from "../tools/webhook-key.ts";
import type { RunCallback } from "./webhook-handler-options.ts";

/** Nobody waits for it, so that there is time. */
const defaultRetry: RetryOptions = { attempts: 8, delayMs: 1_000, maxDelayMs: 60_000 };

/**
 * Tells a callback how a run stands: `{ type, timestamp, data }`, where `type` is `run.` and its status.
 * The message's id comes of the run and of how far it has come, so that telling it twice does no harm.
 *
 * @throws ToolError where it was not taken; ConfigurationError for a secret of no use; the signal's reason.
 */
export async function reportRun(
  run: RunRecord,
  { url, secret, allowInsecureHttp = false, http = {} }: RunCallback,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Clock },
): Promise<DeliveredWebhook> {
  const values = [secret].flat() as readonly SecretValue[]; // flat loses readonly
  const who = run.actor === undefined ? {} : { actor: run.actor };
  const secrets = await Promise.all(
    values.map((value) => resolveSecret(value, { ...who, signal })),
  );
  const destination = await toDestination(url, { allowInsecureHttp });
  return sendWebhook(
    {
      url: destination,
      id: await webhookIdOf(`${run.app} ${run.id} ${run.status} ${run.sequence}`),
      body: JSON.stringify(messageOf(run)),
      keys: secrets.map(toWebhookKey),
      http: { clock, retry: defaultRetry, ...http },
    },
    { signal },
  );
}

/** @throws ConfigurationError where a callback can be seen to be of no use. */
export function checkCallback({ secret }: RunCallback): void {
  for (const value of [secret].flat() as readonly SecretValue[]) {
    if (typeof value !== "function") {
      toWebhookKey(
        typeof value === "string" || value === undefined ? new Secret(value ?? "") : value,
      );
    }
  }
}

function messageOf(run: RunRecord): JsonObject {
  const { id, agent, status, text, output, error, usage, waitingFor, updatedAt } = run;
  return {
    type: `run.${status}`,
    timestamp: new Date(updatedAt).toISOString(),
    data: {
      runId: id,
      agent,
      status,
      text,
      output,
      error: error && { code: error.code, message: error.message },
      usage: usage && { ...usage },
      ...(waitingFor.length === 0
        ? {}
        : { waitingFor: waitingFor.map(({ id: waitingId, kind }) => ({ id: waitingId, kind })) }),
    },
  };
}
