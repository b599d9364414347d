/** A new random id such as `run_0f6c…`: the prefix says what it names. */
export function createId(prefix: string): string {
  return `${prefix}_${globalThis.crypto.randomUUID().replaceAll("-", "")}`;
}
