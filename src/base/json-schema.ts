import { isDeeperThan } from "./json.ts";
import { compileSchema, SchemaFault } from "./json-schema/compiler.ts";
import { type CompiledSchema, SchemaEvaluator, Unchecked } from "./json-schema/evaluator.ts";
import type { JsonSchema, SchemaIssue } from "./json-schema/schema.ts";
import { linearPatterns, loadPatternEngine } from "./linear-pattern.ts";

export type { JsonSchema, SchemaIssue };

/** The outcome of {@link checkJsonSchema}. */
export type JsonSchemaCheck =
  | { readonly kind: "valid" }
  /** At most ten issues. */
  | { readonly kind: "invalid"; readonly issues: readonly SchemaIssue[] }
  /**
   * Nothing can be said: the schema is at fault (a reference that leads nowhere, say), or the check
   * would take too long. `reason` goes on the sentence "The schema …".
   */
  | { readonly kind: "unchecked"; readonly cause: "schema" | "cost"; readonly reason: string };

/** What can be said of a schema before any value is there. */
export interface JsonSchemaReport {
  /** Why nothing can be checked against it; goes on the sentence "The schema …". */
  readonly fault?: string;
  /** Patterns that are not checked: they need back-tracking, or are too large. */
  readonly uncheckedPatterns: readonly string[];
}

/** How a value is checked. */
export interface JsonSchemaOptions {
  /** Whether `format` is checked, too. Default false: since 2020-12 it is an annotation. */
  readonly formats?: boolean;
}

/** Compiled schemas by schema object: compiled on first use, gone with the schema. */
const compiled = new WeakMap<JsonSchema, CompiledSchema | SchemaFault>();

/** Deeper data is nobody's intention. */
const deepestValue = 256;

/**
 * Checks a value against a plain JSON Schema (draft 2020-12; what differs in drafts 4 to 7 is
 * understood where it can be told apart).
 *
 * The schema may be a stranger's: it is interpreted and never turned into code, nothing is fetched,
 * patterns run in linear time, and the work has a bound, past which the value is "unchecked".
 */
export async function checkJsonSchema(
  schema: JsonSchema,
  value: unknown,
  { formats = false }: JsonSchemaOptions = {},
): Promise<JsonSchemaCheck> {
  const ready = compiledFor(schema);
  if (ready instanceof SchemaFault) {
    return { kind: "unchecked", cause: "schema", reason: ready.message };
  }
  if (isDeeperThan(deepestValue, value)) {
    const message = `is nested more than ${deepestValue} deep`;
    return { kind: "invalid", issues: [{ path: "", message }] };
  }
  const engine = ready.patterns.size > 0 ? await loadPatternEngine() : undefined;
  try {
    const issues = new SchemaEvaluator(ready, { formats, engine }).check(schema, value);
    return issues.length === 0 ? { kind: "valid" } : { kind: "invalid", issues };
  } catch (thrown) {
    if (thrown instanceof Unchecked) {
      return { kind: "unchecked", cause: "cost", reason: thrown.message };
    }
    throw thrown;
  }
}

/** Looks at a schema alone: whether values can be checked against it, and all of it. */
export function inspectJsonSchema(schema: JsonSchema): JsonSchemaReport {
  const ready = compiledFor(schema);
  if (ready instanceof SchemaFault) {
    return { fault: ready.message, uncheckedPatterns: [] };
  }
  const missing = [...ready.patterns].filter(([, pattern]) => pattern === undefined);
  return { uncheckedPatterns: missing.map(([source]) => source) };
}

function compiledFor(schema: JsonSchema): CompiledSchema | SchemaFault {
  const known = compiled.get(schema);
  if (known !== undefined) {
    return known;
  }
  const ready = compile(schema);
  compiled.set(schema, ready);
  return ready;
}

function compile(schema: JsonSchema): CompiledSchema | SchemaFault {
  try {
    const index = compileSchema(schema);
    return { index, patterns: linearPatterns(index.patternSources) };
  } catch (thrown) {
    if (thrown instanceof SchemaFault) {
      return thrown;
    }
    throw thrown;
  }
}
