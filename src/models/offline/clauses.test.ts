import { expect, test } from "vitest";
import { clausesOf } from "./clauses.ts";
import { tokenize } from "./tokens.ts";

const split = (message: string) =>
  clausesOf(tokenize(message), message).map((clause) =>
    message.slice(clause[0]?.start, clause.at(-1)?.end),
  );

test.each([
  ["list docs and then read a.md", ["list docs", "read a.md"]],
  ["List notes, then read todo.txt", ["List notes", "read todo.txt"]],
  ["Read a.txt. Then echo it.", ["Read a.txt", "echo it"]],
  ["what is in docs and what does a.md say?", ["what is in docs", "what does a.md say"]],
  ["list docs\nread a.md", ["list docs", "read a.md"]],
])("%s", (message, expected) => {
  expect(split(message)).toEqual(expected);
});

test.each([
  "search and replace foo",
  "read docs and notes",
  "In a.txt, replace x",
  "add a, b and c",
  'echo "list docs and read a.md"',
])("%s is one request", (message) => {
  expect(split(message)).toEqual([message]);
});
