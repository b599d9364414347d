import { expect, test } from "vitest";
import { applyEdit } from "./apply-edit.ts";

const edit = (before: string, oldText: string, newText: string, all = false): unknown =>
  applyEdit(before, { oldText, newText, all }, "p/file");

test("a text that is there once is replaced, literally", () => {
  expect(edit("a\nb $& c\nd", "b $& c", "$1 $& $$")).toEqual({
    text: "a\n$1 $& $$\nd",
    lines: [2],
  });
  expect(edit("a.c abc", "a.c", "x")).toEqual({ text: "x abc", lines: [1] });
});

test("a text that is not there, there twice or empty is refused, and nothing is replaced", () => {
  expect(() => edit("abc", "x", "y")).toThrow('is not in "p/file". It must be exactly');
  expect(() => edit("x\n\nx x", "x", "y")).toThrow('is 3 times in "p/file", at lines 1, 3, 3.');
  expect(() => edit("abc", "", "y")).toThrow("empty");
  expect(() => edit("Abc", "abc", "y")).toThrow("is not in");
});

test("every place is replaced where that is asked for", () => {
  expect(edit("aaa\naaa", "aa", "b", true)).toEqual({ text: "ba\nba", lines: [1, 2] });
});

test("line ends of Windows fit a text without them, and stay", () => {
  expect(edit("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz")).toEqual({
    text: "x\r\ny\r\nz\r\nc\r\n",
    lines: [1],
  });
  expect(edit("a\r\nb\n", "b\n", "c\n")).toEqual({ text: "a\r\nc\n", lines: [2] });
});

test("a million places take no more than a moment", () => {
  const began = performance.now();
  expect(edit("ab".repeat(500_000), "a", "c", true)).toMatchObject({ text: "cb".repeat(500_000) });
  expect(performance.now() - began).toBeLessThan(3_000);
});
