/** A JSON Schema, draft 2020-12 unless it says otherwise. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** One thing that is wrong with a value. */
export interface SchemaIssue {
  /** Where, as in `items[0].name`; the empty string is the value itself. */
  readonly path: string;
  /** What is wrong there, in words. */
  readonly message: string;
}
