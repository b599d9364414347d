import { untilAborted } from "../base/abort.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { findJson } from "../base/find-json.ts";
import type { JsonSchema, SchemaIssue } from "../base/json-schema.ts";
import { checkSchema, type Schema, toJsonSchema } from "../base/schema.ts";
import type { LoopState, StepRequest } from "./model-step.ts";
import { fillTemplate, type Prompts } from "./prompts.ts";
import { RunError } from "./run-error.ts";
import { askWithoutTools, definitionsOf, type LoopScope } from "./tool-loop.ts";

/** What an agent's answers are to be. */
export interface OutputPolicy {
  readonly schema: Schema;
  /** The same, as the model is told. */
  readonly jsonSchema: JsonSchema;
}

/**
 * The policy of an agent's `output`.
 *
 * @throws ConfigurationError `invalid-schema` where it does not describe an object.
 */
export function toOutputPolicy(schema: Schema, agent: string): OutputPolicy {
  const jsonSchema = toJsonSchema(schema, "input", `output of agent "${agent}"`);
  if (jsonSchema["type"] !== "object") {
    throw new ConfigurationError(
      `The output of agent "${agent}" must be a schema of an object, since that is what every model can give. Wrap it in one.`,
      { code: "invalid-schema" },
    );
  }
  return { schema, jsonSchema };
}

/** How often a model is asked again for an answer that fits. */
const mostRepairs = 2;

/**
 * The value of the answer that the state holds. Where it does not fit, the model is told why and asked
 * again, with its provider's own schema constraint.
 *
 * @throws RunError `invalid-output`; whatever a model call throws.
 */
export async function obtainOutput(
  policy: OutputPolicy,
  prompts: Prompts,
  state: LoopState,
  scope: LoopScope,
): Promise<unknown> {
  for (let repair = 0; ; repair += 1) {
    const outcome = await readOutput(state.text, policy, scope.binding.signal);
    if (outcome.kind === "valid") {
      return outcome.value;
    }
    if (repair >= mostRepairs) {
      throw new RunError(
        `The model's answer does not fit the agent's output, also after it was asked ${mostRepairs} times again: ${outcome.problem}`,
        { code: "invalid-output" },
      );
    }
    const text = fillTemplate(prompts.outputAgain, outcome, "outputAgain prompt");
    state.messages.push({ role: "user", content: [{ kind: "text", text }] });
    await askWithoutTools(state, scope, {
      ...outputRequest(policy),
      tools: definitionsOf(scope.tools),
    });
  }
}

/**
 * The value of an answer that did not come from the model.
 *
 * @throws RunError `invalid-output`.
 */
export async function takeOutput(
  text: string,
  policy: OutputPolicy,
  signal: AbortSignal,
): Promise<unknown> {
  const outcome = await readOutput(text, policy, signal);
  if (outcome.kind === "valid") {
    return outcome.value;
  }
  throw new RunError(`The answer does not fit the agent's output: ${outcome.problem}`, {
    code: "invalid-output",
  });
}

/** What asks a provider to constrain the answer. */
export const outputRequest = ({ jsonSchema }: OutputPolicy): Pick<StepRequest, "output"> => ({
  output: { schema: jsonSchema, name: "answer" },
});

type ReadOutput =
  | { readonly kind: "valid"; readonly value: unknown }
  | { readonly kind: "invalid"; readonly problem: string };

async function readOutput(
  text: string,
  { schema }: OutputPolicy,
  signal: AbortSignal,
): Promise<ReadOutput> {
  const value = await findJson(text);
  if (value === undefined) {
    return { kind: "invalid", problem: "there is no JSON in it." };
  }
  const check = await untilAborted(checkSchema(schema, value), signal);
  switch (check.kind) {
    case "valid":
      return check;
    case "unchecked":
      return {
        kind: "invalid",
        problem: `it could not be checked, since its schema ${check.reason}.`,
      };
    default:
      return { kind: "invalid", problem: check.issues.map(issueText).join("; ") };
  }
}

const issueText = ({ path, message }: SchemaIssue): string =>
  path === "" ? message : `${path}: ${message}`;
