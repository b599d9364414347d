/** What an attribute may be. */
export type AttributeValue = string | number | boolean | readonly string[];

/** Attributes by name. */
export type SpanAttributes = Readonly<Record<string, AttributeValue>>;

/** Attributes while they are put together: in place, since there are many of them in each run. */
export type OpenAttributes = Record<string, AttributeValue>;

/** Adds an attribute where there is a value. */
export function put(
  attributes: OpenAttributes,
  key: string,
  value: AttributeValue | undefined,
): void {
  if (value !== undefined) {
    attributes[key] = value;
  }
}
