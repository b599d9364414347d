import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";

/** Something that a server lets be read (MCP 2025-11-25, server/resources). All of it is a stranger's text. */
export interface McpResource extends JsonObject {
  readonly uri: string;
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
}

/** A kind of resource, by a URI template (RFC 6570). */
export interface McpResourceTemplate extends JsonObject {
  readonly uriTemplate: string;
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** A template of messages that a server has (MCP 2025-11-25, server/prompts). */
export interface McpPrompt extends JsonObject {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly Json[];
}

/** What an argument is completed for: a prompt, or a resource template. */
export type McpCompletionReference =
  | { readonly type: "ref/prompt"; readonly name: string }
  | { readonly type: "ref/resource"; readonly uri: string };

/** Values that an argument may have. */
export interface McpCompletion {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}

/** What a server answered as completions; whatever is malformed is left out. */
export function toCompletion(completion: unknown): McpCompletion {
  const { values, total, hasMore }: JsonObject = isJsonObject(completion) ? completion : {};
  return {
    values: Array.isArray(values) ? values.filter((value) => typeof value === "string") : [],
    ...(typeof total === "number" ? { total } : {}),
    ...(typeof hasMore === "boolean" ? { hasMore } : {}),
  };
}
