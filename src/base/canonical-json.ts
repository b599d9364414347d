import { isJsonObject, type Json } from "./json.ts";

/** JSON text that is the same for equal values, whatever the order of their keys. */
export function canonicalJson(value: Json | undefined): string {
  return JSON.stringify(value, (_key, inner: Json) =>
    isJsonObject(inner)
      ? Object.fromEntries(
          Object.entries(inner).toSorted(([left], [right]) => (left < right ? -1 : 1)),
        )
      : inner,
  );
}
