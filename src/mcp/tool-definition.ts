import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import type { JsonSchema } from "../base/json-schema.ts";
import type { ToolAnnotations } from "../tool/tool.ts";
import { cleanSchema } from "./clean-schema.ts";
import { visibleLine, visibleText } from "./visible-text.ts";

/**
 * A tool as a server publishes it. Everything in it is a stranger's claim; what a model is shown of
 * it (title, description, titles and descriptions of parameters) holds no invisible characters.
 */
export interface McpToolDefinition {
  /** The server's own name of the tool, which is what it is called by. */
  readonly sourceName: string;
  readonly title?: string;
  /** At most 4 096 characters. */
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: ToolAnnotations;
  /** The definition as the server sent it. */
  readonly raw: JsonObject;
}

/** What became of one entry of a server's list. */
export type DefinitionCheck =
  | {
      readonly kind: "usable";
      readonly definition: McpToolDefinition;
      /** What had to be changed, in words. */
      readonly remarks: readonly string[];
    }
  | { readonly kind: "malformed"; readonly name: string; readonly reason: string }
  | { readonly kind: "needs-task"; readonly name: string };

const longestName = 256;
const longestDescription = 4096;

/** Checks one entry of a server's list by itself: a bad one does no harm to the others. */
export function checkToolDefinition(entry: Json | undefined): DefinitionCheck {
  if (!isJsonObject(entry)) {
    return { kind: "malformed", name: "?", reason: "it is not an object" };
  }
  const { name } = entry;
  if (typeof name !== "string" || name === "" || name.length > longestName) {
    const shown = visibleLine(String(name), 64);
    return {
      kind: "malformed",
      name: shown,
      reason: "its name is not a text of 1 to 256 characters",
    };
  }
  if (needsTask(entry)) {
    return { kind: "needs-task", name };
  }
  const input = cleanSchema(entry["inputSchema"]);
  if (input.kind === "refused") {
    return { kind: "malformed", name, reason: `its inputSchema ${input.reason}` };
  }
  const { type = "object" } = input.schema;
  if (type !== "object") {
    return { kind: "malformed", name, reason: "its inputSchema does not describe an object" };
  }
  return usable(name, entry, input);
}

function usable(
  name: string,
  entry: JsonObject,
  input: { readonly schema: JsonSchema; readonly changed: boolean },
): DefinitionCheck {
  const written = typeof entry["description"] === "string" ? entry["description"] : "";
  const visible = visibleText(written);
  const description = visible.slice(0, longestDescription);
  const title = titleOf(entry);
  const output = cleanSchema(entry["outputSchema"]);
  const annotations = annotationsOf(entry["annotations"]);
  const remarks = [
    ...(visible === written
      ? []
      : ["its description held invisible characters, which were taken out"]),
    ...(description === visible
      ? []
      : [`its description was cut at ${longestDescription} characters`]),
    ...(input.changed ? ["descriptions of its parameters were cleaned or cut"] : []),
    ...(output.kind === "refused" && entry["outputSchema"] !== undefined
      ? [`its outputSchema ${output.reason} and is not used`]
      : []),
  ];
  const definition: McpToolDefinition = {
    sourceName: name,
    description,
    inputSchema: input.schema,
    raw: entry,
    ...(title === undefined ? {} : { title }),
    ...(output.kind === "clean" ? { outputSchema: output.schema } : {}),
    ...(annotations === undefined ? {} : { annotations }),
  };
  return { kind: "usable", definition, remarks };
}

/** Since 2025-11-25 a tool may be callable only as a task, which we do not do. */
function needsTask({ execution }: JsonObject): boolean {
  return isJsonObject(execution) && execution["taskSupport"] === "required";
}

/** The title stands in the definition since 2025-06-18, before that in the annotations. */
function titleOf({ title, annotations }: JsonObject): string | undefined {
  const written = title ?? (isJsonObject(annotations) ? annotations["title"] : undefined);
  return typeof written === "string" ? visibleLine(written, 200) : undefined;
}

function annotationsOf(hints: Json | undefined): ToolAnnotations | undefined {
  if (!isJsonObject(hints)) {
    return undefined;
  }
  const named = [
    ["readOnly", hints["readOnlyHint"]],
    ["destructive", hints["destructiveHint"]],
    ["idempotent", hints["idempotentHint"]],
    ["openWorld", hints["openWorldHint"]],
  ] as const;
  const given = named.filter(([, hint]) => typeof hint === "boolean");
  return given.length === 0 ? undefined : Object.fromEntries(given);
}
