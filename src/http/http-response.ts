/**
 * The answer to a request. Its body is there once: read it whole, or iterate it, or cancel it.
 * Everything that reads it throws what `sendHttpRequest` does, `tool-response-too-large`, or the
 * reason of the request's signal.
 */
export interface HttpResponse {
  readonly status: number;
  /**
   * By lower-case name; repeated ones are joined by a comma. Without `content-encoding` and
   * `content-length` where the body has been decompressed.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as it comes, decompressed. Leaving the loop closes the connection. */
  readonly body: AsyncIterable<Uint8Array>;
  /** The whole body; the same promise each time. */
  bytes(): Promise<Uint8Array>;
  /** The whole body as UTF-8. */
  text(): Promise<string>;
  /** Gives up the body: closes the connection, unless all of it has been read. */
  cancel(): void;
}
