import { isJsonObject, type JsonObject } from "../json.ts";
import type { JsonSchema } from "./schema.ts";
import {
  applyHere,
  failWith,
  type KeywordCheck,
  type KeywordChecks,
  keyword,
  type Site,
} from "./site.ts";

type SchemaMap = Readonly<Record<string, unknown>>;

/** Keywords that look at objects. */
export const objectChecks: KeywordChecks = [
  [
    "properties",
    objectCheck<SchemaMap>((site, object, properties) =>
      all(Object.keys(properties), site, (key) => {
        site.evaluator.spend(1);
        return !has(object, key) || markAndApply(site, key, properties[key]);
      }),
    ),
  ],
  [
    "patternProperties",
    objectCheck<SchemaMap>((site, object, schemas) =>
      all(Object.keys(object), site, (key) =>
        all(Object.keys(schemas), site, (source) => {
          site.evaluator.spend(1);
          const isMeant = site.evaluator.matches(source, key) === true;
          return !isMeant || markAndApply(site, key, schemas[source]);
        }),
      ),
    ),
  ],
  [
    "additionalProperties",
    objectCheck((site, object, schema) =>
      all(Object.keys(object), site, (key) => isNamed(site, key) || applyToRest(site, key, schema)),
    ),
  ],
  [
    "propertyNames",
    objectCheck((site, object, schema) =>
      all(Object.keys(object), site, (key) => {
        const { evaluator, issues } = site;
        return (
          evaluator.apply(schema, { value: key, issues: undefined, marks: undefined }) ||
          (issues !== undefined &&
            evaluator.fail(issues, `has a property of a name that is not allowed, ${shown(key)}`))
        );
      }),
    ),
  ],
  ["required", objectCheck<readonly string[]>(requireAll)],
  [
    "dependentRequired",
    objectCheck<Readonly<Record<string, readonly string[]>>>((site, object, needs) =>
      all(Object.keys(needs), site, (key) => {
        site.evaluator.spend(1);
        return !has(object, key) || requireAll(site, object, needs[key] ?? []);
      }),
    ),
  ],
  ["dependentSchemas", objectCheck<SchemaMap>(applyDependent)],
  ["dependencies", objectCheck<SchemaMap>(applyDependent)],
  [
    "minProperties",
    objectCheck<number>(
      (site, object, least) =>
        Object.keys(object).length >= least ||
        failWith(site, `must have at least ${least} properties`),
    ),
  ],
  [
    "maxProperties",
    objectCheck<number>(
      (site, object, most) =>
        Object.keys(object).length <= most ||
        failWith(site, `must have at most ${most} properties`),
    ),
  ],
];

/** Applies to the properties that no other keyword has looked at. */
export const unevaluatedProperties: KeywordCheck = objectCheck((site, object, schema) =>
  all(
    Object.keys(object),
    site,
    (key) => site.marks?.has(key) === true || applyToRest(site, key, schema),
  ),
);

function objectCheck<Operand>(
  check: (site: Site, object: JsonObject, operand: Operand) => boolean,
): KeywordCheck {
  return keyword<Operand>(
    (site, operand) => !isJsonObject(site.value) || check(site, site.value, operand),
  );
}

/** Whether all items meet a check: all are looked at where issues are wanted. */
export function all<Item>(
  items: readonly Item[],
  { issues }: Site,
  check: (item: Item) => boolean,
): boolean {
  return issues === undefined
    ? items.every(check)
    : items.reduce((isValid, item) => check(item) && isValid, true);
}

const has = (object: JsonObject, key: string): boolean =>
  Object.hasOwn(object, key) && object[key] !== undefined;

function markAndApply(site: Site, key: string, schema: unknown): boolean {
  site.marks?.add(key);
  return site.evaluator.applyInside(site, key, schema);
}

/** Applies a schema to a property that nothing else names; false means that there must be none. */
function applyToRest(site: Site, key: string, schema: unknown): boolean {
  const { evaluator, issues } = site;
  if (schema === false) {
    evaluator.spend(1);
    return issues !== undefined && evaluator.fail(issues, `unknown property ${shown(key)}`);
  }
  return markAndApply(site, key, schema);
}

/** Whether `properties` or `patternProperties` say something of a property. */
function isNamed({ schema, evaluator }: Site, key: string): boolean {
  const { properties, patternProperties } = schema as {
    readonly properties?: SchemaMap;
    readonly patternProperties?: SchemaMap; // the compiler has seen to their shapes
  };
  if (properties !== undefined && Object.hasOwn(properties, key)) {
    return true;
  }
  return Object.keys(patternProperties ?? {}).some((source) => {
    evaluator.spend(1);
    return evaluator.matches(source, key) !== false; // what is not checked counts as named
  });
}

function requireAll(site: Site, object: JsonObject, keys: readonly string[]): boolean {
  const { evaluator, issues } = site;
  return all(keys, site, (key) => {
    evaluator.spend(1);
    return (
      has(object, key) ||
      (issues !== undefined && evaluator.fail(issues, `missing required property ${shown(key)}`))
    );
  });
}

/** What must hold where a property is there: a schema or, before 2019-09, names of others. */
function applyDependent(site: Site, object: JsonObject, needs: SchemaMap): boolean {
  return all(Object.keys(needs), site, (key) => {
    site.evaluator.spend(1);
    const need = needs[key] as JsonSchema | boolean | readonly string[]; // the compiler has seen to it
    if (!has(object, key)) {
      return true;
    }
    return Array.isArray(need) ? requireAll(site, object, need) : applyHere(site, need);
  });
}

const shown = (key: string): string => JSON.stringify(key.slice(0, 100));
