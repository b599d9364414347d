import { expect, test } from "vitest";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { ToolError } from "../base/tool-error.ts";
import { toolFailure, toolPending, toolSuccess, toToolResult } from "./tool-result.ts";

test.each([
  ["text", "text", "text"],
  [42, 42, "42"],
  [undefined, null, "null"],
  [{ a: [1, undefined] }, { a: [1, null] }, '{"a":[1,null]}'],
  [new Date(0), "1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.000Z"],
  [12n, "12", "12"],
  [false, false, "false"],
  [new Map([["a", 1]]), { a: 1 }, '{"a":1}'],
  [new Set([1, 2]), [1, 2], "[1,2]"],
])("a tool that returns %o has the value %o and reads %s", (returned, value, text) => {
  expect(toToolResult(returned)).toEqual({
    kind: "success",
    value,
    content: [{ kind: "text", text }],
  });
});

test("a value that looks like a result is still a value", () => {
  const value = { kind: "error", error: { code: "x", message: "y" }, content: [] };
  expect(toToolResult(value)).toMatchObject({ kind: "success", value });
});

test("results that were made stay as they are", () => {
  const content = [{ kind: "text", text: "for the model" }] as const;
  const success = toolSuccess({ a: 1 }, { content });
  expect(toToolResult(success)).toBe(success);
  expect(success).toEqual({ kind: "success", value: { a: 1 }, content });
  expect(toToolResult(toolPending("j1", "Ask job_status."))).toMatchObject({
    kind: "pending",
    jobId: "j1",
  });
});

test("a failure shows the model its message and its facts, within bounds", () => {
  const failure = toolFailure(new ToolError("No.", { code: "tool-http", data: { status: 404 } }));
  expect(failure).toEqual({
    kind: "error",
    error: { code: "tool-http", message: "No.", data: { status: 404 } },
    content: [{ kind: "text", text: 'No.\n{"status":404}' }],
  });
  const large = toolFailure(new ToolError("No.", { data: "x".repeat(100_000) }));
  expect(JSON.stringify(large.content).length).toBeLessThan(2_100);
});

test("a value that JSON cannot hold is the programmer's mistake", () => {
  const loop: Record<string, unknown> = {};
  loop["self"] = loop;
  expect(() => toToolResult(loop)).toThrow(ConfigurationError);
});
