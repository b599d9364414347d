/** A request that claims to come from somebody, before anything of it is believed. */
export interface WebhookDelivery {
  readonly headers: Headers;
  /** The body byte for byte, which is what signatures are about. */
  readonly body: Uint8Array;
  /** As it was asked for. */
  readonly url: string;
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** A delivery that is what it claims to be. */
export interface VerifiedWebhook {
  /**
   * What it is known by: the same whenever the sender delivers the same event again, another for every
   * other event. It must be part of what was signed, or a copy under another id would count as new.
   */
  readonly id: string;
}

/** A delivery that is not believed. */
export interface RefusedWebhook {
  /** Why, for the log; the sender is not told. */
  readonly refused: string;
}

/**
 * Finds out whether a delivery comes from whom it claims to. It compares in constant time, and looks at
 * the raw body. `undefined` refuses without a reason; what it throws is answered with 500.
 */
export type WebhookVerifier = (
  delivery: WebhookDelivery,
) =>
  | VerifiedWebhook
  | RefusedWebhook
  | undefined
  | Promise<VerifiedWebhook | RefusedWebhook | undefined>;
