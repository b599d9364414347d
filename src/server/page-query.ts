import { invalidInput } from "../ag-ui/refusal.ts";

/** Which part of a list is wanted. */
export interface PageQuery {
  readonly limit?: number;
  readonly after?: string;
}

/** `limit` and `after` of a query. @throws Refusal 400. */
export function pageQuery(query: Readonly<Record<string, string>>): PageQuery {
  const { after } = query;
  const limit = countIn(query, "limit", 1);
  return { ...(limit === undefined ? {} : { limit }), ...(after === undefined ? {} : { after }) };
}

/** A whole number of a query, up to 1000 where it is a `limit`. @throws Refusal 400. */
export function countIn(
  query: Readonly<Record<string, string>>,
  name: string,
  least: number,
): number | undefined {
  const text = query[name];
  if (text === undefined) {
    return undefined;
  }
  const value = /^\d{1,15}$/.test(text) ? Number(text) : -1;
  if (value < least || (name === "limit" && value > 1_000)) {
    const most = name === "limit" ? " to 1000" : " on";
    throw invalidInput(`${name} must be a whole number from ${least}${most}.`);
  }
  return value;
}
