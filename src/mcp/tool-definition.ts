import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import { inspectJsonSchema, type JsonSchema } from "../base/json-schema.ts";
import { deceptionIn } from "../tool/look-alike.ts";
import type { ToolAnnotations } from "../tool/tool.ts";
import { cleanSchema } from "./clean-schema.ts";
import { type JsonSize, jsonSize } from "./json-size.ts";
import { limitWords, type ResolvedLimits } from "./mcp-limits.ts";
import { visibleLine, visibleText } from "./visible-text.ts";

/**
 * A tool as a server publishes it. Everything in it is a stranger's claim; what a model is shown of
 * it (title, description, titles and descriptions of parameters) holds no invisible characters.
 */
export interface McpToolDefinition {
  /** The server's own name of the tool, which is what it is called by. */
  readonly sourceName: string;
  readonly title?: string;
  /** At most `limits.maxDescriptionLength` characters. */
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
      /** What had to be changed, or cannot be relied on. */
      readonly remarks: readonly Remark[];
    }
  | {
      readonly kind: "unusable";
      readonly code: string;
      readonly name: string;
      readonly reason: string;
    };

/** A notice on a tool that is had all the same; the words go on "The tool …: ". */
export interface Remark {
  readonly code: string;
  readonly words: string;
}

const longestName = 256;

/** Checks one entry of a server's list by itself: a bad one does no harm to the others. */
export function checkToolDefinition(
  entry: Json | undefined,
  limits: ResolvedLimits,
  size: Readonly<JsonSize> = jsonSize(entry, limits.maxDefinitionNodes),
): DefinitionCheck {
  const unusable = (code: string, name: string, reason: string): DefinitionCheck => ({
    kind: "unusable",
    code,
    name,
    reason,
  });
  if (!isJsonObject(entry)) {
    return unusable("mcp-tool-malformed", "?", "it is not an object");
  }
  const { name } = entry;
  if (typeof name !== "string" || name === "" || name.length > longestName) {
    const shown = typeof name === "string" ? visibleLine(name, 64) : "?";
    const reason = `its name is not a text of 1 to ${longestName} characters`;
    return unusable("mcp-tool-malformed", shown, reason);
  }
  const deception =
    name === visibleText(name) ? deceptionIn(name) : "it holds invisible characters";
  if (deception !== undefined) {
    const reason = `its name can be mistaken for another: ${deception}`;
    return unusable("mcp-tool-look-alike", name, reason);
  }
  const excess = excessOf(size, limits);
  if (excess !== undefined) {
    return unusable("mcp-tool-too-large", name, excess);
  }
  if (needsTask(entry)) {
    const reason = "it can only be called as a task, which is not supported";
    return unusable("mcp-tool-needs-task", name, reason);
  }
  const { inputSchema } = entry;
  if (!isJsonObject(inputSchema)) {
    return unusable("mcp-tool-malformed", name, "its inputSchema is not an object");
  }
  if ((inputSchema["type"] ?? "object") !== "object") {
    const reason = "its inputSchema does not describe an object";
    return unusable("mcp-tool-malformed", name, reason);
  }
  return usable(name, { ...entry, inputSchema }, { raw: entry, limits });
}

/** Which limit a definition is over, in words. */
function excessOf(size: Readonly<JsonSize>, limits: ResolvedLimits): string | undefined {
  const excesses = [
    [size.nodes, "maxDefinitionNodes", "it has more parts than"],
    [size.depth, "maxDefinitionDepth", "it is nested deeper than"],
    [size.patterns, "maxPatterns", "it has more patterns than"],
    [size.longestPattern, "maxPatternBytes", "it has a longer pattern than"],
  ] as const;
  const [found] = excesses.filter(([value, limit]) => value > limits[limit]);
  return found && `${found[2]} ${limitWords(found[1], limits)}`;
}

function usable(
  name: string,
  entry: JsonObject & { readonly inputSchema: JsonObject },
  { raw, limits }: { readonly raw: JsonObject; readonly limits: ResolvedLimits },
): DefinitionCheck {
  const written = typeof entry["description"] === "string" ? entry["description"] : "";
  const visible = visibleText(written);
  const description = visible.slice(0, limits.maxDescriptionLength);
  const title = titleOf(entry);
  const input = cleanSchema(entry.inputSchema, limits);
  const output = isJsonObject(entry["outputSchema"])
    ? cleanSchema(entry["outputSchema"], limits)
    : undefined;
  const annotations = annotationsOf(entry["annotations"]);
  const changes = [
    ...(visible === written
      ? []
      : ["its description held invisible characters, which were taken out"]),
    ...(description === visible
      ? []
      : [`its description was cut at ${limitWords("maxDescriptionLength", limits)} characters`]),
    ...(input.changed
      ? [
          `descriptions of its parameters held invisible characters or were over ${limitWords("maxParameterDescriptionLength", limits)}, and were cleaned or cut`,
        ]
      : []),
    ...(output === undefined && entry["outputSchema"] !== undefined
      ? ["its outputSchema is not an object and is not used"]
      : []),
  ];
  const definition: McpToolDefinition = {
    sourceName: name,
    description,
    inputSchema: input.schema,
    raw,
    ...(title === undefined ? {} : { title }),
    ...(output === undefined ? {} : { outputSchema: output.schema }),
    ...(annotations === undefined ? {} : { annotations }),
  };
  const remarks = [
    ...changes.map((words) => ({ code: "mcp-tool-changed", words })),
    ...uncheckable("inputSchema", input.schema),
    ...(output === undefined ? [] : uncheckable("outputSchema", output.schema)),
  ];
  return { kind: "usable", definition, remarks };
}

/** What of a schema cannot be checked. The tool is had all the same. */
function uncheckable(what: string, schema: JsonSchema): readonly Remark[] {
  const checked = what === "inputSchema" ? "its arguments" : "its results";
  const { fault, uncheckedPatterns } = inspectJsonSchema(schema);
  if (fault !== undefined) {
    const words = `its ${what} ${fault}; ${checked} are not checked against it`;
    return [{ code: "mcp-schema-unusable", words }];
  }
  const [first] = uncheckedPatterns;
  if (first === undefined) {
    return [];
  }
  const words = `${checked} are not checked against ${uncheckedPatterns.length} pattern(s) of its ${what} that cannot be decided in linear time, the first: ${visibleLine(first, 100)}`;
  return [{ code: "mcp-pattern-unchecked", words }];
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
