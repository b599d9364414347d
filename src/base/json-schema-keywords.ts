import { arrayChecks, unevaluatedItems } from "./json-schema-arrays.ts";
import { logicChecks } from "./json-schema-logic.ts";
import { objectChecks, unevaluatedProperties } from "./json-schema-objects.ts";
import type { KeywordCheck } from "./json-schema-site.ts";
import { valueChecks } from "./json-schema-values.ts";

/** What is checked before anybody asks what has not been looked at. */
export const keywordChecks: ReadonlyMap<string, KeywordCheck> = new Map([
  ...valueChecks,
  ...logicChecks,
  ...objectChecks,
  ...arrayChecks,
]);

/** What is checked last. */
export const unevaluatedChecks: ReadonlyMap<string, KeywordCheck> = new Map([
  ["unevaluatedProperties", unevaluatedProperties],
  ["unevaluatedItems", unevaluatedItems],
]);
