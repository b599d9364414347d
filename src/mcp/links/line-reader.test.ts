import { expect, test } from "vitest";
import { LineReader } from "./line-reader.ts";

function read(chunks: readonly Buffer[], maxBytes = 100): { lines: string[]; overflows: number } {
  const seen = { lines: [] as string[], overflows: 0 };
  const reader = new LineReader({
    maxBytes,
    onLine: (line) => seen.lines.push(line),
    onOverflow: () => {
      seen.overflows += 1;
    },
  });
  for (const chunk of chunks) {
    reader.push(chunk);
  }
  reader.end();
  return seen;
}

test("lines are the same however the bytes are cut", () => {
  const bytes = Buffer.from("北京 🌍\r\n\nsecond\nlast without end");
  const lines = ["北京 🌍", "", "second", "last without end"];
  for (let size = 1; size <= bytes.length; size += 1) {
    const count = Math.ceil(bytes.length / size);
    const chunks = Array.from({ length: count }, (_unused, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    );
    expect(read(chunks).lines).toEqual(lines);
  }
});

test("a line of the greatest length is read, a longer one is reported once and ends the reading", () => {
  expect(read([Buffer.from(`${"a".repeat(10)}\nb\n`)], 10).lines).toEqual(["a".repeat(10), "b"]);
  const chunks = ["first\n", "aaaaaa", "aaaaaa", "a\nb\n", "c\n"].map((text) => Buffer.from(text));
  expect(read(chunks, 10)).toEqual({ lines: ["first"], overflows: 1 });
});
