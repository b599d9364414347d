import type { JsonObject } from "../base/json.ts";

/** How bad it is: the server cannot be used; it can, but look at it; it is good to know. */
export type Severity = "error" | "warning" | "info";

/** Something that `dragoman mcp doctor` has found. */
export interface Finding extends JsonObject {
  readonly severity: Severity;
  /** Stable, kebab-case name of what it is. */
  readonly code: string;
  /** What is wrong, in a sentence. */
  readonly message: string;
  /** What shows it. */
  readonly evidence: readonly string[];
  /** What to do. */
  readonly advice: string;
}

/** A finding; evidence may be left out. */
export function finding(
  severity: Severity,
  code: string,
  { message, advice, evidence = [] }: FindingWords,
): Finding {
  return { severity, code, message, evidence, advice };
}

/** The words of a finding. */
export interface FindingWords {
  readonly message: string;
  readonly advice: string;
  readonly evidence?: readonly string[];
}
