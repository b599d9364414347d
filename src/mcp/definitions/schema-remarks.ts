import { inspectJsonSchema, type JsonSchema } from "../../base/json-schema.ts";
import { visibleLine } from "../text/visible-text.ts";
import type { McpToolDefinition, Remark } from "./tool-definition.ts";

/**
 * What of a tool's schemas cannot be checked; the tool is had all the same. It compiles the schemas,
 * which is why it waits until a tool is used: of a thousand tools a run uses few.
 */
export function schemaRemarks({
  inputSchema,
  outputSchema,
}: Pick<McpToolDefinition, "inputSchema" | "outputSchema">): readonly Remark[] {
  return [
    ...uncheckable("inputSchema", inputSchema),
    ...(outputSchema === undefined ? [] : uncheckable("outputSchema", outputSchema)),
  ];
}

function uncheckable(what: "inputSchema" | "outputSchema", schema: JsonSchema): readonly Remark[] {
  const checked = what === "inputSchema" ? "its arguments" : "its results";
  const { fault, uncheckedPatterns } = inspectJsonSchema(schema);
  if (fault !== undefined) {
    const words = `its ${what} ${fault}; ${checked} are not checked against it`;
    return [{ code: "mcp-schema-unusable", words }];
  }
  const [first] = uncheckedPatterns;
  if (first === undefined) {
    return [];
  }
  const words = `${checked} are not checked against ${uncheckedPatterns.length} pattern(s) of its ${what} that cannot be decided in linear time, the first: ${visibleLine(first, 100)}`;
  return [{ code: "mcp-pattern-unchecked", words }];
}
