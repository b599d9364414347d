/** A time of day today, else a date with it. */
export function formatTime(time: number, now: number = Date.now()): string {
  const date = new Date(time);
  const isToday = new Date(now).toDateString() === date.toDateString();
  return date.toLocaleString(
    [],
    isToday
      ? { hour: "2-digit", minute: "2-digit" }
      : { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" },
  );
}

/** `"38 ms"`, `"4.2 s"`, `"3 min 5 s"`, `"2 h 4 min"`, `"3 d 2 h"`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) {
    return `${Math.max(0, Math.round(ms))} ms`;
  }
  const seconds = ms / 1_000;
  if (seconds < 60) {
    return `${seconds < 9.95 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  }
  const whole = Math.round(seconds);
  const units = [
    [86_400, "d"],
    [3_600, "h"],
    [60, "min"],
    [1, "s"],
  ] as const;
  const first = units.findIndex(([size]) => whole >= size);
  let left = whole;
  return units
    .slice(first, first + 2)
    .map(([size, name]) => {
      const count = Math.floor(left / size);
      left -= count * size;
      return `${count} ${name}`;
    })
    .filter((part) => !part.startsWith("0 "))
    .join(" ");
}

/** `"412 B"`, `"38 kB"`, `"1.2 MB"`; a kB has 1000 bytes. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) {
    return `${bytes} B`;
  }
  const [size, unit] = bytes < 999_500 ? [bytes / 1_000, "kB"] : [bytes / 1_000_000, "MB"];
  return `${size < 9.95 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}

/** A count with its noun: `"1 tool"`, `"3 tools"`. */
export const formatCount = (count: number, noun: string): string =>
  `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
