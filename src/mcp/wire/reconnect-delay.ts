/**
 * How long to wait before the next try to connect, in milliseconds: half a second, doubled with each
 * failure in a row, at most 30 seconds; up to half of it is left to chance, so that clients which
 * lost one server do not all come back at once. A time that the server named is the least.
 */
export function reconnectDelayMs(failures: number, namedMs = 0): number {
  const longest = Math.min(30_000, 500 * 2 ** Math.min(failures, 6));
  const delay = longest * (0.5 + Math.random() / 2);
  return Math.max(delay, Math.min(namedMs, 60_000));
}
