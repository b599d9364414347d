import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import type { Candidate } from "./candidates.ts";
import type { Parameter } from "./parameters.ts";

/** What a clause gives for a tool's parameters. */
export interface Filling {
  readonly values: Values;
  /** Required parameters for which it gives nothing. */
  readonly missing: readonly Parameter[];
  /** The tokens, counted in the clause, that went into a value. */
  readonly used: ReadonlySet<number>;
}

/** The values of a call. */
export type Values = ReadonlyMap<Parameter, Filled>;

/** The value of one parameter. */
export interface Filled {
  readonly value: Json;
  /** How the message gave it; `schema` where the schema did, `rest` where it is what the clause has left. */
  readonly kind: Candidate["kind"] | "choice" | "schema" | "result" | "rest";
  /** How clearly the words around it announced it, from 0 to 1. */
  readonly announced: number;
}

/** The arguments that a filling makes. Several values for the name in an array of objects make several objects. */
export function toArguments(values: Values): JsonObject {
  const result: { [key: string]: Json } = {};
  const rows = Math.max(
    1,
    ...[...values.values()].map(({ value }) => spreadOf(value)?.length ?? 1),
  );
  for (const [{ path }, { value }] of values) {
    const spread = spreadOf(value);
    for (let row = 0; row < (path.includes("[]") ? rows : 1); row += 1) {
      place(result, path, row, spread === undefined ? value : (spread[row] ?? null));
    }
  }
  return result;
}

/** Marks a list of values as one for each object, rather than one value that is a list. */
export const spread = (values: readonly string[]): Json => ({ [spreadKey]: values });

const spreadKey = "\u0000each";

function spreadOf(value: Json): readonly Json[] | undefined {
  const values = isJsonObject(value) ? value[spreadKey] : undefined;
  return Array.isArray(values) ? values : undefined;
}

function place(
  target: { [key: string]: Json },
  path: readonly string[],
  row: number,
  value: Json,
): void {
  const [key = "", next, ...rest] = path;
  if (next === undefined) {
    target[key] = value;
    return;
  }
  const inner = target[key];
  if (next === "[]") {
    const list = Array.isArray(inner) ? [...inner] : [];
    const item: { [key: string]: Json } = { ...(isJsonObject(list[row]) ? list[row] : {}) } as {
      [key: string]: Json;
    };
    place(item, rest, 0, value);
    list[row] = item;
    target[key] = list;
  } else {
    const object = { ...(isJsonObject(inner) ? inner : {}) } as { [key: string]: Json };
    place(object, [next, ...rest], row, value);
    target[key] = object;
  }
}
