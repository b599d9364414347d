import { expect, test } from "vitest";
import { unknownTool } from "./unknown-tool.ts";

test("the closest names come first", () => {
  const { message, code } = unknownTool("get_date", ["delete_all", "get_time", "date_of"]);
  expect(code).toBe("unknown-tool");
  expect(message).toBe(
    'There is no tool "get_date". The tools are: "get_time", "date_of", "delete_all".',
  );
});

test("of many names a bounded number is told", () => {
  const names = Array.from({ length: 500 }, (_, index) => `tool_${index}`);
  const { message } = unknownTool("x", names);
  expect(message).toMatch(/and 480 more\.$/);
});

test("without any tool the model is told to go on without", () => {
  expect(unknownTool("x", []).message).toMatch(/Answer without tools/);
});
