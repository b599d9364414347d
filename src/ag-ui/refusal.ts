/** Why a request gets no stream: thrown while it is looked at, and sent as JSON. */
export class Refusal extends Error {
  readonly status: number;
  /** Stable and kebab-case. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = "Refusal";
    this.status = status;
    this.code = code;
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
