import type { ReferenceKeyword } from "./compiler.ts";
import type { JsonSchema, SchemaIssue } from "./schema.ts";

/** An issue, with the types that would have been right where that is what is wrong. */
export interface FoundIssue extends SchemaIssue {
  readonly wanted?: readonly string[] | undefined;
}

/** What a schema is applied to, and what is wanted of it. */
export interface Subject {
  readonly value: unknown;
  /** Where issues go; undefined where only the verdict counts. */
  readonly issues: FoundIssue[] | undefined;
  /** Keys and indexes of the value that keywords have looked at; undefined where nobody asks. */
  readonly marks: Set<string | number> | undefined;
}

/** One schema that is applied to one value. */
export interface Site extends Subject {
  readonly schema: JsonSchema;
  readonly evaluator: Evaluator;
}

/** What keywords need of the check that they are part of. */
export interface Evaluator {
  /** Whether `format` is checked. */
  readonly formats: boolean;
  /** Applies a schema; marks are added only where the value is valid. */
  apply(schema: unknown, subject: Subject): boolean;
  /** Applies a schema to a property or an item of the site's value. */
  applyInside(site: Site, key: string | number, schema: unknown): boolean;
  /** What the reference in a schema leads to. */
  target(schema: JsonSchema, keyword: ReferenceKeyword): unknown;
  /** Whether a text matches a pattern; undefined where that is not checked. */
  matches(source: string, text: string): boolean | undefined;
  /** Takes steps off what the check may take; throws where there are no more. */
  spend(steps: number): void;
  /** Where in the value the check is, in words. */
  place(): string;
  /** Keeps an issue at that place, and says that the value is not valid. */
  fail(issues: FoundIssue[], message: string, wanted?: readonly string[]): false;
  /** Keeps an issue that was found elsewhere, unless there are enough. */
  keep(issues: FoundIssue[], issue: FoundIssue): void;
}

/** Whether the value of a site meets a keyword; where not, it leaves an issue. */
export type KeywordCheck = (site: Site, operand: unknown) => boolean;

/** Keywords with their checks. */
export type KeywordChecks = readonly (readonly [name: string, check: KeywordCheck])[];

/** A check whose operand has a type. */
export function keyword<Operand>(check: (site: Site, operand: Operand) => boolean): KeywordCheck {
  return (site, operand) => check(site, operand as Operand); // the compiler has seen to its shape
}

/** Says that the value is not valid, and what it is. */
export function failWith(site: Site, message: string, wanted?: readonly string[]): false {
  const { evaluator, issues, value } = site;
  return issues !== undefined && evaluator.fail(issues, `${message}${gotten(value)}`, wanted);
}

/** Applies a schema to the same value. */
export function applyHere({ evaluator, value, issues, marks }: Site, schema: unknown): boolean {
  return evaluator.apply(schema, { value, issues, marks });
}

/** The same without leaving issues. */
export function holdsHere(site: Site, schema: unknown): boolean {
  return applyHere({ ...site, issues: undefined }, schema);
}

/** A value as JSON, and of a long one the beginning. */
export function shortJson(value: unknown, longest = 300): string {
  const text = JSON.stringify(typeof value === "string" ? value.slice(0, longest) : value);
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

/** `"string" or "null"`. */
export function oneOf(types: readonly string[]): string {
  return types.map((type) => JSON.stringify(type)).join(" or ");
}

function gotten(value: unknown): string {
  const isLarge = typeof value === "object" && value !== null && Object.keys(value).length > 0;
  return isLarge ? "" : `, got ${shortJson(value, 80)}`;
}
