import { defineTool } from "../tool/define-tool.ts";
import type { Tool } from "../tool/tool.ts";
import { type ToolResult, toolSuccess } from "../tool/tool-result.ts";
import { mostDepth } from "./list-files.ts";
import { type Match, type SearchOutcome, searchWorkspace } from "./search-workspace.ts";
import type { Workspace } from "./workspace.ts";

type Input = {
  readonly text?: string;
  readonly files?: string;
  readonly path?: string;
  readonly regex?: boolean;
  readonly ignoreCase?: boolean;
  readonly maxMatches?: number;
};

const timeoutMs = 10_000;

/** The tool `search_files`: lines that hold a text, or files by their names. */
export function searchFilesTool(workspace: Workspace): Tool {
  return defineTool({
    name: "search_files",
    description:
      "Searches the workspace: for lines that hold a text in files, or, without a text, for files by a pattern of their paths.",
    inputSchema: {
      type: "object",
      properties: {
        text: { type: "string", minLength: 1, maxLength: 1000, description: "Taken literally." },
        files: {
          type: "string",
          minLength: 1,
          maxLength: 500,
          description:
            "Which files: *.ts by name, src/**/*.{ts,tsx} by the path from the folder that is searched.",
        },
        path: { type: "string", description: "A folder. Default: all roots." },
        regex: {
          type: "boolean",
          description: "Whether text is a regular expression. Default false.",
        },
        ignoreCase: { type: "boolean", description: "Default false." },
        maxMatches: { type: "integer", minimum: 1, maximum: 1000, description: "Default 200." },
      },
      additionalProperties: false,
    },
    annotations: { readOnly: true },
    idempotent: true,
    async execute(input, { signal }) {
      const {
        regex = false,
        ignoreCase = false,
        path = "",
        maxMatches = 200,
        ...what
      } = input as Input; // checked against the schema
      const outcome = await searchWorkspace(workspace, {
        ...what,
        path,
        isRegex: regex,
        ignoreCase,
        maxMatches,
        depth: mostDepth,
        timeoutMs,
        signal,
      });
      return toResult(outcome);
    },
  }) as Tool;
}

function toResult(outcome: SearchOutcome): ToolResult {
  const { matches, files, skipped, untriedLines, incomplete } = outcome;
  const untried =
    untriedLines === undefined ? "" : `, ${untriedLines} lines too long for the regular expression`;
  const skippedWords =
    skipped === 0 ? "" : `, ${skipped} skipped (no text, too large, or not to be read)`;
  const about = `[${matches.length} matches, ${files} files searched${skippedWords}${untried}${incomplete === undefined ? "" : `; ${reasons[incomplete]}`}]`;
  return toolSuccess(
    { ...outcome, matches: [...matches] },
    { content: [{ kind: "text", text: [about, ...matches.map(line)].join("\n") }] },
  );
}

const line = ({ path, line: number, text }: Match): string =>
  number === undefined ? path : `${path}:${number}: ${text}`;

const reasons: Readonly<Record<NonNullable<SearchOutcome["incomplete"]>, string>> = {
  matches: "there are more: narrow the search",
  time: "the time was over before all was searched: narrow the search",
  entries: "not all files were seen: search one folder",
};
