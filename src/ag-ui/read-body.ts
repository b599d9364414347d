import { untilAborted } from "../base/abort.ts";
import { invalidInput, Refusal } from "./refusal.ts";

/**
 * Reads the body of a request, and no more than it may have.
 *
 * @throws Refusal 413; 400 where it is not UTF-8, or breaks off.
 */
export async function readBody(request: Request, maxBytes: number): Promise<string> {
  return decodeBody(await readBytes(request, maxBytes));
}

/**
 * The same as the bytes that were sent, for whoever checks a signature.
 *
 * @throws Refusal 413; 400 where it breaks off; the signal's reason.
 */
export async function readBytes(
  request: Request,
  maxBytes: number,
  signal: AbortSignal = new AbortController().signal,
): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) {
    throw tooLarge(maxBytes);
  }
  const reader = request.body?.getReader();
  try {
    return reader === undefined
      ? new Uint8Array()
      : await untilAborted(readAll(reader, maxBytes), signal);
  } catch (thrown) {
    signal.throwIfAborted();
    throw Refusal.is(thrown) ? thrown : invalidInput("The body broke off.", thrown);
  } finally {
    reader?.cancel().catch(() => {});
  }
}

/** @throws Refusal 400. */
export function decodeBody(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (thrown) {
    throw invalidInput("The body is not UTF-8.", thrown);
  }
}

async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : joined(pieces, size);
    }
    size += value.byteLength;
    if (size > maxBytes) {
      throw tooLarge(maxBytes);
    }
    pieces.push(value);
  }
}

function joined(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let start = 0;
  for (const piece of pieces) {
    whole.set(piece, start);
    start += piece.byteLength;
  }
  return whole;
}

const tooLarge = (maxBytes: number): Refusal =>
  new Refusal(`The body may have ${maxBytes} bytes.`, { status: 413, code: "too-large" });
