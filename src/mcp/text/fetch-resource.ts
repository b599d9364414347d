import { fromBase64 } from "../../base/base64.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { visibleText } from "./visible-text.ts";

/**
 * The bytes of a server's resource, as `resources/read` gives them; of several contents the first.
 * `undefined` where the server has none. What goes wrong is an `McpError`.
 */
export async function fetchResource(
  uri: string,
  read: (params: { readonly uri: string }) => Promise<JsonObject>,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { contents } = await read({ uri });
  const [first] = Array.isArray(contents) ? contents : [];
  if (!isJsonObject(first)) {
    return undefined;
  }
  const { text, blob } = first;
  if (typeof text === "string") {
    return new TextEncoder().encode(visibleText(text));
  }
  return typeof blob === "string" ? fromBase64(blob) : undefined;
}
