import { isJsonObject, type Json, parseJson } from "../../base/json.ts";
import type { ToolResultPart } from "../../message/content.ts";
import type { ToolDefinition } from "../../model/model.ts";
import type { Parameter } from "./parameters.ts";
import type { Outcome } from "./planning.ts";
import { type Entry, entriesOf, isFolder, textOfResult } from "./results.ts";

/** How to get a model that thinks, in one sentence. */
export const howToGetModel =
  "For a real model set GEMINI_API_KEY or OPENAI_API_KEY, run Ollama, or name one: `model` of an agent, --model on the command line.";

/** The answer to a message: what the tools gave, quoted, and what could not be done. */
export function answerOf(outcomes: readonly Outcome[], tools: readonly ToolDefinition[]): string {
  // A greeting beside a request that was understood is no failure.
  const understood = outcomes.filter(({ kind }) => kind !== "unmatched");
  const told = understood.length > 0 ? understood : outcomes.slice(0, 1);
  return told.map((outcome) => tell(outcome, tools)).join("\n\n");
}

/** What to say where no more calls are made although the message asks for more. */
export function unfinished(name: string, calls: number): string {
  return `I stopped after ${calls} tool calls; the next would have been \`${name}\`.`;
}

function tell(outcome: Outcome, tools: readonly ToolDefinition[]): string {
  switch (outcome.kind) {
    case "done":
      return quote(outcome.result, outcome.clause);
    case "failed": {
      const { name, arguments: given } = outcome.call;
      const error = cut(textOfResult(outcome.result), mostError);
      return `\`${name}\` failed (arguments ${cut(JSON.stringify(given), mostError)}): ${error}`;
    }
    case "missing":
      return askFor(outcome.tool, outcome.missing);
    case "unmatched":
      return noTool(outcome.clause, tools);
  }
}

function quote(result: ToolResultPart, clause: string): string {
  const from = `\`${result.name}\``;
  const media = result.content.flatMap((part) =>
    part.kind === "text" ? [] : [`[${part.kind}: ${part.name ?? part.mediaType}]`],
  );
  const text = [readable(textOfResult(result), clause), ...media].filter((part) => part !== "");
  const body = text.join("\n");
  if (body === "") {
    return `${from} is done; its result is empty.`;
  }
  return body.includes("\n") ? `From ${from}:\n${body}` : `From ${from}: ${body}`;
}

/** A result as a person reads it: names of a listing, JSON as indented lines, any other text as it is. */
function readable(text: string, clause: string): string {
  const json = parseJson(text);
  const entries = entriesOf(text);
  const counted = /^how many\b/i.test(clause) && entries.length > 0 ? count(entries, clause) : "";
  if (entries.length > 0 && (json === undefined || counted !== "")) {
    return cut(`${counted}${entries.map(line).join("\n")}`, mostQuote);
  }
  return cut(typeof json === "object" && json !== null ? outline(json, "") : text, mostQuote);
}

const line = (entry: Entry): string =>
  entry.name.includes("/") || entry.tag === undefined
    ? `- ${entry.name}`
    : `- ${entry.name}${isFolder(entry) ? "/" : ""}`;

function count(entries: readonly Entry[], clause: string): string {
  const folders = /^how many (?:\w+ )?(?:folders|directories|subfolders)/i.test(clause);
  const files = /^how many (?:\w+ )?(?:files|documents)/i.test(clause);
  const number = entries.filter((entry) =>
    folders ? isFolder(entry) : !(files && isFolder(entry)),
  ).length;
  const noun = folders ? "folder" : files ? "file" : "entry";
  const plural = noun === "entry" ? "entries" : `${noun}s`;
  return `${number} ${number === 1 ? noun : plural}. The whole list:\n`;
}

/** JSON as indented lines. */
function outline(value: Json, indent: string): string {
  if (Array.isArray(value)) {
    const flat = value.every((item) => typeof item !== "object" || item === null);
    return value.length === 0
      ? `${indent}(none)`
      : value
          .map((item) =>
            flat ? `${indent}- ${item}` : `${indent}- ${outline(item, `${indent}  `).trimStart()}`,
          )
          .join("\n");
  }
  if (!isJsonObject(value)) {
    return `${indent}${value}`;
  }
  return Object.entries(value)
    .map(([key, inner = null]) =>
      typeof inner === "object" && inner !== null
        ? Object.keys(inner).length === 0
          ? `${indent}${key}: (none)`
          : `${indent}${key}:\n${outline(inner, `${indent}  `)}`
        : `${indent}${key}: ${inner}`,
    )
    .join("\n");
}

function askFor(tool: ToolDefinition, missing: readonly Parameter[]): string {
  const names = missing.map((parameter) => `\`${labelOf(parameter)}\`${offered(parameter)}`);
  const example = missing.map((one) => `${labelOf(one)}: ${sample(one)}`).join(", ");
  const them = missing.length === 1 ? "it" : "them";
  return `\`${tool.name}\` fits, but the message does not give ${names.join(" and ")}, so I did not call it. Say ${them} in the message, for example: ${example}`;
}

const labelOf = ({ path }: Parameter): string => path.findLast((key) => key !== "[]") ?? "";

const offered = ({ choices }: Parameter): string =>
  choices.length === 0
    ? ""
    : ` (one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")})`;

function sample({ type, role, choices }: Parameter): string {
  if (choices[0] !== undefined) {
    return JSON.stringify(choices[0]);
  }
  if (type !== "string") {
    return type === "number" ? "3" : type === "boolean" ? "true" : "{}";
  }
  return samples[role] ?? '"some text"';
}

const samples: Readonly<Partial<Record<Parameter["role"], string>>> = {
  path: "notes/today.txt",
  url: "https://example.com/",
  email: "ada@example.com",
  date: "2030-01-31",
  pattern: "**/*.md",
  name: '"Ada"',
};

function noTool(clause: string, tools: readonly ToolDefinition[]): string {
  const asked = `"${cut(clause, 200)}"`;
  if (tools.length === 0) {
    return `I am the offline model: I match words to tools, and there is no tool here, so I cannot answer ${asked}. ${howToGetModel}`;
  }
  const names = tools.slice(0, mostTools).map(({ name }) => name);
  const more = tools.length > names.length ? ` and ${tools.length - names.length} more` : "";
  return `No tool matches ${asked}. I am the offline model: I match words to tools and do not think. The tools are: ${names.join(", ")}${more}. ${howToGetModel}`;
}

const mostTools = 30;
const mostQuote = 6_000;
const mostError = 600;

const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)}\n… (${text.length - most} more characters)` : text;
