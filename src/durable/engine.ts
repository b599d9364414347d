import type { TraceContext } from "../base/trace-context.ts";

/** What an engine keeps of a run: which one it is, and why it is to go on. No word that anybody said. */
export type RunMessage = {
  readonly app: string;
  readonly runId: string;
  /** Sequence number of the last event that was kept when the message was written. */
  readonly stand: number;
  /** `go`: it was accepted, decided or left behind. `expiry`: the time to decide is over. */
  readonly because: "go" | "expiry";
  /** Tells it from others of the same stand, where somebody has expressly asked for one more. */
  readonly token?: string;
};

/** How a run stands after it was executed: what the engine's journal keeps of an execution. */
export type Standing =
  /** Nothing is left to do: it has ended, is gone, or somebody else executes it. */
  | { readonly kind: "settled" }
  /** It waits for somebody, until `expiresAt` if that is there, in milliseconds since the Unix epoch. */
  | { readonly kind: "waiting"; readonly stand: number; readonly expiresAt?: number }
  /** It could not be carried on now; `code` says why. */
  | { readonly kind: "again"; readonly code: string };

/** Durable execution that somebody else has made: it sees to it that a message is worked on to its end. */
export interface Engine {
  /**
   * Resolves when the engine has kept the message. The same message twice is worked on once.
   *
   * @throws RunError `engine-unavailable`.
   */
  deliver(message: RunMessage, trace?: TraceContext): Promise<void>;
}

/** What is the same for equal messages. */
export const messageId = ({ runId, stand, because, token }: RunMessage): string =>
  [`${runId}@${stand}`, ...(because === "go" ? [] : [because]), ...(token ? [token] : [])].join(
    ":",
  );

/** How long an engine waits before it tries again to carry a run on, in milliseconds. */
export const retryMs = { first: 1_000, longest: 60_000, factor: 2 } as const;
