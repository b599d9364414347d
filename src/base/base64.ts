const alphabet = new TextEncoder().encode(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
);
const padding = 61; // "="

/** Bytes in base64, with padding. Written as bytes: `btoa` wants a text, which is slow to make of megabytes. */
export function toBase64(bytes: Uint8Array): string {
  const signs = new Uint8Array(Math.ceil(bytes.length / 3) * 4);
  let place = 0;
  for (let start = 0; start < bytes.length; start += 3) {
    const first = bytes[start] ?? 0;
    const second = bytes[start + 1];
    const third = bytes[start + 2];
    const bits = (first << 16) | ((second ?? 0) << 8) | (third ?? 0);
    signs[place] = alphabet[bits >> 18] ?? 0;
    signs[place + 1] = alphabet[(bits >> 12) & 63] ?? 0;
    signs[place + 2] = second === undefined ? padding : (alphabet[(bits >> 6) & 63] ?? 0);
    signs[place + 3] = third === undefined ? padding : (alphabet[bits & 63] ?? 0);
    place += 4;
  }
  return new TextDecoder().decode(signs);
}

/** The bytes of a text in base64; `undefined` where it is none. White space and lacking padding do no harm. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    return undefined;
  }
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) {
    bytes[index] = binary.charCodeAt(index);
  }
  return bytes;
}

/** How many bytes a text in base64 without white space stands for. */
export function base64Size(text: string): number {
  return Math.floor((text.replace(/={1,2}$/, "").length * 3) / 4);
}
