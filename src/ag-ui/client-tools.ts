import { settingsOf } from "../agent/agent.ts";
import type { Assembly } from "../agent/assembly.ts";
import type { RunOptions } from "../agent/run-options.ts";
import { toolLevels } from "../agent/run-scope.ts";
import { resolveSelection } from "../agent/selection.ts";
import { messageOf } from "../base/dragoman-error.ts";
import { defineClientTool } from "../tool/client-tool.ts";
import type { Tool } from "../tool/tool.ts";
import { invalidInput } from "./refusal.ts";
import type { InputTool } from "./run-agent-input.ts";

/** More is no description. */
const longestDescription = 4_096;

/**
 * The options with the client's tools beside those that the agent has. Of several agents together none
 * is the client's, so that they get none.
 *
 * @throws Refusal 400 where a tool is not valid, or has the name of one of the agent's own.
 */
export function withClientTools(
  assembly: Assembly,
  options: RunOptions,
  given: readonly InputTool[],
): RunOptions {
  if (given.length === 0 || !("availableTools" in assembly)) {
    return options;
  }
  const tools = given.map(toClientTool);
  const own = resolveSelection(
    toolLevels(settingsOf(assembly, options)).levels.map((level) => level.tools),
  );
  const entries = own === undefined || own === "none" ? [] : own;
  const names = entries.map((entry) => (typeof entry === "string" ? entry : entry.name));
  tools.forEach(({ name }, index) => {
    const isTaken = names.includes(name) || tools.findIndex((one) => one.name === name) < index;
    if (isTaken) {
      throw invalidInput(`The name of the tool ${JSON.stringify(name)} is taken.`);
    }
  });
  return {
    ...options,
    tools: [...entries, ...tools],
    // Where the agent's tools are switched off, those of its servers stay so.
    ...(own === "none" ? { mcp: "none" } : {}),
  };
}

function toClientTool({ name, description = "", parameters }: InputTool): Tool {
  const schema =
    parameters === undefined || Object.keys(parameters).length === 0 ? {} : { parameters };
  try {
    const said = description.slice(0, longestDescription);
    return defineClientTool({ name, description: said, ...schema });
  } catch (cause) {
    throw invalidInput(`A tool of the input is not valid: ${messageOf(cause)}`, cause);
  }
}
