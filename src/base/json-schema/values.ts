import { canonicalJson } from "../canonical-json.ts";
import { isOfFormat } from "./formats.ts";
import {
  failWith,
  type KeywordCheck,
  type KeywordChecks,
  keyword,
  oneOf,
  type Site,
  shortJson,
} from "./site.ts";

const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value;

const isOfType = (value: unknown, type: string): boolean =>
  type === "integer" ? Number.isInteger(value) : type === typeOf(value);

const numberCheck = (
  isMet: (value: number, operand: number, site: Site) => boolean,
  words: (operand: number) => string,
): KeywordCheck =>
  keyword<number | boolean>(
    (site, operand) =>
      typeof site.value !== "number" ||
      typeof operand === "boolean" ||
      isMet(site.value, operand, site) ||
      failWith(site, words(operand)),
  );

const lengthCheck = (
  isMet: (length: number, operand: number) => boolean,
  words: (operand: number) => string,
): KeywordCheck =>
  keyword<number>(
    (site, operand) =>
      typeof site.value !== "string" ||
      isMet(lengthOf(site.value), operand) ||
      failWith(site, words(operand)),
  );

/** In code points, as JSON Schema counts. */
function lengthOf(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length - 1; index += 1) {
    const isPair = (text.codePointAt(index) ?? 0) > 0xffff;
    length -= isPair ? 1 : 0;
    index += isPair ? 1 : 0;
  }
  return length;
}

/** Whether a number is a whole multiple, as decimals are meant: 0.3 is one of 0.1. */
function isMultiple(value: number, divisor: number): boolean {
  const quotient = value / divisor;
  return (
    Number.isFinite(quotient) &&
    (Number.isInteger(quotient) ||
      Math.abs(quotient - Math.round(quotient)) < 1e-9 * Math.min(1, Math.abs(quotient)))
  );
}

const wasExclusive = ({ schema }: Site, name: string): boolean => schema[name] === true; // draft 4

/** Keywords that look at the value alone. */
export const valueChecks: KeywordChecks = [
  [
    "type",
    keyword<string | readonly string[]>((site, operand) => {
      const types = typeof operand === "string" ? [operand] : operand;
      return (
        types.some((type) => isOfType(site.value, type)) ||
        failWith(site, `must be ${oneOf(types)}`, types)
      );
    }),
  ],
  [
    "const",
    (site, operand) => isSame(site, operand) || failWith(site, `must be ${shortJson(operand)}`),
  ],
  [
    "enum",
    keyword<readonly unknown[]>(
      (site, operand) =>
        operand.some((option) => isSame(site, option)) ||
        failWith(site, `must be one of ${shortJson(operand)}`),
    ),
  ],
  [
    "minimum",
    numberCheck(
      (value, least, site) =>
        value > least || (value === least && !wasExclusive(site, "exclusiveMinimum")),
      (least) => `must be at least ${least}`,
    ),
  ],
  [
    "maximum",
    numberCheck(
      (value, most, site) =>
        value < most || (value === most && !wasExclusive(site, "exclusiveMaximum")),
      (most) => `must be at most ${most}`,
    ),
  ],
  [
    "exclusiveMinimum",
    numberCheck(
      (value, limit) => value > limit,
      (limit) => `must be more than ${limit}`,
    ),
  ],
  [
    "exclusiveMaximum",
    numberCheck(
      (value, limit) => value < limit,
      (limit) => `must be less than ${limit}`,
    ),
  ],
  ["multipleOf", numberCheck(isMultiple, (divisor) => `must be a multiple of ${divisor}`)],
  [
    "minLength",
    lengthCheck(
      (length, least) => length >= least,
      (least) => `must have at least ${least} characters`,
    ),
  ],
  [
    "maxLength",
    lengthCheck(
      (length, most) => length <= most,
      (most) => `must have at most ${most} characters`,
    ),
  ],
  [
    "pattern",
    keyword<string>(
      (site, source) =>
        typeof site.value !== "string" ||
        site.evaluator.matches(source, site.value) !== false ||
        failWith(site, `does not match the pattern ${shortJson(source)}`),
    ),
  ],
  [
    "format",
    keyword<string>(
      (site, name) =>
        typeof site.value !== "string" ||
        !site.evaluator.formats ||
        isOfFormat(name, site.value) ||
        failWith(site, `is not of the format "${name}"`),
    ),
  ],
];

/** Whether two values are equal as JSON. Texts are compared only where the kinds are equal. */
function isSame({ evaluator, value }: Site, other: unknown): boolean {
  evaluator.spend(1);
  if (typeof other !== "object" || other === null || typeOf(other) !== typeOf(value)) {
    return value === other;
  }
  const text = canonicalJson(other);
  evaluator.spend(text.length);
  const isSmall = Object.keys(value as object).length === Object.keys(other).length; // an object, too
  return isSmall && sizeWithin(value, text.length) && canonicalJson(value) === text;
}

/** Whether a value has at most so many parts, so that it is worth writing. */
function sizeWithin(value: unknown, most: number): boolean {
  let left = most;
  const waiting = [value];
  while (waiting.length > 0 && left >= 0) {
    const next = waiting.pop();
    left -= 1;
    if (typeof next === "object" && next !== null) {
      const inner = Object.values(next);
      left -= inner.length;
      waiting.push(...(left < 0 ? [] : inner));
    }
  }
  return left >= 0;
}
