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

/** As much of the body of a refusal as is read. */
const errorBytes = 64 * 1024;

function limited(response: Response, { maxBytes, tooLong }: FetchLimits): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) {
    return response;
  }
  const isStream = headers.get("content-type")?.includes("text/event-stream") ?? false;
  const longest = isStream ? longestEvent() : longestBody();
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const length = longest(chunk);
      if (!response.ok && length > errorBytes) {
        controller.terminate(); // of an error the beginning is enough
      } else if (length > maxBytes) {
        controller.error(tooLong());
      } else {
        controller.enqueue(chunk);
      }
    },
  });
  return new Response(body.pipeThrough(counter), { status, statusText, headers });
}

/** Counts a body: how long it is so far. */
function longestBody(): (chunk: Uint8Array) => number {
  let length = 0;
  return (chunk) => {
    length += chunk.byteLength;
    return length;
  };
}

/** Counts events, which end with an empty line: how long the longest is that has a part in the chunk. */
function longestEvent(): (chunk: Uint8Array) => number {
  const [lineFeed, carriageReturn] = [0x0a, 0x0d];
  let length = 0;
  let isLineEmpty = true;
  return (chunk) => {
    let longest = 0;
    for (const byte of chunk) {
      length += 1;
      longest = Math.max(longest, length);
      if (byte === lineFeed) {
        length = isLineEmpty ? 0 : length;
        isLineEmpty = true;
      } else if (byte !== carriageReturn) {
        isLineEmpty = false;
      }
    }
    return longest;
  };
}
