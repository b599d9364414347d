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
  [5, "5"],
  [{ message: "no Error" }, "no Error"],
  [undefined, "What was thrown is undefined, which says nothing: throw an Error with a message."],
  [null, "What was thrown is null, which says nothing: throw an Error with a message."],
  // It may hold credentials, as the errors of HTTP libraries do.
  [
    { headers: "Bearer x" },
    "What was thrown is an object, which says nothing: throw an Error with a message.",
  ],
  [
    { message: 5 },
    "What was thrown is an object, which says nothing: throw an Error with a message.",
  ],
])("messageOf(%j) is %s", (thrown, text) => {
  expect(messageOf(thrown)).toBe(text);
});
