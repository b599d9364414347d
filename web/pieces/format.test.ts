import { expect, test } from "vitest";
import { formatBytes, formatCount, formatDuration } from "./format.ts";

test("durations are told with two units at most", () => {
  const told = [0, 12.4, 999, 1_000, 9_940, 12_300, 61_000, 3_600_000, 7_500_000, 90_000_000];
  expect(told.map(formatDuration)).toEqual([
    "0 ms",
    "12 ms",
    "999 ms",
    "1.0 s",
    "9.9 s",
    "12 s",
    "1 min 1 s",
    "1 h",
    "2 h 5 min",
    "1 d 1 h",
  ]);
});

test("sizes and counts are told in words", () => {
  expect([0, 999, 1_000, 38_400, 1_250_000].map(formatBytes)).toEqual([
    "0 B",
    "999 B",
    "1.0 kB",
    "38 kB",
    "1.3 MB",
  ]);
  expect([1, 1_200].map((count) => formatCount(count, "tool"))).toEqual(["1 tool", "1,200 tools"]);
});
