import { expect, test } from "vitest";
import { wordsOf } from "./words.ts";

test("identifiers are split, however they are written", () => {
  const expected = wordsOf("read text file");
  expect(wordsOf("readTextFile")).toEqual(expected);
  expect(wordsOf("read_text_file")).toEqual(expected);
  expect(wordsOf("read-text-file")).toEqual(expected);
  expect(wordsOf("HTMLPage")).toEqual(wordsOf("html page"));
});

test.each([
  ["files", "file"],
  ["directories", "directory"],
  ["searches", "search"],
  ["creating", "create"],
  ["created", "create"],
  ["moved", "move"],
  ["named", "name"],
  ["modified", "modify"],
  ["running", "run"],
  ["adding", "add"],
  ["sizes", "size"],
])("%s meets %s", (form, base) => {
  expect(wordsOf(form)).toEqual(wordsOf(base));
});

test.each(["string", "need", "class", "echo", "news"])("%s stays as it is", (word) => {
  expect(wordsOf(word)).toEqual([word]);
});

test("a script without spaces gives pairs of characters", () => {
  expect(wordsOf("天気予報")).toEqual(["天気", "気予", "予報"]);
});

test("what is too long to be a word keeps its ending", () => {
  const long = "a".repeat(98);
  expect(wordsOf(`${long}s ${long}ers`)).toEqual([long, `${long}ers`]);
});
