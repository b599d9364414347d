import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import type { JsonSchema } from "../../base/json-schema.ts";
import { deceptionIn } from "../../tool/look-alike.ts";
import type { ToolAnnotations } from "../../tool/tool.ts";
import { visibleLine, visibleText } from "../text/visible-text.ts";
import { limitWords, type ResolvedLimits } from "../wire/mcp-limits.ts";
import { cleanInputSchema, cleanOutputSchema } from "./clean-schema.ts";
import { type DefinitionMeasure, measureDefinition } from "./measure-definition.ts";

/**
 * A tool as a server publishes it. Everything in it is a stranger's claim; what a model is shown of
 * it (title, description, the texts, names and values of its inputSchema) holds no invisible characters.
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

/** Measures one entry of a server's list, as far as it is needed, or as `mostNodes` go. */
export function measureEntry(
  entry: Json | undefined,
  limits: ResolvedLimits,
  mostNodes: number = limits.maxDefinitionNodes,
): Readonly<DefinitionMeasure> {
  const { maxDefinitionDepth, maxDescriptionLength, maxParameterDescriptionLength } = limits;
  return measureDefinition(entry, {
    mostNodes,
    mostDepth: maxDefinitionDepth,
    longestText: Math.min(maxDescriptionLength, maxParameterDescriptionLength),
  });
}

/**
 * Checks one entry of a server's list by itself: a bad one does no harm to the others. Its schemas
 * are not compiled, only bounded; see `schemaRemarks`.
 */
export function checkToolDefinition(
  entry: Json | undefined,
  limits: ResolvedLimits,
  measure: Readonly<DefinitionMeasure> = measureEntry(entry, limits),
): DefinitionCheck {
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
  const excess = excessOf(measure, limits);
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
  return measure.isUnclean
    ? cleaned(name, entry, limits)
    : { kind: "usable", definition: toDefinition(name, entry), remarks: remarksOn(entry, []) };
}

function unusable(code: string, name: string, reason: string): DefinitionCheck {
  return { kind: "unusable", code, name, reason };
}

/** Which limit a definition is over, in words. */
function excessOf(
  { nodes, depth, patterns, longestPattern }: Readonly<DefinitionMeasure>,
  limits: ResolvedLimits,
): string | undefined {
  if (nodes > limits.maxDefinitionNodes) {
    return `it has more parts than ${limitWords("maxDefinitionNodes", limits)}`;
  }
  if (depth > limits.maxDefinitionDepth) {
    return `it is nested deeper than ${limitWords("maxDefinitionDepth", limits)}`;
  }
  if (patterns > limits.maxPatterns) {
    return `it has more patterns than ${limitWords("maxPatterns", limits)}`;
  }
  return longestPattern > limits.maxPatternBytes
    ? `it has a longer pattern than ${limitWords("maxPatternBytes", limits)}`
    : undefined;
}

/** A definition in which nothing has to be changed. */
function toDefinition(name: string, entry: JsonObject): McpToolDefinition {
  const { description, inputSchema, outputSchema } = entry;
  const definition: Writable<McpToolDefinition> = {
    sourceName: name,
    description: typeof description === "string" ? description : "",
    inputSchema: inputSchema as JsonSchema, // checkToolDefinition has seen to it
    raw: entry,
  };
  const title = titleOf(entry);
  if (title !== undefined) {
    definition.title = title;
  }
  if (isJsonObject(outputSchema)) {
    definition.outputSchema = outputSchema;
  }
  const annotations = annotationsOf(entry["annotations"]);
  if (annotations !== undefined) {
    definition.annotations = annotations;
  }
  return definition;
}

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** A definition of which texts may have to be cut, or to lose characters. */
function cleaned(name: string, entry: JsonObject, limits: ResolvedLimits): DefinitionCheck {
  const published = toDefinition(name, entry);
  const visible = visibleText(published.description);
  const description = visible.slice(0, limits.maxDescriptionLength);
  const input = cleanInputSchema(entry["inputSchema"] as JsonObject, limits); // likewise
  const { outputSchema } = entry;
  const output = isJsonObject(outputSchema) ? cleanOutputSchema(outputSchema, limits) : undefined;
  if (input.clash !== undefined) {
    const reason = `two of its parameters are called "${visibleLine(input.clash, 64)}" but for characters that nobody sees`;
    return unusable("mcp-tool-lookalike", name, reason);
  }
  const changes = [
    ...(visible === published.description
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
    ...(input.renamed
      ? [
          "names or values of its parameters hold invisible characters, which the model is not shown and the server is sent",
        ]
      : []),
  ];
  return {
    kind: "usable",
    definition: {
      ...published,
      description,
      inputSchema: input.schema,
      ...(output === undefined ? {} : { outputSchema: output.schema }),
    },
    remarks: remarksOn(entry, changes),
  };
}

function remarksOn({ outputSchema }: JsonObject, changes: readonly string[]): readonly Remark[] {
  const isUnused = outputSchema !== undefined && !isJsonObject(outputSchema);
  return isUnused || changes.length > 0
    ? [...changes, ...(isUnused ? ["its outputSchema is not an object and is not used"] : [])].map(
        (words) => ({ code: "mcp-tool-changed", words }),
      )
    : noRemarks;
}

const noRemarks: readonly Remark[] = [];

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
