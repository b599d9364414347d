import { createHash } from "node:crypto";
import { canonicalJson } from "../../base/canonical-json.ts";
import type { JsonObject } from "../../base/json.ts";
import type { ToolPin } from "../../tool/tool-pins.ts";
import type { McpToolDefinition } from "./tool-definition.ts";

/** What of a definition a model or a policy goes by. Icons and `_meta` are not part of it. */
const parts = ["title", "description", "inputSchema", "outputSchema", "annotations"] as const;

/** The pin of a tool as the server publishes it now. */
export function toolPin({ sourceName, raw }: McpToolDefinition): ToolPin {
  const given = parts.filter((part) => raw[part] !== undefined);
  const definition = Object.fromEntries(given.map((part) => [part, raw[part]]));
  return { sha256: pinDigest(sourceName, definition), definition };
}

/** The digest of a tool: SHA-256 over the canonical JSON of its name and its definition. */
export function pinDigest(name: string, definition: JsonObject): string {
  return createHash("sha256")
    .update(canonicalJson({ ...definition, name }))
    .digest("hex");
}
