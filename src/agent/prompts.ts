import { ConfigurationError } from "../base/dragoman-error.ts";

/**
 * What Dragoman itself says to a model. Each may be replaced in an agent's definition; `{{name}}`
 * stands for what is filled in. `agent.explain()` shows them as they are sent.
 */
export interface Prompts {
  /** For models that write their calls as JSON. `{{tools}}`: the tools as JSON. */
  readonly react: string;
  /** When such a model's answer is not of that form. `{{problem}}`: what is wrong. */
  readonly reactAgain: string;
  /** For mode `plan`. `{{tools}}`: the tools as JSON. */
  readonly plan: string;
  /** When a plan cannot be executed. `{{problem}}`: what is wrong with it. */
  readonly planAgain: string;
  /** After a plan's steps, for the answer. */
  readonly planAnswer: string;
  /** For agents with `output`. `{{schema}}`: its JSON Schema. */
  readonly output: string;
  /** When an answer does not fit `output`. `{{problem}}`: what is wrong with it. */
  readonly outputAgain: string;
}

/** The version of {@link defaultPrompts}: it rises when one of them changes. */
export const promptsVersion = 1;

export const defaultPrompts: Prompts = {
  react: `You can use tools. These are they, with the JSON Schema of their arguments:
{{tools}}

Answer with one JSON object and nothing else. To use a tool:
{"thought": "why", "tool": "its name", "arguments": {}}
When you know enough, or no tool helps:
{"thought": "why", "answer": "what you tell the user"}`,
  reactAgain: `That could not be read: {{problem}}
Answer with one JSON object: either {"thought": …, "tool": …, "arguments": {…}} or {"thought": …, "answer": …}.`,
  plan: `Plan how to do what the user asks with these tools (name, description, JSON Schema of the arguments):
{{tools}}

Answer with one JSON object and nothing else:
{"thought": "why this plan", "steps": [{"tool": "its name", "arguments": {}}]}
The steps run in order. Where an argument comes from an earlier step's result, write {{steps.N.result}} (N from 1), or {{steps.N.result.field}} for a part of it.
If no tool is needed, give no steps and your answer: {"thought": "why", "steps": [], "answer": "…"}`,
  planAgain: `That plan cannot be executed: {{problem}}
Answer with the whole plan again, as one JSON object.`,
  planAnswer: "The plan is done. Answer the user from the results above.",
  output: `Give your final answer as one JSON value that fits this JSON Schema, and nothing else:
{{schema}}`,
  outputAgain: `That answer does not fit: {{problem}}
Give it again as JSON that fits the schema, and nothing else.`,
};

/** Fills `{key}` by values; what is no key of theirs stays as it is. */
export const fillKeys = (text: string, values: ReadonlyMap<string, string>): string =>
  values.size === 0
    ? text
    : text.replace(/\{([\w.-]+)\}/g, (placeholder, key: string) => values.get(key) ?? placeholder);

/**
 * Fills `{{name}}` in a template. A name that is not among the values, and is not meant for a model
 * (`{{steps.…}}`), is a mistake.
 *
 * @throws ConfigurationError `invalid-definition` that names what is missing and where.
 */
export function fillTemplate(
  template: string,
  values: Readonly<Record<string, unknown>>,
  where: string,
): string {
  return template.replace(/\{\{\s*([\w.-]+)\s*\}\}/g, (placeholder, name: string) => {
    if (Object.hasOwn(values, name) && values[name] !== undefined) {
      return String(values[name]);
    }
    if (name.startsWith("steps.")) {
      return placeholder;
    }
    throw new ConfigurationError(
      `The ${where} needs a value for "${name}". It was given: ${Object.keys(values).join(", ") || "none"}.`,
      { code: "invalid-definition" },
    );
  });
}
