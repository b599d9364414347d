import { expect, test } from "vitest";
import { messagesInLine } from "./messages-in-line.ts";

const first = { jsonrpc: "2.0", id: 1, result: { text: 'a "{" and }', deep: { id: 2 } } };
const second = { method: "notifications/message", jsonrpc: "2.0" };
const [one, two] = [JSON.stringify(first), JSON.stringify(second)];

test.each<readonly [name: string, line: string, messages: readonly object[]]>([
  ["a message", one, [first]],
  ["a batch", `[${one},${two}]`, [first, second]],
  ["a byte order mark", `\uFEFF${one}`, [first]],
  ["a log before it", `[info] ready ${one}`, [first]],
  ["a log with braces before it", `[info] {db: ok} {"level":"info"} ${one}`, [first]],
  ["a log behind it", `${one} [info] {done}`, [first]],
  ["colours around it", `\u001b[32m${one}\u001b[0m`, [first]],
  ["two without a line end", `${one}${two}`, [first, second]],
  ["a log between two", `${one}42 {"id": 3} ${two}`, [first, second]],
  ["one that is cut off behind one that is whole", `${two}${one.slice(0, -3)}`, [second]],
  ["a log in JSON", '{"level":"info","id":7}', []],
  ["a broken answer", '{"jsonrpc":"2.0","id":1,"result":NaN}', []],
  ["nothing", "", []],
])("%s: the messages are found", (_name, line, messages) => {
  expect(messagesInLine(line)).toEqual(messages);
});

test.each([
  ["that never closes", '{"id":'.repeat(500_000)],
  ["that is all objects", '{"id":1}'.repeat(300_000)],
  ["that is nested", `${'{"id":'.repeat(100_000)}1${"}".repeat(100_000)}`],
])("a long line %s is searched in linear time", (_name, text) => {
  expect(messagesInLine(`x${text}`)).toEqual([]);
});
