import { arrayChecks, unevaluatedItems } from "./arrays.ts";
import { logicChecks } from "./logic.ts";
import { objectChecks, unevaluatedProperties } from "./objects.ts";
import type { KeywordCheck } from "./site.ts";
import { valueChecks } from "./values.ts";

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
