import type { Tool, ToolSource } from "./tool.ts";

/**
 * A tool as one that comes from a server, also where the application has put another in its place:
 * what is said of the server's tools holds for it.
 */
export function fromServer(tool: Tool, source: ToolSource): Tool {
  if (tool.source?.server === source.server) {
    return tool;
  }
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: tool.inputSchema,
    parameters: tool.parameters,
    outputSchema: tool.outputSchema,
    annotations: tool.annotations,
    idempotent: tool.idempotent,
    nested: tool.nested,
    ends: tool.ends,
    timeoutMs: tool.timeoutMs,
    source,
    execute: (input, call) => tool.execute(input, call),
    with: (changes) => fromServer(tool.with(changes), source),
  };
}
