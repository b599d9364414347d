import { ConfigurationError } from "../base/dragoman-error.ts";
import { isTool } from "../tool/tool.ts";
import { isToolset } from "../tool/toolset.ts";
import type { ToolLevel } from "./tool-level.ts";

/**
 * Checks what one level says of tools and servers. An entry that is nothing of the kind would only be
 * missing in the run, so it is refused where it is written.
 *
 * @param where names the level, such as `of agent "support"`.
 * @throws ConfigurationError `invalid-definition` that names the entry and says what to write instead.
 */
export function checkToolLevel({ tools, mcp }: ToolLevel, where: string): void {
  checkSelection(tools, `tools ${where}`, wrongTool);
  checkSelection(mcp, `mcp ${where}`, wrongServer);
}

function checkSelection(
  value: unknown,
  where: string,
  wrong: (entry: unknown) => string | undefined,
): void {
  if (value === undefined || value === "none" || value === "inherit") {
    return;
  }
  if (!Array.isArray(value)) {
    const hint = value instanceof Promise ? ", and is a promise: await it" : "";
    throw invalid(`The ${where} must be "none", "inherit" or a list${hint}.`);
  }
  for (const [index, entry] of value.entries()) {
    const fault = entry instanceof Promise ? "is a promise: await it" : wrong(entry);
    if (fault !== undefined) {
      throw invalid(`Entry ${index} in the ${where} ${fault}.`);
    }
  }
}

function wrongTool(entry: unknown): string | undefined {
  const isObject = typeof entry === "object" && entry !== null;
  const isAssembly = isObject && "ask" in entry && "resume" in entry;
  if (typeof entry === "string" || isAssembly || isTool(entry) || isToolset(entry)) {
    return undefined;
  }
  if (isObject && ("execute" in entry || "inputSchema" in entry)) {
    return "is no tool yet: make it one by defineTool({ … })";
  }
  if (isObject && "transport" in entry) {
    return "is a server: write it into mcp, or make it a toolset by mcpToolset({ … })";
  }
  return "is neither a tool, a toolset, an agent nor the name of a tool";
}

function wrongServer(entry: unknown): string | undefined {
  const isObject = typeof entry === "object" && entry !== null;
  if (isToolset(entry) || (isObject && "name" in entry && "transport" in entry)) {
    return undefined;
  }
  if (isTool(entry)) {
    return "is a tool: write it into tools";
  }
  const what =
    typeof entry === "string"
      ? `is the text ${JSON.stringify(entry.slice(0, 80))}, and servers are not chosen by name`
      : "is no server";
  return `${what}: give mcpToolset({ … }), or { name, transport }`;
}

const invalid = (message: string): ConfigurationError =>
  new ConfigurationError(message, { code: "invalid-definition" });
