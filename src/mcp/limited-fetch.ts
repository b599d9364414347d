import { isJsonObject, parseJson } from "../base/json.ts";

/** The part of `fetch` that is needed here. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** What a {@link limitedFetch} refuses, and how it says so. */
export interface FetchLimits {
  /** The longest body, or event of a stream of events, in bytes. */
  readonly maxBytes: number;
  /** The error for an answer that is longer. */
  tooLong(): Error;
  /** The error for a request that was merely accepted (202), so that no answer will come. */
  notAnswered(): Error;
}

/** A `fetch` whose answers end with an error where they are too long or will never come. */
export function limitedFetch(limits: FetchLimits): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.status === 202 && isRequest(init?.body)) {
      await response.body?.cancel();
      throw limits.notAnswered();
    }
    return limited(response, limits);
  };
}

/** Whether the body is a JSON-RPC request, rather than a notification or an answer. */
function isRequest(body: unknown): boolean {
  const message = typeof body === "string" ? parseJson(body) : undefined;
  return isJsonObject(message) && message["id"] !== undefined && message["method"] !== undefined;
}

function limited(response: Response, { maxBytes, tooLong }: FetchLimits): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) {
    return response;
  }
  const isStream = headers.get("content-type")?.includes("text/event-stream") ?? false;
  let count = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      count += chunk.byteLength;
      if (count > maxBytes) {
        controller.error(tooLong());
        return;
      }
      if (isStream && endsEvent(chunk)) {
        count = 0;
      }
      controller.enqueue(chunk);
    },
  });
  return new Response(body.pipeThrough(counter), { status, statusText, headers });
}

/** Whether an event ends in these bytes. An end that lies across two pieces only delays the counting. */
function endsEvent(chunk: Uint8Array): boolean {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return bytes.includes("\n\n") || bytes.includes("\r\n\r\n");
}
