import { untilAborted } from "../base/abort.ts";
import { messageOf } from "../base/dragoman-error.ts";
import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import type { JsonSchema } from "../base/json-schema.ts";
import type { Tool } from "../tool/tool.ts";
import { checkArguments } from "../tool/tool-arguments.ts";
import { unknownTool } from "../tool/unknown-tool.ts";
import { RunError } from "./run-error.ts";

/** One step of a plan: a tool and its arguments, which may refer to earlier results. */
export type PlanStep = { readonly tool: string; readonly arguments: JsonObject };

/** What a model has planned. */
export type Plan = {
  readonly thought: string;
  /** In the order in which they are to be executed; none where the answer is known already. */
  readonly steps: readonly PlanStep[];
  readonly answer?: string;
};

/** The form of a plan, for providers that can constrain their answers. */
export const planSchema: JsonSchema = {
  type: "object",
  properties: {
    thought: { type: "string" },
    steps: {
      type: "array",
      items: {
        type: "object",
        properties: { tool: { type: "string" }, arguments: { type: "object" } },
        required: ["tool", "arguments"],
      },
    },
    answer: { type: "string" },
  },
  required: ["thought", "steps"],
};

/**
 * The plan that a model wrote, if it can be executed; else, in words, what is wrong with it. Arguments
 * that refer to no earlier result are checked now.
 */
export async function readPlan(
  value: Json | undefined,
  tools: ReadonlyMap<string, Tool>,
  signal: AbortSignal,
): Promise<Plan | string> {
  const fields = Array.isArray(value) ? { steps: value } : value;
  if (!isJsonObject(fields)) {
    return "it is not a JSON object.";
  }
  const { thought, answer, steps } = fields;
  if (!Array.isArray(steps)) {
    return 'it has no list "steps".';
  }
  if (steps.length === 0 && typeof answer !== "string") {
    return "it has neither steps nor an answer.";
  }
  const read: PlanStep[] = [];
  for (const step of steps) {
    const one = await readStep(step, read.length + 1, { tools, signal });
    if (typeof one === "string") {
      return one;
    }
    read.push(one);
  }
  return {
    thought: typeof thought === "string" ? thought : "",
    steps: read,
    ...(typeof answer === "string" ? { answer } : {}),
  };
}

async function readStep(
  value: Json,
  number: number,
  { tools, signal }: { readonly tools: ReadonlyMap<string, Tool>; readonly signal: AbortSignal },
): Promise<PlanStep | string> {
  if (!isJsonObject(value) || typeof value["tool"] !== "string") {
    return `step ${number} names no tool.`;
  }
  const given = value["arguments"] ?? {};
  const tool = tools.get(value["tool"]);
  if (tool === undefined) {
    return `step ${number}: ${unknownTool(value["tool"], [...tools.keys()]).message}`;
  }
  if (!isJsonObject(given)) {
    return `step ${number}: its arguments are not a JSON object.`;
  }
  const references = referencesIn(given);
  const wrong = references.find((reference) => !(reference >= 1 && reference < number));
  if (wrong !== undefined) {
    return `step ${number} refers to the result of step ${wrong}, which is not before it.`;
  }
  const problem = references.length > 0 ? undefined : await problemOf(tool, given, signal);
  return problem === undefined
    ? { tool: value["tool"], arguments: given }
    : `step ${number}: ${problem}`;
}

async function problemOf(
  tool: Tool,
  given: JsonObject,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    await untilAborted(checkArguments(tool, given), signal);
    return undefined;
  } catch (thrown) {
    signal.throwIfAborted();
    return messageOf(thrown);
  }
}

const reference = /\{\{\s*steps\.(\d+)\.result((?:\.[\w-]+|\[\d+\])*)\s*\}\}/g;

function referencesIn(value: Json | undefined): readonly number[] {
  return [...JSON.stringify(value ?? null).matchAll(reference)].map(([, number]) => Number(number));
}

/**
 * Arguments with the results of earlier steps in their places. A string that is nothing but a reference
 * becomes the value itself; a reference within a text becomes text. A part that a result does not have
 * becomes `null`.
 *
 * @throws RunError `plan-step-failed` where a text grows beyond a million characters.
 * @param results by the number of the step, from 1.
 */
export function fillReferences(value: Json, results: ReadonlyMap<number, Json>): Json {
  if (typeof value === "string") {
    return fillText(value, results);
  }
  if (Array.isArray(value)) {
    return value.map((item: Json) => fillReferences(item, results));
  }
  return isJsonObject(value)
    ? Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, fillReferences(inner ?? null, results)]),
      )
    : value;
}

/** Results that refer to results double: without a bound a few steps fill the memory. */
const longestText = 1_000_000;

function fillText(text: string, results: ReadonlyMap<number, Json>): Json {
  const resultOf = (number: string, path: string): Json =>
    partOf(results.get(Number(number)) ?? null, path.match(/[\w-]+/g) ?? []);
  const [whole] = text.trim().matchAll(reference);
  if (whole !== undefined && whole[0] === text.trim()) {
    return resultOf(whole[1] ?? "", whole[2] ?? "");
  }
  let length = 0;
  return text.replace(reference, (_match, number: string, path: string) => {
    const value = resultOf(number, path);
    const piece = typeof value === "string" ? value : JSON.stringify(value);
    length += piece.length;
    if (length > longestText) {
      throw new RunError(
        `An argument of the plan would be longer than ${longestText} characters with the results that it refers to.`,
        { code: "plan-step-failed" },
      );
    }
    return piece;
  });
}

function partOf(value: Json, keys: readonly string[]): Json {
  let part: Json = value;
  for (const key of keys) {
    const holder: unknown = part;
    const inner =
      typeof holder === "object" && holder !== null && Object.hasOwn(holder, key)
        ? (holder as Record<string, Json>)[key] // JSON all the way down
        : null;
    part = inner ?? null;
  }
  return part;
}
