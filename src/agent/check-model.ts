import { ConfigurationError } from "../base/dragoman-error.ts";
import { isJsonObject } from "../base/json.ts";

/**
 * Checks what stands where a model may; absent, it is the default one.
 *
 * @param what as in `The model of agent "support"`.
 * @throws ConfigurationError `invalid-definition` that says what it is instead, and what to do.
 */
export function checkModel(value: unknown, what: string): void {
  const fault = faultOf(value);
  if (fault !== undefined) {
    throw new ConfigurationError(
      `${what} ${fault}. It is an id, such as "openai:gpt-5", a Model, or an adapter with modelName, available and generate.`,
      { code: "invalid-definition" },
    );
  }
}

function faultOf(value: unknown): string | undefined {
  switch (typeof value) {
    case "undefined":
      return undefined;
    case "string":
      return value === "" ? "is an empty text" : undefined;
    case "function":
      return "is a function: call it, as in openAiCompatible({ … })";
    case "object":
      return isJsonObject(value) ? faultOfObject(value) : "is no model";
    default:
      return `is a ${typeof value}`;
  }
}

function faultOfObject(value: { readonly [key: string]: unknown }): string | undefined {
  if (typeof value["stream"] === "function" || typeof value["generate"] === "function") {
    return undefined;
  }
  if (value instanceof Promise) {
    return "is a promise: await it";
  }
  return "specificationVersion" in value
    ? "is a model of the AI SDK: wrap it, as in fromAiSdk(model)"
    : "has neither stream nor generate";
}
