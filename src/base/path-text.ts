/** `["items", 0, "name"]` as `items[0].name`. */
export function pathText(keys: readonly PropertyKey[]): string {
  return keys
    .map((key) => (/^\d+$/.test(String(key)) ? `[${String(key)}]` : `.${String(key)}`))
    .join("")
    .replace(/^\./, "");
}
