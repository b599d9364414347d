import { type Json, parseJson } from "../base/json.ts";
import { ToolError } from "../base/tool-error.ts";

/** The answer to a request of an `HttpClient`, read whole. */
export class HttpClientResponse {
  readonly status: number;
  /** By lower-case name; repeated ones are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly #bytes: Uint8Array;
  #text: string | undefined;

  constructor(status: number, headers: Readonly<Record<string, string>>, bytes: Uint8Array) {
    this.status = status;
    this.headers = headers;
    this.#bytes = bytes;
  }

  /** The body as text (UTF-8, malformed bytes replaced). Empty for HEAD. */
  get body(): string {
    this.#text ??= new TextDecoder().decode(this.#bytes);
    return this.#text;
  }

  /** The body as bytes. */
  bytes(): Uint8Array {
    return this.#bytes;
  }

  /**
   * The body as JSON.
   *
   * @throws ToolError where it is not JSON; its message does not quote the body.
   */
  json(): Json {
    const value = parseJson(this.body);
    if (value === undefined) {
      const type = this.headers["content-type"] ?? "no content type";
      throw new ToolError(
        `The answer (status ${this.status}, ${type}, ${this.#bytes.length} bytes) is not JSON.`,
      );
    }
    return value;
  }
}
