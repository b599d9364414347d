import {
  brandError,
  DragomanError,
  type DragomanErrorOptions,
  hasErrorBrand,
} from "../base/dragoman-error.ts";

/** Codes of {@link Refusal}. */
export type RefusalCode =
  | "unauthorized"
  /** The thread is another caller's. */
  | "forbidden"
  /** There is no such thing, or it is not this caller's. */
  | "not-found"
  | "method-not-allowed"
  /** The body is of another type than JSON. */
  | "unsupported-type"
  /** The body is larger than this endpoint takes. */
  | "too-large"
  /** The body did not come in its time. */
  | "too-slow"
  /** The body broke off, or is no JSON of the form that the protocol has. */
  | "invalid-input"
  /** The input has neither something new to say nor something to go on with. */
  | "nothing-asked"
  /** `Host` is a name that the server does not go by. */
  | "host-refused"
  /** The request comes from a page of another site. */
  | "origin-refused"
  /** What is asked for does not fit how things stand: a run that has ended, say. */
  | "conflict"
  /** The caller asks too often, or has too many requests open. */
  | "too-many-requests"
  /** The server has too much to do, is shutting down, or its store is away. */
  | "unavailable"
  | "internal-error";

/** What a refusal is made of. */
export interface RefusalOptions extends DragomanErrorOptions<RefusalCode> {
  /** The HTTP status. */
  readonly status: number;
  /** Headers to send besides those that every refusal has. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Why a request gets no stream: thrown while it is looked at, and sent as JSON. */
export class Refusal extends DragomanError<RefusalCode> {
  static {
    brandError(Refusal, "Refusal");
  }

  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(message: string, options: RefusalOptions) {
    super(message, options);
    this.status = options.status;
    this.headers = options.headers ?? {};
  }

  static override is(value: unknown): value is Refusal {
    return hasErrorBrand(value, "Refusal");
  }

  toResponse(): Response {
    const { status, code, message } = this;
    const headers = { "content-type": "application/json", "cache-control": "no-store" };
    // What is left of a body that is too large is not read.
    const close = status === 413 ? { connection: "close" } : {};
    const body = JSON.stringify({ error: { code, message } });
    return new Response(body, { status, headers: { ...headers, ...close, ...this.headers } });
  }
}

/** @returns a refusal of what the caller sent. */
export const invalidInput = (message: string, cause?: unknown): Refusal =>
  new Refusal(message, { status: 400, code: "invalid-input", cause });
