import { isJsonObject, type Json } from "../base/json.ts";
import { visibleText } from "./visible-text.ts";

/** Under these names stand bytes, or what a server is sent back as it was. */
const exact: ReadonlySet<string> = new Set(["data", "blob", "uri", "uriTemplate", "nextCursor"]);

/**
 * A server's data with every text and name in it as a person would see it, save what is bytes or an
 * address. It is gone through recursively: its depth has been checked.
 */
export function visibleJson(value: Json): Json {
  if (typeof value === "string") {
    return visibleText(value);
  }
  if (Array.isArray(value)) {
    return value.map((item: Json) => visibleJson(item));
  }
  if (!isJsonObject(value)) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      visibleText(name),
      inner === undefined || exact.has(name) ? inner : visibleJson(inner),
    ]),
  );
}
