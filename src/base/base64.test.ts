import { expect, test } from "vitest";
import { base64Size, fromBase64, toBase64 } from "./base64.ts";

test.each([0, 1, 2, 3, 4, 255, 100_000])(
  "%i bytes are the same after the way there and back",
  (length) => {
    const bytes = Uint8Array.from({ length }, (_, index) => index % 256);
    const text = toBase64(bytes);
    expect(text).toBe(Buffer.from(bytes).toString("base64"));
    expect(fromBase64(text)).toEqual(bytes);
    expect(base64Size(text)).toBe(length);
  },
);

test("a text that is not base64 gives nothing, and white space does no harm", () => {
  expect(fromBase64("no base64!")).toBeUndefined();
  expect(fromBase64("QU\nJD")).toEqual(Uint8Array.from([65, 66, 67]));
});
