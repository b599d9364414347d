import { expect, test } from "vitest";
import { schemaRemarks } from "./schema-remarks.ts";
import type { McpToolDefinition } from "./tool-definition.ts";

const remarks = (
  schemas: Pick<McpToolDefinition, "inputSchema" | "outputSchema">,
): readonly string[] => schemaRemarks(schemas).map(({ code, words }) => `${code}: ${words}`);

test("schemas that can be used are worth no remark", () => {
  const outputSchema = { patternProperties: { "^a+$": { type: "string" } } };
  expect(remarks({ inputSchema: { type: "object" }, outputSchema })).toEqual([]);
});

test("a schema that cannot be used leaves its tool unchecked, which is a remark", () => {
  expect(
    remarks({
      inputSchema: { type: "object", properties: { a: { $ref: "#/$defs/Gone" } } },
      outputSchema: { $ref: "https://example.com/schema" },
    }),
  ).toEqual([
    'mcp-schema-unusable: its inputSchema refers to "#/$defs/Gone", where there is no schema; its arguments are not checked against it',
    'mcp-schema-unusable: its outputSchema refers to "https://example.com/schema", which is not part of it; nothing is fetched; its results are not checked against it',
  ]);
});

test("a pattern that is not linear is not checked, which is a remark", () => {
  const inputSchema = { type: "object", properties: { a: { pattern: "^(?=a)" } } };
  expect(remarks({ inputSchema })).toEqual([
    expect.stringMatching(/^mcp-pattern-unchecked: .*, the first: \^\(\?=a\)$/),
  ]);
});
