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
  /** No such run, or not this caller's. */
  | "not-found"
  | "method-not-allowed"
  /** The body is of another type than JSON. */
  | "unsupported-type"
  /** The body is larger than this endpoint takes. */
  | "too-large"
  /** The body broke off, or is no JSON of the form that the protocol has. */
  | "invalid-input"
  /** The input has neither something new to say nor something to go on with. */
  | "nothing-asked"
  | "internal-error";

/** What a refusal is made of. */
export interface RefusalOptions extends DragomanErrorOptions<RefusalCode> {
  /** The HTTP status. */
  readonly status: number;
}

/** Why a request gets no stream: thrown while it is looked at, and sent as JSON. */
export class Refusal extends DragomanError<RefusalCode> {
  static {
    brandError(Refusal, "Refusal");
  }

  readonly status: number;

  constructor(message: string, options: RefusalOptions) {
    super(message, options);
    this.status = options.status;
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
    return new Response(body, { status, headers: { ...headers, ...close } });
  }
}

/** @returns a refusal of what the caller sent. */
export const invalidInput = (message: string, cause?: unknown): Refusal =>
  new Refusal(message, { status: 400, code: "invalid-input", cause });
