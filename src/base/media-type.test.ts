import { expect, test } from "vitest";
import { isMediaType, isTextType } from "./media-type.ts";

test.each([
  ["text/plain", true],
  ["text/html; charset=utf-8", true],
  ["application/json", true],
  ["application/vnd.api+json; v=1", true],
  ["image/svg+xml", true],
  ["application/pdf", false],
  ["image/png", false],
  ["application/jsonp", false],
])("%s is a type of text: %s", (mediaType, isText) => {
  expect(isMediaType(mediaType)).toBe(true);
  expect(isTextType(mediaType)).toBe(isText);
});

test.each(["", "png", "image/", "a b/c", 7, undefined])("%j is no MIME type", (value) => {
  expect(isMediaType(value)).toBe(false);
});
