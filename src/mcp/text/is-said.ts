import { canonicalJson } from "../../base/canonical-json.ts";
import { isDeeperThan, isJsonObject, type Json, parseJson } from "../../base/json.ts";

/** Of more blocks of text than that, no single one says the whole. */
const mostTexts = 100;

const deepest = 256;

/**
 * Whether the texts say the structured content: as JSON, as its only string, or item by item.
 * Servers that wrap what is no object (`{ result: … }`) say what is inside.
 */
export function isSaid(structured: Json, texts: readonly string[]): boolean {
  if (texts.length === 0) {
    return false;
  }
  const inner = isJsonObject(structured) ? Object.values(structured) : [];
  const forms = inner.length === 1 ? [structured, inner[0]] : [structured];
  const whole = [...texts.slice(0, mostTexts), texts.join("\n")];
  return forms.some((form) => {
    const canonical = canonicalJson(form);
    return whole.some((text) => says(text, form, canonical)) || saysEach(texts, form);
  });
}

const saysEach = (texts: readonly string[], form: Json | undefined): boolean =>
  Array.isArray(form) &&
  form.length === texts.length &&
  texts.every((text, index) => says(text, form[index], canonicalJson(form[index])));

function says(text: string, value: Json | undefined, canonical: string): boolean {
  if (typeof value === "string") {
    return text === value || parseJson(text) === value;
  }
  const parsed = parseJson(text);
  return (
    parsed !== undefined && !isDeeperThan(deepest, parsed) && canonicalJson(parsed) === canonical
  );
}
