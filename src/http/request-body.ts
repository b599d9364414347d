import { ToolError } from "../base/tool-error.ts";
import type { HttpBody } from "./http-request.ts";

/**
 * What a request of an `HttpClient` can be sent with. Text, bytes and streams go as they are, forms
 * in their own encoding; any other object is sent as JSON.
 */
export type HttpClientBody = HttpBody | URLSearchParams | FormData | object;

/** A body as it is sent. */
export interface EncodedBody {
  readonly body?: HttpBody;
  /** What it is, where that follows from the body. */
  readonly contentType?: string;
}

/**
 * Encodes a body.
 *
 * @throws ToolError where the object cannot be written as JSON.
 */
export async function encodeBody(body: HttpClientBody | undefined): Promise<EncodedBody> {
  if (body === undefined) {
    return {};
  }
  if (typeof body === "string" || body instanceof Uint8Array || isStream(body)) {
    return { body };
  }
  if (body instanceof URLSearchParams) {
    return {
      body: body.toString(),
      contentType: "application/x-www-form-urlencoded; charset=utf-8",
    };
  }
  if (body instanceof ArrayBuffer) {
    return { body: new Uint8Array(body) };
  }
  if (body instanceof Blob) {
    return { body: body.stream(), ...(body.type === "" ? {} : { contentType: body.type }) };
  }
  // Node loads its fetch, and with it these classes, when one is first named.
  if (Object.prototype.toString.call(body) === "[object FormData]") {
    const encoded = new Response(body as FormData); // just checked
    return {
      body: new Uint8Array(await encoded.arrayBuffer()),
      contentType: encoded.headers.get("content-type") ?? "multipart/form-data",
    };
  }
  return { body: toJsonText(body), contentType: "application/json; charset=utf-8" };
}

function toJsonText(body: object): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(body);
  } catch (cause) {
    throw new ToolError(
      "The body of the request cannot be written as JSON. Give plain data without cycles and bigints.",
      { cause },
    );
  }
  if (text === undefined) {
    throw new ToolError("The body of the request is a function, which cannot be written as JSON.");
  }
  return text;
}

const isStream = (body: object): body is AsyncIterable<Uint8Array> => Symbol.asyncIterator in body;
