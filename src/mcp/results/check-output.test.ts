import { expect, test } from "vitest";
import type { Json } from "../../base/json.ts";
import type { JsonSchema } from "../../base/json-schema.ts";
import type { ToolResult } from "../../tool/tool-result.ts";
import { defaultLimits } from "../wire/mcp-limits.ts";
import { checkOutput, type OutputMismatchPolicy } from "./check-output.ts";
import { type McpCallResult, toToolResult } from "./to-tool-result.ts";

const strict: JsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: { days: { type: "array", prefixItems: [{ type: "integer" }], items: false } },
  required: ["days"],
};

const text = (words: string): Json => ({ type: "text", text: words });

async function outcomeOf(
  result: McpCallResult,
  policy: OutputMismatchPolicy = "error",
  outputSchema = strict,
): Promise<{ readonly result: ToolResult; readonly notices: readonly string[] }> {
  const notices: string[] = [];
  const definition = { sourceName: "t", description: "", inputSchema: {}, outputSchema, raw: {} };
  const mapped = toToolResult(result, { server: "s", tool: "t", limits: defaultLimits });
  const checked = await checkOutput(mapped, result, {
    definition,
    policy,
    notice: (code, message) => void notices.push(`${code}: ${message}`),
  });
  return { result: checked, notices };
}

test("G-T12: a result that fits its outputSchema passes as it is", async () => {
  const { result, notices } = await outcomeOf({ content: [], structuredContent: { days: [1] } });
  expect(result).toMatchObject({ kind: "success", value: { days: [1] } });
  expect(notices).toEqual([]);
});

const wrong = { content: [text("Three days.")], structuredContent: { days: ["three", 2] } };
const words = `The tool "t" returned a result that does not fit its outputSchema:
- days[0]: must be "integer", got "three"
- days[1]: is not allowed`;

test("G-T12: a result that does not fit is an error that says where, and keeps the content", async () => {
  const { result } = await outcomeOf(wrong);
  expect(result).toEqual({
    kind: "error",
    error: {
      code: "tool-failed",
      message: words,
      data: { kind: "output-mismatch", value: { days: ["three", 2] } },
    },
    content: [
      { kind: "text", text: words },
      { kind: "text", text: "Three days." },
      { kind: "text", text: '{"days":["three",2]}' },
    ],
  });
});

test("G-T12: as a warning it is a success, with a notice and a remark", async () => {
  const { result, notices } = await outcomeOf(wrong, "warn");
  expect(result).toMatchObject({ kind: "success", value: { days: ["three", 2] } });
  expect(result.content.at(-1)).toEqual({ kind: "text", text: `[${words}]` });
  expect(notices).toEqual([`mcp-output-mismatch: ${words}`]);
});

test("G-T12: ignored it is nothing", async () => {
  const { result, notices } = await outcomeOf(wrong, "ignore");
  expect(result).toMatchObject({ kind: "success", content: [{ text: "Three days." }, {}] });
  expect(notices).toEqual([]);
});

test("G-T12: a result without structured content does not fit", async () => {
  const { result } = await outcomeOf({ content: [text("Three days.")] });
  expect(result.content).toEqual([
    expect.objectContaining({ text: expect.stringContaining("there is no structured content") }),
    { kind: "text", text: "Three days." },
  ]);
});

test("G-T12: an error result is never checked", async () => {
  const failed = { isError: true, content: [text("auth failed")], structuredContent: { code: 1 } };
  expect((await outcomeOf(failed)).result).toMatchObject({
    kind: "error",
    error: { code: "remote-tool", message: "auth failed", data: { code: 1 } },
  });
});

test.each<[what: string, schema: JsonSchema]>([
  ["leads elsewhere", { $ref: "https://example.com/schema" }],
  ["refers to itself", { $ref: "#" }],
  ["is none", { type: "nope" }],
])("G-T12: a result passes where the outputSchema %s", async (_what, schema) => {
  expect(await outcomeOf(wrong, "error", schema)).toMatchObject({
    result: { kind: "success" },
    notices: [],
  });
});

test("G-T12: a result that would take too long to check passes with a notice", async () => {
  const schema = {
    items: { anyOf: Array.from({ length: 5_000 }, (_unused, n) => ({ const: n })) },
  };
  const structuredContent = Array.from({ length: 5_000 }, () => -1);
  const { result, notices } = await outcomeOf({ structuredContent }, "error", schema);
  expect(result.kind).toBe("success");
  expect(notices).toEqual([
    'mcp-output-unchecked: The tool "t": its outputSchema takes more than 1000000 steps to check this value against.',
  ]);
});

test("G-T12: no pattern of an outputSchema stops the process", async () => {
  const schema = { properties: { a: { pattern: "^(a+)+$" } } };
  const structuredContent = { a: `${"a".repeat(100_000)}!` };
  expect((await outcomeOf({ structuredContent }, "error", schema)).result.kind).toBe("error");
});
