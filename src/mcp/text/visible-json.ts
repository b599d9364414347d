import { isJsonObject, type Json } from "../../base/json.ts";
import { visibleText } from "./visible-text.ts";

/**
 * A server's data with every text and name in it as a person would see it; the same object where all
 * of it is visible. It is gone through recursively: its depth has been checked.
 */
export function visibleJson(value: Json): Json {
  if (typeof value === "string") {
    return visibleText(value);
  }
  if (Array.isArray(value)) {
    const items = value.map((item: Json) => visibleJson(item));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isJsonObject(value)) {
    return value;
  }
  const entries = Object.entries(value).map(([name, inner]) => {
    const shown = inner === undefined ? inner : visibleJson(inner);
    return { name, inner, shown, visibleName: visibleText(name) };
  });
  return entries.every((one) => one.visibleName === one.name && one.shown === one.inner)
    ? value
    : Object.fromEntries(entries.map(({ visibleName, shown }) => [visibleName, shown]));
}
