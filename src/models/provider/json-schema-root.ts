import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { JsonSchema } from "../../base/json-schema.ts";
import { resolveReference } from "./json-schema-walk.ts";

/**
 * The schema with a root of type object that has `properties` and no combinators, `$ref`, `enum`,
 * `const` or `not`: providers refuse the whole request for one tool that has them there. Properties of
 * all branches are joined, and the description says which of them go together.
 */
export function toObjectSchema(schema: JsonSchema): JsonSchema {
  const { $ref, allOf, anyOf, oneOf, not, enum: values, const: value, ...rest } = schema;
  const isPlain = [$ref, allOf, anyOf, oneOf, not, values, value].every(
    (keyword) => keyword === undefined,
  );
  if (isPlain) {
    const properties = isJsonObject(rest["properties"]) ? rest["properties"] : {};
    return { ...rest, type: "object", properties };
  }
  const joined = newObject();
  join(joined, schema, { root: schema, seen: new Set() }, 0);
  const description = [rest["description"], ...joined.notes].filter((text) => text !== undefined);
  return {
    ...rest,
    type: "object",
    ...(description.length === 0 ? {} : { description: description.join(" ") }),
    properties: Object.fromEntries(
      [...joined.properties].map(([name, all]) => [name, either(all)]),
    ),
    ...(joined.required.size === 0 ? {} : { required: [...joined.required] }),
  };
}

/** What is known of an object whose schema has several parts. */
interface JoinedObject {
  /** The schemas that the parts give each property. */
  readonly properties: Map<string, unknown[]>;
  readonly required: Set<string>;
  readonly notes: string[];
}

const newObject = (): JoinedObject => ({ properties: new Map(), required: new Set(), notes: [] });

/** Where a join is. */
interface JoinScope {
  /** What references lead into. */
  readonly root: JsonSchema;
  /** Parts that are joined already: each is once, so that references in a ring come to an end. */
  readonly seen: Set<JsonSchema>;
}

/** Combinators in combinators of a root; deeper ones are left out, which only widens. */
const deepest = 32;

function join(object: JoinedObject, part: JsonSchema, scope: JoinScope, depth: number): void {
  if (depth > deepest || scope.seen.has(part)) {
    return;
  }
  scope.seen.add(part);
  for (const [name, schema] of Object.entries(objectOf(part["properties"]))) {
    addProperty(object, name, [schema]);
  }
  for (const name of namesIn(part["required"])) {
    object.required.add(name);
  }
  const target = resolveReference(part["$ref"], scope.root);
  const all = [...(target === undefined ? [] : [target]), ...schemasIn(part["allOf"])];
  for (const inner of all) {
    join(object, inner, scope, depth + 1);
  }
  joinBranches(object, schemasIn(part["anyOf"]), scope, depth);
  joinBranches(object, schemasIn(part["oneOf"]), scope, depth);
}

/** Of alternatives, only what all of them require is required. */
function joinBranches(
  object: JoinedObject,
  branches: readonly JsonObject[],
  scope: JoinScope,
  depth: number,
): void {
  const joined = branches.map((branch) => {
    const own = newObject();
    join(own, branch, scope, depth + 1);
    object.notes.push(...own.notes);
    return own;
  });
  for (const { properties } of joined) {
    for (const [name, schemas] of properties) {
      addProperty(object, name, schemas);
    }
  }
  const shared = [...(joined[0]?.required ?? [])].filter((name) =>
    joined.every(({ required }) => required.has(name)),
  );
  for (const name of shared) {
    object.required.add(name);
  }
  const sets = joined.map(({ required }) =>
    [...required].filter((name) => !shared.includes(name)).join(", "),
  );
  if (sets.length > 1 && sets.every((names) => names !== "")) {
    object.notes.push(`Give the properties of one of these sets: ${sets.join("; or ")}.`);
  }
}

function addProperty(object: JoinedObject, name: string, schemas: readonly unknown[]): void {
  const known = object.properties.get(name);
  if (known === undefined) {
    object.properties.set(name, [...schemas]);
  } else {
    known.push(...schemas);
  }
}

function either(schemas: readonly unknown[]): unknown {
  const different = new Map(schemas.map((schema) => [JSON.stringify(schema), schema]));
  const [only, ...others] = different.values();
  return others.length === 0 ? only : { anyOf: [only, ...others] };
}

const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

const schemasIn = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

const namesIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
