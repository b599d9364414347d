import { canonicalJson } from "../canonical-json.ts";
import { all } from "./objects.ts";
import { failWith, type KeywordCheck, type KeywordChecks, keyword, type Site } from "./site.ts";

/** Keywords that look at arrays. */
export const arrayChecks: KeywordChecks = [
  [
    "prefixItems",
    arrayCheck<readonly unknown[]>((site, array, schemas) => applyEach(site, array, schemas)),
  ],
  [
    "items",
    arrayCheck<unknown>((site, array, schema) =>
      // Before 2020-12 a list of schemas stood here.
      Array.isArray(schema)
        ? applyEach(site, array, schema)
        : applyFrom(site, array, lengthOf(site.schema["prefixItems"]), schema),
    ),
  ],
  [
    "additionalItems",
    arrayCheck<unknown>(
      (site, array, schema) =>
        !Array.isArray(site.schema["items"]) ||
        applyFrom(site, array, lengthOf(site.schema["items"]), schema),
    ),
  ],
  ["contains", arrayCheck<unknown>(checkContains)],
  [
    "minItems",
    arrayCheck<number>(
      (site, array, least) =>
        array.length >= least || failWith(site, `must have at least ${least} items`),
    ),
  ],
  [
    "maxItems",
    arrayCheck<number>(
      (site, array, most) =>
        array.length <= most || failWith(site, `must have at most ${most} items`),
    ),
  ],
  [
    "uniqueItems",
    arrayCheck<boolean>((site, array, isWanted) => !isWanted || isUnique(site, array)),
  ],
];

/** Applies to the items that no other keyword has looked at. */
export const unevaluatedItems: KeywordCheck = arrayCheck<unknown>((site, array, schema) =>
  all([...array.keys()], site, (index) => {
    site.evaluator.spend(1);
    return site.marks?.has(index) === true || markAndApply(site, index, schema);
  }),
);

function arrayCheck<Operand>(
  check: (site: Site, array: readonly unknown[], operand: Operand) => boolean,
): KeywordCheck {
  return keyword<Operand>(
    (site, operand) => !Array.isArray(site.value) || check(site, site.value, operand),
  );
}

const lengthOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0);

function markAndApply(site: Site, index: number, schema: unknown): boolean {
  site.marks?.add(index);
  return site.evaluator.applyInside(site, index, schema);
}

/** The first schema for the first item, and so on. */
function applyEach(site: Site, array: readonly unknown[], schemas: readonly unknown[]): boolean {
  const together = schemas.slice(0, array.length);
  return all([...together.keys()], site, (index) => markAndApply(site, index, schemas[index]));
}

/** One schema for all items from an index on. */
function applyFrom(site: Site, array: readonly unknown[], start: number, schema: unknown): boolean {
  if (schema === true && site.marks === undefined) {
    return true;
  }
  let isValid = true;
  for (let index = start; index < array.length; index += 1) {
    isValid = markAndApply(site, index, schema) && isValid;
    if (!isValid && site.issues === undefined) {
      return false;
    }
  }
  return isValid;
}

function checkContains(site: Site, array: readonly unknown[], schema: unknown): boolean {
  const { minContains: least = 1, maxContains: most = Number.POSITIVE_INFINITY } = site.schema as {
    readonly minContains?: number;
    readonly maxContains?: number; // the compiler has seen to their shapes
  };
  const quiet = { ...site, issues: undefined };
  let count = 0;
  for (const index of array.keys()) {
    if (site.evaluator.applyInside(quiet, index, schema)) {
      site.marks?.add(index);
      count += 1;
    }
  }
  if (count < least) {
    return failWith(site, `must hold at least ${least} items of a certain kind`);
  }
  return count <= most || failWith(site, `must hold at most ${most} items of a certain kind`);
}

/** In time that grows with the items, not with their pairs. */
function isUnique(site: Site, array: readonly unknown[]): boolean {
  const seen = new Map<string, number>();
  for (const [index, item] of array.entries()) {
    const text = canonicalJson(item);
    site.evaluator.spend(2 + text.length / 16);
    const first = seen.get(text);
    if (first !== undefined) {
      return failWith(site, `must not hold the same item twice, as at ${first} and ${index}`);
    }
    seen.set(text, index);
  }
  return true;
}
