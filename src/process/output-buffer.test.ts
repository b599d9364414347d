import { expect, test } from "vitest";
import { OutputBuffer } from "./output-buffer.ts";

const filled = (maxBytes: number, ...chunks: readonly string[]): OutputBuffer => {
  const buffer = new OutputBuffer(maxBytes);
  for (const chunk of chunks) {
    buffer.push(Buffer.from(chunk));
  }
  return buffer;
};

test("what fits is kept as it is, also a character that comes in two pieces", () => {
  const buffer = new OutputBuffer(100);
  const bytes = Buffer.from("naïve");
  buffer.push(bytes.subarray(0, 3));
  buffer.push(bytes.subarray(3));
  expect(buffer.output()).toEqual({ text: "naïve", bytes: 6, omittedBytes: 0 });
});

test("of more the beginning and the end are kept, however the pieces come", () => {
  for (const size of [1, 3, 7, 26]) {
    const pieces = "abcdefghijklmnopqrstuvwxyz".match(new RegExp(`.{1,${size}}`, "g")) ?? [];
    expect(filled(10, ...pieces).output()).toEqual({
      text: "abcde\n[… 16 bytes are left out here …]\nvwxyz",
      bytes: 26,
      omittedBytes: 16,
    });
  }
});

test("what is not kept is let go of", () => {
  const buffer = new OutputBuffer(1000);
  const before = process.memoryUsage().arrayBuffers;
  for (let count = 0; count < 500; count += 1) {
    buffer.push(Buffer.alloc(100_000, 120));
  }
  globalThis.gc?.();
  expect(buffer.output().text.length).toBeLessThan(1100);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(45_000_000);
});
