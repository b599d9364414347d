import { expect, test } from "vitest";
import { tokenize } from "./tokens.ts";

const kinds = (message: string) => tokenize(message).map(({ kind, value }) => `${kind}:${value}`);

test.each([
  ['say "good day" now', "quoted:good day"],
  ["say 'it isn't so' now", "quoted:it isn't so"],
  ["say “good day” now", "quoted:good day"],
  ["run `npm test` now", "quoted:npm test"],
  ["read notes/todo.txt.", "path:notes/todo.txt"],
  ["read C:\\temp\\a.txt", "path:C:\\temp\\a.txt"],
  ["the README, please", "path:README"],
  ["all **/*.md files", "path:**/*.md"],
  ["list .", "path:."],
  ["open https://example.com/a?b=1.", "url:https://example.com/a?b=1"],
  ["zip data:text/plain;base64,aGk= now", "url:data:text/plain;base64,aGk="],
  ["mail ada@example.com", "email:ada@example.com"],
  ["since 2030-01-31", "date:2030-01-31"],
  ["add -3.5", "number:-3.5"],
  ["add 1,200", "number:1200"],
  ["three lines", "number:3"],
  ['with {"a": [1, "}"]} now', 'json:{"a": [1, "}"]}'],
  ["Ada's cat", "word:Ada"],
])("%s", (message, expected) => {
  expect(kinds(message)).toContain(expected);
});

test("a sum without blanks is two numbers, and the sign is read aloud", () => {
  expect(kinds("17+25")).toEqual(["number:17", "mark:+", "number:25"]);
  expect(tokenize("17+25")[1]?.stems).toEqual(tokenize("plus")[0]?.stems);
});

test.each(["and/or", "e.g.", "24/7", "on/off"])("%s is no path", (message) => {
  expect(tokenize(message).map(({ kind }) => kind)).not.toContain("path");
});

test("a token tells where it stands in the message", () => {
  const message = 'echo "hi" twice';
  const [, quoted] = tokenize(message);
  expect(message.slice(quoted?.start, quoted?.end)).toBe('"hi"');
});

test("an unclosed quote or bracket is an ordinary mark", () => {
  expect(kinds('say "hi')).toEqual(["word:say", 'mark:"', "word:hi"]);
  expect(kinds("say {hi")).toEqual(["word:say", "mark:{", "word:hi"]);
});

test("a message without end is cut", () => {
  expect(tokenize("word ".repeat(5_000))).toHaveLength(1_000);
});
