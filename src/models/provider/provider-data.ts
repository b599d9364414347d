import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import type { ProviderData } from "../../message/content.ts";

/**
 * The key under which provider data is kept: the protocol and the host that gave it. Data of one host
 * is never sent to another, which would refuse what it has not signed.
 */
export const providerKey = (protocol: string, { hostname }: URL): string =>
  `${protocol}/${hostname}`;

/** What the provider of this key has given with a part. */
export function opaqueOf(data: ProviderData | undefined, provider: string): JsonObject {
  const opaque = data?.[provider];
  return isJsonObject(opaque) ? opaque : {};
}

/** Opaque data that comes in pieces; of what both have, objects are joined and the later wins. */
export function mergeOpaque(
  before: JsonObject | undefined,
  after: JsonObject | undefined,
): JsonObject | undefined {
  if (before === undefined || after === undefined) {
    return after ?? before;
  }
  const merged: Record<string, Json | undefined> = { ...before };
  for (const [key, value] of Object.entries(after)) {
    const known = merged[key];
    merged[key] = isJsonObject(known) && isJsonObject(value) ? mergeOpaque(known, value) : value;
  }
  return merged;
}
