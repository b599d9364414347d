import type { JsonObject } from "../../base/json.ts";
import type { ToolDefinition } from "../../model/model.ts";

/** Gives the JSON text of a request's list of tools. */
export type ToolRenderer = (tools: readonly ToolDefinition[]) => string;

/**
 * Makes a renderer that keeps what it has rendered, by array and by definition: a run that takes
 * twenty steps with a thousand tools serialises them once. Definitions and arrays must not be changed.
 *
 * @param toWire the provider's form of a tool.
 */
export function createToolRenderer(toWire: (tool: ToolDefinition) => JsonObject): ToolRenderer {
  const arrays = new WeakMap<readonly ToolDefinition[], string>();
  const definitions = new WeakMap<ToolDefinition, string>();
  const render = (tool: ToolDefinition): string => {
    const known = definitions.get(tool) ?? JSON.stringify(toWire(tool));
    definitions.set(tool, known);
    return known;
  };
  return (tools) => {
    const text = arrays.get(tools) ?? `[${tools.map(render).join(",")}]`;
    arrays.set(tools, text);
    return text;
  };
}
