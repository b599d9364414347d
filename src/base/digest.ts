/**
 * Sixteen hexadecimal digits (FNV-1a over UTF-16 units, from both ends): to tell texts apart, not to
 * protect them.
 */
export const digestOf = (text: string): string => half(text, 1) + half(text, -1);

function half(text: string, direction: 1 | -1): string {
  let hash = 0x811c9dc5;
  const last = text.length - 1;
  for (let index = 0; index <= last; index += 1) {
    const unit = text.charCodeAt(direction === 1 ? index : last - index);
    hash = Math.imul(hash ^ unit, 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}
