/** Characters of one call of `String.fromCharCode`; many more would overflow the stack. */
const chunkSize = 0x8000;

/** Bytes in base64, with padding. */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let start = 0; start < bytes.length; start += chunkSize) {
    binary += String.fromCharCode(...bytes.subarray(start, start + chunkSize));
  }
  return btoa(binary);
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
