import type { ToolDecision } from "./choose-tools.ts";
import { defineTool } from "./define-tool.ts";
import { findToolsName } from "./own-tools.ts";
import type { Tool } from "./tool.ts";
import { type ToolResult, toolSuccess } from "./tool-result.ts";

/** What a search came to. */
export interface FoundTools {
  readonly choice: ToolDecision;
  /** What is said of each of the tools, in their order. */
  readonly descriptions: readonly string[];
  /** Servers that have fitting tools, as far as is known, but could not be reached. */
  readonly unreachable: readonly string[];
}

/**
 * The tool by which a model gets more tools: it searches for what `search` knows, and what it finds is
 * callable from the next step on.
 *
 * @param servers names of servers, for the model to know what there is.
 */
export function defineFindTools(
  servers: readonly string[],
  search: (query: string) => Promise<FoundTools>,
): Tool {
  return defineTool({
    name: findToolsName,
    description: `Gives you more tools. Not all tools are shown: where none of those that you have does what is needed, describe it here in a few words (what is done, and to what). The tools that fit are yours from your next step on.${listed(servers)}`,
    inputSchema: {
      type: "object",
      properties: {
        query: {
          type: "string",
          description: "What the tool is to do, such as: convert a Word document to PDF",
        },
      },
      required: ["query"],
      additionalProperties: false,
    },
    idempotent: true,
    async execute(input) {
      const { query } = input as { readonly query: string }; // checked against the schema above
      const found = await search(query);
      return toolSuccess(found.choice, { content: [{ kind: "text", text: tell(found) }] });
    },
  });
}

const mostServers = 50;

const listed = (servers: readonly string[]): string =>
  servers.length === 0
    ? ""
    : ` There are tools of: ${servers.slice(0, mostServers).join(", ")}${servers.length > mostServers ? " and others" : ""}.`;

function tell({ choice, descriptions, unreachable }: FoundTools): string {
  const failed =
    unreachable.length === 0 ? "" : `\nCould not be reached: ${unreachable.join(", ")}.`;
  const lines = choice.tools.map(({ name }, index) => `- ${name}: ${cut(descriptions[index])}`);
  return lines.length === 0
    ? `No further tool fits. Say it in other words, or go on without.${failed}`
    : `You can now call:\n${lines.join("\n")}${failed}`;
}

/** The model gets the whole definition with its next step. */
const longestDescription = 200;

function cut(description = ""): string {
  const text = description.replace(/\s+/g, " ").trim();
  return text.length > longestDescription ? `${text.slice(0, longestDescription)}…` : text;
}

/** What a call of `find_tools` has chosen, out of its recorded result. */
export function choiceOf(result: ToolResult): ToolDecision | undefined {
  return result.kind === "success"
    ? (result.value as unknown as ToolDecision) // what `execute` above has returned
    : undefined;
}
