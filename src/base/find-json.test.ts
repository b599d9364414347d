import { expect, test } from "vitest";
import { findJson } from "./find-json.ts";

test.each<readonly [string, unknown]>([
  ['{"a":1}', { a: 1 }],
  ["[1,2]", [1, 2]],
  ["  42 ", 42],
  ['```json\n{"a":1}\n```', { a: 1 }],
  ['Sure! Here it is:\n```\n{"a":1}\n```\nAnything else?', { a: 1 }],
  ['The plan is {"steps":[{"tool":"x"}]} as you asked.', { steps: [{ tool: "x" }] }],
  ['Take {"text":"a } in a string"} and go.', { text: "a } in a string" }],
  ['{"a":1,}', { a: 1 }],
  ["{'a': 'b'}", { a: "b" }],
  ["{a: 1}", { a: 1 }],
  ['{"a":[1,2', { a: [1, 2] }],
  ['```json\n{"a":1', { a: 1 }],
  ["no JSON here", undefined],
  ['"just a string"', undefined],
  ["", undefined],
])("of %j it finds %j", async (text, value) => {
  expect(await findJson(text)).toEqual(value);
});
