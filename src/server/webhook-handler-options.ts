import type { RunInput } from "../agent/run-input.ts";
import type { RunOptions } from "../agent/run-options.ts";
import type { RunRecord, RunStore } from "../agent/run-store.ts";
import type { SessionStore } from "../agent/session-store.ts";
import type { Clock } from "../base/clock.ts";
import type { Json } from "../base/json.ts";
import type { Logger } from "../base/logger.ts";
import type { SecretValue } from "../base/secret-value.ts";
import type { Executor } from "../durable/executor.ts";
import type { WebhookHttpOptions } from "../tools/send-webhook.ts";
import type { WebhookVerifier } from "./webhook-verifier.ts";

/** A delivery that was verified and read. */
export interface ReceivedWebhook {
  /** The webhook's name. */
  readonly name: string;
  /** What the delivery is known by. */
  readonly id: string;
  /**
   * What was sent. The sender is who they claim to be, but what they pass on may be anybody's words: put
   * it into the input only, by `fencedPayload`, never into instructions.
   */
  readonly payload: Json;
  /** Headers are not signed. */
  readonly headers: Headers;
  /** Milliseconds since the Unix epoch. */
  readonly receivedAtMs: number;
}

/** The run that a delivery starts. */
export interface WebhookRun extends Omit<RunOptions, "signal" | "store" | "session" | "trace"> {
  readonly input: RunInput;
  /** Id of the conversation that it goes on with. Default: none. */
  readonly session?: string;
}

/** Where results go. */
export interface RunCallback {
  readonly url: string | URL;
  /** What messages are signed with, as that of `webhookTool`; several sign each message. */
  readonly secret: SecretValue | readonly SecretValue[];
  /** Default false: only `https:`. */
  readonly allowInsecureHttp?: boolean;
  /** Address guard (default: public addresses only), times, tries (default: 8 within about two minutes). */
  readonly http?: WebhookHttpOptions;
}

/** How much a webhook takes. */
export interface WebhookLimits {
  /** Bytes of a body. Default 1 MiB. */
  readonly maxBytes?: number;
  /** How long a body may take to come, in milliseconds. Default 10 000. */
  readonly bodyTimeoutMs?: number;
  /** Deliveries that are read and verified at once; more are answered with 503. Default 256. */
  readonly maxRequests?: number;
  /** Runs that are executed at once; others wait for their turn. Default 16. Not where an executor is given. */
  readonly concurrency?: number;
  /** Runs that have not ended and wait for nobody; with more, deliveries are answered with 503. Default 1000. */
  readonly maxUnfinished?: number;
  /** Deliveries that are remembered besides the runs that are kept. Default 10 000. */
  readonly maxRemembered?: number;
}

/** What a webhook does. */
export interface WebhookOptions {
  /** Who may send: one of the verifiers, or a function. There is no webhook without. */
  readonly verify: WebhookVerifier;
  /**
   * The run that a delivery starts; `null` for none; a `Response` is sent as it is. Default: the agent is
   * asked `fencedPayload`, for nobody in particular.
   *
   * What is not plain data (`context`, `model`, `tools`) does not outlive the process: see `recover` of a
   * server and `resumeWith` of an executor.
   */
  readonly toRun?: (
    delivery: ReceivedWebhook,
  ) => WebhookRun | Response | null | Promise<WebhookRun | Response | null>;
  /** What bodies may be: JSON, or forms as well, whose payload is an object of texts. Default `["json"]`. */
  readonly accept?: readonly ("json" | "form")[];
  /**
   * How long to wait for the end of the run, in milliseconds, so that the answer has its result. Senders
   * give up within a few seconds. Default 0.
   */
  readonly waitMs?: number;
  /** Who is told how runs end, and that they wait for somebody; a function decides for each. */
  readonly callback?:
    | RunCallback
    | ((run: RunRecord) => RunCallback | undefined | Promise<RunCallback | undefined>);
  readonly limits?: WebhookLimits;
}

/** How {@link WebhookOptions} are served at an address of their own. */
export interface WebhookHandlerOptions extends WebhookOptions {
  /**
   * 1 to 64 characters of `A-Z a-z 0-9 _ -`, and no other webhook's of the application: ids of runs begin
   * with it. Default: the agent's name.
   */
  readonly name?: string;
  /** Where runs are kept. Default: the configured store, else in memory, the last thousand. */
  readonly runs?: RunStore;
  /**
   * What carries the runs to their end, whatever happens to this process; it must be of the store `runs`.
   * Default: one of the handler's own, which leaves to others what it has not ended.
   */
  readonly executor?: Executor;
  /** Where conversations are kept. Default: the configured store. */
  readonly sessions?: SessionStore;
  /** Where a run can be looked at, for the answer's `location`. */
  readonly statusUrl?: (runId: string) => string;
  /** Default: the configured one. */
  readonly logger?: Logger;
  /** Default: the configured one. */
  readonly clock?: Clock;
}
