import { expect, test } from "vitest";
import { TailBuffer } from "./tail-buffer.ts";

test("the last lines are given, without colours, blanks and hidden characters", () => {
  const tail = new TailBuffer(1000);
  tail.push(Buffer.from("one\n\u001b[31mtw"));
  tail.push(Buffer.from(`o\u001b[0m\u202e\n\n  three\n${"x".repeat(400)}`));
  expect(tail.lastLines(3)).toEqual(["two", "three", `${"x".repeat(299)}…`]);
});

test("no more than the limit is kept of a flood", () => {
  const tail = new TailBuffer(10);
  for (let index = 0; index < 1000; index += 1) {
    tail.push(Buffer.from(`line ${index}\n`));
  }
  expect(tail.lastLines(5)).toEqual(["line 999"]);
  tail.push(Buffer.from("a".repeat(50)));
  expect(tail.lastLines(5)).toEqual(["aaaaaaaaaa"]);
});

test("what a program died of is not pushed out by its stack trace", () => {
  const tail = new TailBuffer(2000);
  tail.push(
    Buffer.from(
      `node:internal/modules/cjs/loader:1
  throw err;
  ^

Error: Cannot find module '/srv/gone.js'
    at Module._load (node:internal/modules/cjs/loader:1:1)
    at async Promise.all (index 0)
    at node:internal/main/run_main_module:33:47 {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v24.0.0
`,
    ),
  );
  expect(tail.lastLines(5)).toContain("Error: Cannot find module '/srv/gone.js'");
  expect(tail.lastLines(50).join()).not.toMatch(/\bat /);
});
