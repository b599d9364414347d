import { expect, test } from "vitest";
import { AwaitedAnswers } from "./awaited-answers.ts";
import type { RpcId, RpcMessage } from "./rpc-message.ts";

function awaiting(...ids: readonly RpcId[]): AwaitedAnswers {
  const awaited = new AwaitedAnswers();
  for (const id of ids) {
    awaited.sent({ jsonrpc: "2.0", id, method: "tools/call" });
  }
  return awaited;
}

const none: readonly never[] = [];

const long = "x".repeat(10_000);

test.each<[what: string, text: string]>([
  ["a number that JSON does not have", '{"jsonrpc":"2.0","id":7,"result":{"mean":NaN}}'],
  ["the id at the end", `{"result":{"text":"${long}\t"},"jsonrpc":"2.0","id":7}`],
  ["the id as a text", ' {"jsonrpc": "2.0", "id": "7", "error": {"code": 1,}}'],
  ["an id of another's in the result", '{"jsonrpc":"2.0","id":7,"result":{"id":99,"a":Infinity}}'],
])("a broken answer is one to the request that it names: %s", (_what, text) => {
  expect(awaiting(6, 7, 8).heard(none, text)).toEqual([{ jsonrpc: "2.0", id: 7 }]);
});

test("one that names none is to the only request that waits", () => {
  const text = '{"jsonrpc":"2.0","result":{"a":';
  expect(awaiting("a").heard(none, text)).toEqual([{ jsonrpc: "2.0", id: "a" }]);
  expect(awaiting("a", "b").heard(none, text)).toEqual([]);
  expect(awaiting().heard(none, text)).toEqual([]);
});

test("one that names two that wait is to neither, and one to nobody is to nobody", () => {
  const text = '{"jsonrpc":"2.0","id":7,"result":{"id":8,"a":NaN}}';
  expect(awaiting(7, 8).heard(none, text)).toEqual([]);
  expect(awaiting(9).heard(none, text)).toEqual([]);
});

test.each([
  "{'level': 'info', 'id': 7}",
  '{"level":"info","id":7,"result":NaN}',
  '[db] {"jsonrpc":"2.0","id":7,"result":',
  '{"jsonrpc":"2.0","method":"notifications/message","params":{"id":7,"result":NaN}}',
  '{"method":"notifications/progress","params":{"result":NaN},"jsonrpc":"2.0"}',
  '{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{"result":NaN}}',
])("what is no answer ends no call: %s", (text) => {
  expect(awaiting(7).heard(none, text)).toEqual([]);
});

test("what has been answered or given up is not waited for", () => {
  const awaited = awaiting(6, 7);
  const answer: RpcMessage = { jsonrpc: "2.0", id: "7", result: {} };
  expect(awaited.heard([answer], "")).toEqual([answer]);
  awaited.forget(6);
  expect(awaited.heard(none, '{"jsonrpc":"2.0","result":NaN}')).toEqual([]);
});
