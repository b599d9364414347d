import type { JsonSchema } from "../base/json-schema.ts";
import type { ToolDefinition } from "../model/model.ts";

/** Gives the JSON text of a request's `tools`. */
export type ToolRenderer = (tools: readonly ToolDefinition[]) => string;

/**
 * Makes a renderer that keeps what it has rendered, by array and by definition: a run that takes
 * twenty steps with a thousand tools serialises them once. Definitions and arrays must not be changed.
 *
 * @param toParameters the provider's form of a schema; `undefined` leaves `parameters` out.
 */
export function createToolRenderer(
  toParameters: (schema: JsonSchema) => JsonSchema | undefined,
): ToolRenderer {
  const arrays = new WeakMap<readonly ToolDefinition[], string>();
  const definitions = new WeakMap<ToolDefinition, string>();
  const render = (tool: ToolDefinition): string => {
    const known = definitions.get(tool);
    if (known !== undefined) {
      return known;
    }
    const { name, description, inputSchema } = tool;
    const parameters = toParameters(inputSchema);
    const text = JSON.stringify({ type: "function", function: { name, description, parameters } });
    definitions.set(tool, text);
    return text;
  };
  return (tools) => {
    const known = arrays.get(tools);
    if (known !== undefined) {
      return known;
    }
    const text = `[${tools.map(render).join(",")}]`;
    arrays.set(tools, text);
    return text;
  };
}
