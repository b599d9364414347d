import { isJsonObject } from "../json.ts";

/** What stands behind a keyword. */
export type KeywordShape =
  | "schema"
  | "schema-or-list"
  | "schema-list"
  | "schema-map"
  | "dependencies"
  | "text"
  | "text-list"
  | "text-list-map"
  | "list"
  | "number"
  | "number-or-flag"
  | "positive"
  | "count"
  | "flag"
  | "type";

/** The keywords that are understood, of draft 2020-12 and, where they differ, of drafts 4 to 7. */
export const keywordShapes: ReadonlyMap<string, KeywordShape> = new Map(
  Object.entries({
    $ref: "text",
    $dynamicRef: "text",
    $id: "text",
    $anchor: "text",
    $dynamicAnchor: "text",
    $defs: "schema-map",
    definitions: "schema-map",
    allOf: "schema-list",
    anyOf: "schema-list",
    oneOf: "schema-list",
    not: "schema",
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema; nobody awaits this object.
    then: "schema",
    if: "schema",
    else: "schema",
    dependentSchemas: "schema-map",
    dependencies: "dependencies",
    properties: "schema-map",
    patternProperties: "schema-map",
    additionalProperties: "schema",
    propertyNames: "schema",
    unevaluatedProperties: "schema",
    prefixItems: "schema-list",
    items: "schema-or-list",
    additionalItems: "schema",
    contains: "schema",
    unevaluatedItems: "schema",
    type: "type",
    enum: "list",
    required: "text-list",
    dependentRequired: "text-list-map",
    minProperties: "count",
    maxProperties: "count",
    minItems: "count",
    maxItems: "count",
    minContains: "count",
    maxContains: "count",
    minLength: "count",
    maxLength: "count",
    uniqueItems: "flag",
    multipleOf: "positive",
    minimum: "number",
    maximum: "number",
    exclusiveMinimum: "number-or-flag",
    exclusiveMaximum: "number-or-flag",
    pattern: "text",
    format: "text",
  } as const),
);

const types = new Set(["null", "boolean", "object", "array", "number", "string", "integer"]);

/** Whether what stands behind a keyword is of its shape. What is inside of schemas is not looked at. */
export function fitsShape(shape: KeywordShape, operand: unknown): boolean {
  return checks[shape](operand);
}

const isSchema = (value: unknown): boolean => typeof value === "boolean" || isJsonObject(value);
const isText = (value: unknown): value is string => typeof value === "string";
const isNumber = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value);
const isTextList = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isSchemaList = (value: unknown): boolean => Array.isArray(value) && value.every(isSchema);
const isMapOf =
  (check: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    isJsonObject(value) && Object.values(value).every(check);

const checks: Readonly<Record<KeywordShape, (operand: unknown) => boolean>> = {
  schema: isSchema,
  "schema-list": isSchemaList,
  "schema-or-list": (operand) => isSchema(operand) || isSchemaList(operand),
  "schema-map": isMapOf(isSchema),
  dependencies: isMapOf((value) => isSchema(value) || isTextList(value)),
  text: isText,
  "text-list": isTextList,
  "text-list-map": isMapOf(isTextList),
  list: Array.isArray,
  number: isNumber,
  "number-or-flag": (operand) => isNumber(operand) || typeof operand === "boolean",
  positive: (operand) => isNumber(operand) && operand > 0,
  count: (operand) => isNumber(operand) && operand >= 0,
  flag: (operand) => typeof operand === "boolean",
  type: (operand) =>
    Array.isArray(operand)
      ? operand.every((type) => types.has(type))
      : isText(operand) && types.has(operand),
};
