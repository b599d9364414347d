const invalidParams = -32_602;

/** A request of the server's that is not granted; `message` is what the server is told. */
export class RefusedRequest extends Error {
  /** The code of JSON-RPC. */
  readonly code: number;

  constructor(message: string, code: number = invalidParams) {
    super(message);
    this.code = code;
  }
}
