import { checkJsonSchema, inspectJsonSchema, type SchemaIssue } from "../../base/json-schema.ts";
import { ToolError } from "../../base/tool-error.ts";
import { type ToolResult, toolFailure, toolSuccess } from "../../tool/tool-result.ts";
import type { McpToolDefinition } from "../definitions/tool-definition.ts";
import { visibleLine, visibleText } from "../text/visible-text.ts";
import type { McpCallResult } from "./to-tool-result.ts";

/**
 * What is done with a result that does not fit the tool's outputSchema: it becomes an error that
 * holds the server's content, too; a success with a notice and a remark for the model; or a success.
 */
export type OutputMismatchPolicy = "error" | "warn" | "ignore";

/** What a result is checked against, and who hears of it. */
export interface OutputCheckScope {
  readonly definition: McpToolDefinition;
  readonly policy: OutputMismatchPolicy;
  notice(code: string, message: string): void;
}

/**
 * Checks the structured content of a result against the tool's outputSchema (JSON Schema 2020-12; MCP
 * 2025-06-18, server/tools). Error results are not checked: their text is what matters. The server's
 * content is kept in any case.
 */
export async function checkOutput(
  mapped: ToolResult,
  result: McpCallResult,
  { definition, policy, notice }: OutputCheckScope,
): Promise<ToolResult> {
  const { outputSchema, sourceName } = definition;
  if (outputSchema === undefined || mapped.kind !== "success" || policy === "ignore") {
    return mapped;
  }
  if (inspectJsonSchema(outputSchema).fault !== undefined) {
    return mapped; // that is told when the tool is called first
  }
  const tool = `The tool "${visibleLine(sourceName, 64)}"`;
  const { structuredContent } = result;
  const check =
    structuredContent === undefined
      ? { kind: "invalid" as const, issues: [nothing] }
      : await checkJsonSchema(outputSchema, structuredContent);
  if (check.kind === "unchecked") {
    notice("mcp-output-unchecked", `${tool}: its outputSchema ${check.reason}.`);
  }
  if (check.kind !== "invalid") {
    return mapped;
  }
  const message = `${tool} returned a result that does not fit its outputSchema:\n${lines(check.issues)}`;
  if (policy === "warn") {
    notice("mcp-output-mismatch", message);
    const content = [...mapped.content, { kind: "text", text: `[${message}]` } as const];
    return toolSuccess(mapped.value, { ...mapped, content });
  }
  const error = new ToolError(message, {
    code: "tool-failed",
    data: { kind: "output-mismatch", value: mapped.value },
  });
  const content = [{ kind: "text", text: message } as const, ...mapped.content];
  return toolFailure(error, { ...mapped, content });
}

const nothing: SchemaIssue = { path: "", message: "there is no structured content" };

const lines = (issues: readonly SchemaIssue[]): string =>
  visibleText(
    issues.map(({ path, message }) => `- ${path === "" ? "" : `${path}: `}${message}`).join("\n"),
  );
