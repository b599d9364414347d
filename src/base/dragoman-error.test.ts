import { expect, test } from "vitest";
import { ConfigurationError, DragomanError, messageOf } from "./dragoman-error.ts";
import { ToolError } from "./tool-error.ts";

test("an error carries its name, code, message and cause", () => {
  const cause = new Error("below");
  const error = new ConfigurationError("above", { code: "invalid-schema", cause });
  expect(error).toMatchObject({ name: "ConfigurationError", code: "invalid-schema", cause });
  expect(String(error)).toBe("ConfigurationError: above");
});

test("is() tells subclasses and their parents apart", () => {
  const error = new ConfigurationError("x", { code: "invalid-schema" });
  expect(DragomanError.is(error)).toBe(true);
  expect(ConfigurationError.is(error)).toBe(true);
  expect(ToolError.is(error)).toBe(false);
  expect(ConfigurationError.is(new DragomanError("x", { code: "y" }))).toBe(false);
  expect(DragomanError.is(new Error("x"))).toBe(false);
  expect(DragomanError.is(null)).toBe(false);
});

test("is() knows errors of another installed copy, whose classes are not ours", () => {
  class Foreign extends Error {}
  Object.defineProperty(Foreign.prototype, Symbol.for("dragoman.error.ToolError"), { value: true });
  expect(ToolError.is(new Foreign())).toBe(true);
});

test("an error without a cause has none", () => {
  expect("cause" in new ToolError("x")).toBe(false);
});

test.each([
  [new Error("text"), "text"],
  [new TypeError(""), "TypeError"],
  ["a string", "a string"],
  [undefined, "undefined"],
])("messageOf(%s) is %s", (thrown, text) => {
  expect(messageOf(thrown)).toBe(text);
});
