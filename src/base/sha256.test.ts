import { expect, test } from "vitest";
import { sha256 } from "./sha256.ts";

test("the SHA-256 of a text is the one that everybody knows", async () => {
  expect(await sha256(new TextEncoder().encode("abc"))).toBe(
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
});
