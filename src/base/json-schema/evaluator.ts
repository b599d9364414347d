import { isJsonObject } from "../json.ts";
import type { LinearPattern, PatternEngine } from "../linear-pattern.ts";
import { pathText } from "../path-text.ts";
import type { ReferenceKeyword, SchemaIndex } from "./compiler.ts";
import { keywordChecks, unevaluatedChecks } from "./keywords.ts";
import type { JsonSchema, SchemaIssue } from "./schema.ts";
import type { Evaluator, FoundIssue, Site, Subject } from "./site.ts";

/** A schema that values can be checked against. */
export interface CompiledSchema {
  readonly index: SchemaIndex;
  /** By source; `undefined` is one that is not checked. */
  readonly patterns: ReadonlyMap<string, LinearPattern | undefined>;
}

/** How a value is checked. */
export interface EvaluatorOptions {
  /** Whether `format` is checked. */
  readonly formats: boolean;
  /** What runs patterns; without it they are not checked. */
  readonly engine: PatternEngine | undefined;
}

/** The check was given up. The message goes on the sentence "The schema …". */
export class Unchecked extends Error {}

/** What a check may take, in steps of some hundred nanoseconds: one for each schema and keyword applied. */
const mostSteps = 1_000_000;

/** How deep schemas may be applied within each other, so that the stack holds. */
const deepest = 700;

/** No more issues than a model can act on at once. */
const mostIssues = 10;

/** One check of one value. Neither its time nor its stack depends on what a schema wants of them. */
export class SchemaEvaluator implements Evaluator {
  readonly formats: boolean;
  readonly #compiled: CompiledSchema;
  readonly #engine: PatternEngine | undefined;
  readonly #path: (string | number)[] = [];
  /** Resources that are being applied, the outermost first: what a dynamic reference looks through. */
  readonly #resources: string[] = [];
  #steps = mostSteps;
  #depth = 0;

  constructor(compiled: CompiledSchema, { formats, engine }: EvaluatorOptions) {
    this.#compiled = compiled;
    this.#engine = engine;
    this.formats = formats;
  }

  /**
   * What is wrong with a value; empty where it is valid.
   *
   * @throws Unchecked where it would take too long to say.
   */
  check(schema: JsonSchema, value: unknown): readonly SchemaIssue[] {
    const issues: FoundIssue[] = [];
    return this.apply(schema, { value, issues, marks: undefined })
      ? []
      : issues.map(({ path, message }) => ({ path, message }));
  }

  apply(schema: unknown, { value, issues, marks }: Subject): boolean {
    this.spend(1);
    if (!isJsonObject(schema)) {
      return schema !== false || (issues !== undefined && this.fail(issues, "is not allowed"));
    }
    if (this.#depth >= deepest) {
      throw new Unchecked(`is applied more than ${deepest} deep to this value`);
    }
    const resource = this.#compiled.index.resourceOf(schema);
    const own = this.#compiled.index.hasUnevaluated ? new Set<string | number>() : undefined;
    this.#depth += 1;
    this.#resources.push(resource);
    const isValid = this.#applyKeywords({ evaluator: this, schema, value, issues, marks: own });
    this.#resources.pop();
    this.#depth -= 1;
    if (isValid && own !== undefined) {
      for (const mark of own) {
        marks?.add(mark);
      }
    }
    return isValid;
  }

  applyInside(site: Site, key: string | number, schema: unknown): boolean {
    this.#path.push(key);
    const value = (site.value as Record<string | number, unknown>)[key]; // where there are keys
    const isValid = this.apply(schema, { value, issues: site.issues, marks: undefined });
    this.#path.pop();
    return isValid;
  }

  target(schema: JsonSchema, keyword: ReferenceKeyword): unknown {
    const { index } = this.#compiled;
    const first = index.target(schema, keyword);
    const name = isJsonObject(first) && keyword === "$dynamicRef" && first["$dynamicAnchor"];
    if (typeof name !== "string" || !String(schema[keyword]).endsWith(`#${name}`)) {
      return first;
    }
    const outermost = this.#resources.find((resource) => index.dynamicAnchor(resource, name));
    return outermost === undefined ? first : index.dynamicAnchor(outermost, name);
  }

  matches(source: string, text: string): boolean | undefined {
    const pattern = this.#compiled.patterns.get(source);
    const steps = pattern?.stepsFor(text) ?? 0;
    if (pattern === undefined || this.#engine === undefined || steps > this.#steps) {
      return undefined;
    }
    this.spend(steps);
    return pattern.test(text, this.#engine);
  }

  spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) {
      throw new Unchecked(`takes more than ${mostSteps} steps to check this value against`);
    }
  }

  place(): string {
    return pathText(this.#path);
  }

  fail(issues: FoundIssue[], message: string, wanted?: readonly string[]): false {
    this.keep(issues, { path: this.place(), message, wanted });
    return false;
  }

  keep(issues: FoundIssue[], issue: FoundIssue): void {
    if (issues.length < mostIssues) {
      issues.push(issue);
    }
  }

  /** All keywords where issues are wanted, else only up to the first that the value does not meet. */
  #applyKeywords(site: Site): boolean {
    let isValid = true;
    for (const checks of [keywordChecks, unevaluatedChecks]) {
      for (const keyword in site.schema) {
        const check = checks.get(keyword);
        const operand = site.schema[keyword];
        if (check === undefined || operand === undefined) {
          continue;
        }
        this.spend(1);
        isValid = check(site, operand) && isValid;
        if (!isValid && site.issues === undefined) {
          return false;
        }
      }
      if (!this.#compiled.index.hasUnevaluated) {
        return isValid;
      }
    }
    return isValid;
  }
}
