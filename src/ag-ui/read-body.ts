import { Refusal } from "./refusal.ts";

/**
 * Reads the body of a request, and no more than it may have.
 *
 * @throws Refusal 413; 400 where it is not UTF-8, or breaks off.
 */
export async function readBody(request: Request, maxBytes: number): Promise<string> {
  const tooLarge = new Refusal(413, "too-large", `The body may have ${maxBytes} bytes.`);
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) {
    throw tooLarge;
  }
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const pieces: string[] = [];
  let size = 0;
  const reader = request.body?.getReader();
  try {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done || value === undefined) {
        return `${pieces.join("")}${decoder.decode()}`;
      }
      size += value.byteLength;
      if (size > maxBytes) {
        throw tooLarge;
      }
      pieces.push(decoder.decode(value, { stream: true }));
    }
  } catch (thrown) {
    if (thrown === tooLarge) {
      throw tooLarge;
    }
    throw new Refusal(400, "invalid-body", "The body broke off, or is not UTF-8.");
  } finally {
    reader?.cancel().catch(() => {});
  }
}
