import { ConfigurationError } from "../base/dragoman-error.ts";
import { isJsonObject } from "../base/json.ts";
import type { Model } from "../model/model.ts";
import type { Binding } from "../tool/binding.ts";
import { closestNames } from "../tool/unknown-tool.ts";
import type { ToolLevel } from "./run-tools.ts";

/** What an agent is. */
export interface AgentDefinition extends ToolLevel {
  /** Names the agent in events, logs and errors. */
  readonly name: string;
  /** What it is for, in a sentence. */
  readonly description?: string;
  /** What the model is told before the conversation; a function is asked anew for each run. */
  readonly instructions?: string | ((binding: Binding) => string | Promise<string>);
  /** A model, or the id of one (`openai:gpt-5`). Absent: the default model. */
  readonly model?: string | Model;
  /** How many model calls with tools a run may make. Default 50. */
  readonly maxSteps?: number;
}

const knownKeys = ["name", "description", "instructions", "model", "maxSteps", "tools", "mcp"];

/** @throws ConfigurationError `invalid-definition` that names the agent, the key and what is allowed. */
export function checkAgentDefinition(definition: AgentDefinition): void {
  if (!isJsonObject(definition) || typeof definition.name !== "string" || definition.name === "") {
    throw invalid('An agent needs a name: defineAgent({ name: "support", … }).');
  }
  const { name, maxSteps } = definition;
  const unknown = Object.keys(definition).find((key) => !knownKeys.includes(key));
  if (unknown !== undefined) {
    const [closest] = closestNames(unknown, knownKeys);
    throw invalid(
      `Agent "${name}" has an unknown property "${unknown}". Did you mean "${closest}"? Allowed are: ${knownKeys.join(", ")}.`,
    );
  }
  if (maxSteps !== undefined && !(Number.isInteger(maxSteps) && maxSteps > 0)) {
    throw invalid(`maxSteps of agent "${name}" is ${maxSteps}; it must be a whole number above 0.`);
  }
  for (const key of ["tools", "mcp"] as const) {
    checkSelection(definition[key], `${key} of agent "${name}"`);
  }
}

function checkSelection(value: unknown, where: string): void {
  if (value === undefined || value === "none" || value === "inherit") {
    return;
  }
  if (!Array.isArray(value)) {
    throw invalid(`The ${where} must be "none", "inherit" or a list.`);
  }
  const wrong = value.findIndex((entry) => typeof entry !== "string" && !isJsonObject(entry));
  if (wrong >= 0) {
    throw invalid(`Entry ${wrong} in the ${where} is neither a tool, a toolset nor a name.`);
  }
}

const invalid = (message: string): ConfigurationError =>
  new ConfigurationError(message, { code: "invalid-definition" });
