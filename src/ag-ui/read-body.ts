import { invalidInput, Refusal } from "./refusal.ts";

/**
 * Reads the body of a request, and no more than it may have.
 *
 * @throws Refusal 413; 400 where it is not UTF-8, or breaks off.
 */
export async function readBody(request: Request, maxBytes: number): Promise<string> {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) {
    throw tooLarge(maxBytes);
  }
  const reader = request.body?.getReader();
  try {
    return reader === undefined ? "" : await readAll(reader, maxBytes);
  } catch (thrown) {
    throw Refusal.is(thrown)
      ? thrown
      : invalidInput("The body broke off, or is not UTF-8.", thrown);
  } finally {
    reader?.cancel().catch(() => {});
  }
}

async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const pieces: string[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return `${pieces.join("")}${decoder.decode()}`;
    }
    size += value.byteLength;
    if (size > maxBytes) {
      throw tooLarge(maxBytes);
    }
    pieces.push(decoder.decode(value, { stream: true }));
  }
}

const tooLarge = (maxBytes: number): Refusal =>
  new Refusal(`The body may have ${maxBytes} bytes.`, { status: 413, code: "too-large" });
