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

test.each([1_000_000, 300])(
  "what is not kept is let go of: far more than fits into memory comes in pieces of %d bytes",
  (size) => {
    const buffer = new OutputBuffer(1_000);
    const piece = Buffer.alloc(size, "x");
    const count = Math.min(100_000, Math.ceil(100_000_000_000 / size));
    for (let index = 0; index < count; index += 1) {
      buffer.push(piece);
    }
    expect(buffer.output()).toMatchObject({
      bytes: size * count,
      omittedBytes: size * count - 1_000,
    });
  },
);
