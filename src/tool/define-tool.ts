import { checkNumbers } from "../base/check-numbers.ts";
import { refuseUnknownKeys } from "../base/check-object.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { isJsonObject } from "../base/json.ts";
import type { JsonSchema } from "../base/json-schema.ts";
import { type InferSchema, type Schema, toJsonSchema } from "../base/schema.ts";
import type { Tool, ToolAnnotations, ToolCall, ToolChanges, ToolSource } from "./tool.ts";
import { isValidToolName } from "./tool-names.ts";
import type { ToolResult } from "./tool-result.ts";

/** What a tool is made of. */
export interface ToolSpecification<Input extends Schema, Output = unknown> {
  /** 1 to 64 characters of `A-Z a-z 0-9 _ -`; what the model calls. */
  readonly name: string;
  /** A name for people. */
  readonly title?: string;
  /** What the tool does and when to use it; the model reads this. */
  readonly description: string;
  /** Any Standard Schema, or a JSON Schema of type object. Absent: the tool takes no arguments. */
  readonly inputSchema?: Input;
  /** What it gives, for whoever reads the definition. */
  readonly outputSchema?: Schema<Output>;
  readonly annotations?: ToolAnnotations;
  /** Whether a second try with the same arguments does no harm. Default false. */
  readonly idempotent?: boolean;
  /** See {@link Tool}. Default false. */
  readonly nested?: boolean;
  /** See {@link Tool}. Default false. */
  readonly ends?: boolean;
  /** The longest that one call may take, in milliseconds. Absent: as long as the run. */
  readonly timeoutMs?: number;
  readonly source?: ToolSource;
  /** Does the work. See {@link Tool} for what may be returned and thrown. */
  execute(
    input: InferSchema<Input>,
    call: ToolCall,
  ): Output | ToolResult | Promise<Output | ToolResult>;
}

/** The schema of a tool that takes nothing. */
const noArguments: JsonSchema = { type: "object", properties: {} };

/**
 * Makes a tool of a description and a function.
 *
 * @throws ConfigurationError where the name is not valid, a property is unknown, or the schema cannot be
 *   shown to a model.
 */
export function defineTool<const Input extends Schema = JsonSchema, Output = unknown>(
  specification: ToolSpecification<Input, Output>,
): Tool<InferSchema<Input>, Output> {
  if (!isJsonObject(specification)) {
    throw new ConfigurationError(
      "defineTool needs an object: defineTool({ name, description, inputSchema, execute }).",
      { code: "invalid-definition" },
    );
  }
  const { name, description } = specification;
  if (!isValidToolName(name)) {
    throw new ConfigurationError(
      `The tool name ${JSON.stringify(name)} is not valid: use 1 to 64 letters, digits, "_" or "-".`,
      { code: "invalid-definition" },
    );
  }
  refuseUnknownKeys(specification, Object.keys(knownKeys), `Tool "${name}"`, namesElsewhere);
  if (typeof description !== "string" || typeof specification.execute !== "function") {
    throw new ConfigurationError(
      `Tool "${name}" needs a description (a text) and an execute function.`,
      { code: "invalid-definition" },
    );
  }
  const place = { where: `of tool "${name}"`, code: "invalid-definition" } as const;
  checkNumbers(specification, { timeoutMs: "milliseconds" }, place);
  return new DefinedTool(specification);
}

/** Every property, so that the compiler misses none here. */
const knownKeys: Readonly<Record<keyof ToolSpecification<Schema>, true>> = {
  name: true,
  title: true,
  description: true,
  inputSchema: true,
  outputSchema: true,
  annotations: true,
  idempotent: true,
  nested: true,
  ends: true,
  timeoutMs: true,
  source: true,
  execute: true,
};

/** A tool whose schema went unseen would be called without arguments, which is hard to find out. */
const namesElsewhere: Readonly<Record<string, string>> = {
  parameters: "inputSchema",
  schema: "inputSchema",
  input: "inputSchema",
  args: "inputSchema",
  handler: "execute",
  run: "execute",
  func: "execute",
  fn: "execute",
};

class DefinedTool<Input extends Schema, Output> implements Tool<InferSchema<Input>, Output> {
  readonly #specification: ToolSpecification<Input, Output>;
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly inputSchema: Schema<InferSchema<Input>>;
  readonly parameters: JsonSchema;
  readonly outputSchema: Schema<Output> | undefined;
  readonly annotations: ToolAnnotations | undefined;
  readonly idempotent: boolean;
  readonly nested: boolean;
  readonly ends: boolean;
  readonly timeoutMs: number | undefined;
  readonly source: ToolSource | undefined;

  constructor(specification: ToolSpecification<Input, Output>) {
    this.#specification = specification;
    this.name = specification.name;
    this.title = specification.title;
    this.description = specification.description;
    // Without a schema Input is JsonSchema, which is what noArguments is.
    this.inputSchema = (specification.inputSchema ?? noArguments) as Schema<InferSchema<Input>>;
    this.parameters = parametersOf(this.name, this.inputSchema);
    this.outputSchema = specification.outputSchema;
    this.annotations = specification.annotations;
    this.idempotent = specification.idempotent ?? false;
    this.nested = specification.nested ?? false;
    this.ends = specification.ends ?? false;
    this.timeoutMs = specification.timeoutMs;
    this.source = specification.source;
  }

  async execute(input: InferSchema<Input>, call: ToolCall): Promise<unknown> {
    return this.#specification.execute(input, call);
  }

  with(changes: ToolChanges): Tool<InferSchema<Input>, Output> {
    return defineTool({ ...this.#specification, ...changes });
  }
}

function parametersOf(name: string, schema: Schema): JsonSchema {
  const parameters = toJsonSchema(schema, "input", `inputSchema of tool "${name}"`);
  if (parameters["type"] !== undefined && parameters["type"] !== "object") {
    throw new ConfigurationError(
      `The inputSchema of tool "${name}" describes a value of type ${JSON.stringify(parameters["type"])}; models can only pass an object. Wrap it in one.`,
      { code: "invalid-schema" },
    );
  }
  return parameters;
}
