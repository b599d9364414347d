import { expect, test } from "vitest";
import { Artifact } from "./artifact.ts";

test("G-T10: an artifact is plain JSON, with its bytes or with where they are", () => {
  expect(Artifact.inline({ data: "äb", mediaType: "text/plain", name: "a.txt" })).toEqual({
    kind: "inline",
    mediaType: "text/plain",
    name: "a.txt",
    size: 3,
    base64: "w6Ri",
  });
  expect(Artifact.deferred({ reference: "id-7", mediaType: "image/png", size: 9 })).toEqual({
    kind: "deferred",
    reference: "id-7",
    mediaType: "image/png",
    size: 9,
  });
});

test.each([
  [{ reference: "", mediaType: "image/png" }, /needs a reference/],
  [{ reference: "https://u:p@h/x", mediaType: "image/png" }, /leave credentials to the resolver/],
  [{ reference: "x", mediaType: "png" }, /must be like "image\/png"/],
])("%j is a mistake", (artifact, words) => {
  expect(() => Artifact.deferred(artifact)).toThrow(words);
});
