/** What a file is that a model can look at, by its first bytes; undefined for all others. */
export function mediaTypeOf(head: Uint8Array): string | undefined {
  return signatures.find(([, at, sign]) => startsWith(head, at, sign))?.[0];
}

/** How many of a file's first bytes {@link mediaTypeOf} needs. */
export const mediaHeadBytes = 16;

/** Names cannot be trusted to say what a file is, and its first bytes mostly can. */
const signatures: readonly (readonly [mediaType: string, at: number, sign: string])[] = [
  ["image/png", 0, "\u0089PNG\r\n\u001a\n"],
  ["image/jpeg", 0, "\u00ff\u00d8\u00ff"],
  ["image/gif", 0, "GIF87a"],
  ["image/gif", 0, "GIF89a"],
  ["image/webp", 8, "WEBP"],
  ["application/pdf", 0, "%PDF-"],
];

const startsWith = (bytes: Uint8Array, at: number, sign: string): boolean =>
  Buffer.from(bytes.subarray(at, at + sign.length)).toString("latin1") === sign;
