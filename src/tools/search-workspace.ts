import { setImmediate as yieldTurn } from "node:timers/promises";
import { readBytes, textOf, withFile } from "./file-reading.ts";
import type { FoundEntry } from "./folder-listing.ts";
import { type LineTest, pathTest, type TextTest, textTest } from "./search-pattern.ts";
import type { Workspace } from "./workspace.ts";
import { WorkspaceError } from "./workspace-error.ts";

/** What is looked for, and where. */
export interface SearchRequest {
  /** A text; absent: files are looked for by their names alone. */
  readonly text?: string | undefined;
  /** Whether `text` is a regular expression. */
  readonly isRegex: boolean;
  readonly ignoreCase: boolean;
  /** A folder; the empty path is the whole workspace. */
  readonly path: string;
  /** A pattern for the paths of files, from that folder on. */
  readonly files?: string | undefined;
  readonly depth: number;
  readonly maxMatches: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** A line, or a file where no text is looked for. */
export interface Match {
  readonly path: string;
  /** Counted from 1. */
  readonly line?: number;
  /** The line, or what is around the place where it is long. */
  readonly text?: string;
}

/** What a search found. */
export interface SearchOutcome {
  readonly matches: readonly Match[];
  /** How many files were looked into, or at. */
  readonly files: number;
  /** Files that were not looked into, since they are no text, too large, or not to be read. */
  readonly skipped: number;
  /** Lines that are too long for the regular expression. */
  readonly untriedLines?: number;
  /** Why there may be more. */
  readonly incomplete?: "matches" | "time" | "entries";
}

/** The largest file that is looked into, in bytes. */
const mostFileBytes = 16 * 1024 * 1024;

/** How long others wait for their turn. */
const turnMs = 20;

/**
 * Looks for text in files, or for files.
 *
 * @throws ToolError for a pattern that cannot be used; the signal's reason.
 */
export async function searchWorkspace(
  workspace: Workspace,
  request: SearchRequest,
): Promise<SearchOutcome> {
  const { text, files, path, depth, signal } = request;
  const search = new Search(request, {
    isFileWanted: files === undefined ? undefined : await pathTest(files),
    isLineWanted: text === undefined ? undefined : await textTest(text, request),
  });
  const isAll = await workspace.visit(path, { depth, signal }, (found) => search.look(found));
  return search.outcome(isAll);
}

interface Tests {
  readonly isFileWanted: TextTest | undefined;
  readonly isLineWanted: LineTest | undefined;
}

class Search {
  readonly #request: SearchRequest;
  readonly #tests: Tests;
  readonly #until: number;
  readonly #matches: Match[] = [];
  #turnBegan = performance.now();
  #files = 0;
  #skipped = 0;
  #untried = 0;
  #incomplete: SearchOutcome["incomplete"];

  constructor(request: SearchRequest, tests: Tests) {
    this.#request = request;
    this.#tests = tests;
    this.#until = performance.now() + request.timeoutMs;
  }

  /** Whether the search goes on after an entry. */
  async look(found: FoundEntry): Promise<boolean> {
    await this.#giveTurn();
    if (found.entry.kind === "file" && this.#isWanted(found.entry.path)) {
      await this.#lookInto(found);
    }
    return this.#incomplete === undefined;
  }

  outcome(isAll: boolean): SearchOutcome {
    const incomplete = this.#incomplete ?? (isAll ? undefined : "entries");
    return {
      matches: this.#matches,
      files: this.#files,
      skipped: this.#skipped,
      ...(this.#untried === 0 ? {} : { untriedLines: this.#untried }),
      ...(incomplete === undefined ? {} : { incomplete }),
    };
  }

  #isWanted(path: string): boolean {
    const folder = this.#request.path.replace(/\/+$/, "");
    const within =
      folder !== "" && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
    return this.#tests.isFileWanted?.(within) ?? true;
  }

  async #lookInto({ entry, folder, name, stats }: FoundEntry): Promise<void> {
    const { isLineWanted } = this.#tests;
    if (isLineWanted === undefined) {
      this.#files += 1;
      this.#add({ path: entry.path });
      return;
    }
    const place = { folder, name, stats, isIntact: () => folder.isSame() };
    const text = await withFile(place, entry.path, async (file) =>
      file.stats.size > mostFileBytes
        ? undefined
        : textOf(await readBytes(file, 0, Math.min(file.stats.size, mostFileBytes))),
    ).catch(ifUnreadable);
    if (text === undefined) {
      this.#skipped += 1;
      return;
    }
    this.#files += 1;
    await this.#lookAtLines(entry.path, text, isLineWanted);
  }

  async #lookAtLines(path: string, text: string, isWanted: LineTest): Promise<void> {
    let line = 0;
    for (let start = 0; start <= text.length; ) {
      line += 1;
      const newline = text.indexOf("\n", start);
      const end = newline === -1 ? text.length : newline;
      const content = text.slice(start, end).replace(/\r$/, "");
      const isFound = isWanted(content);
      if (isFound === undefined) {
        this.#untried += 1;
      } else if (isFound) {
        this.#add({ path, line, text: this.#excerpt(content) });
      }
      await this.#giveTurn();
      if (this.#incomplete !== undefined) {
        return;
      }
      start = end + 1;
    }
  }

  #add(match: Match): void {
    if (this.#matches.length === this.#request.maxMatches) {
      this.#incomplete = "matches";
    } else {
      this.#matches.push(match);
    }
  }

  /** Looks at the clock; now and then it lets others do their work. */
  async #giveTurn(): Promise<void> {
    const now = performance.now();
    if (now > this.#until) {
      this.#incomplete ??= "time";
    }
    if (now - this.#turnBegan > turnMs) {
      await yieldTurn();
      this.#request.signal.throwIfAborted();
      this.#turnBegan = performance.now();
    }
  }

  #excerpt(line: string): string {
    if (line.length <= longestExcerpt) {
      return line;
    }
    const { text = "", isRegex, ignoreCase } = this.#request;
    const at = isRegex
      ? 0
      : ignoreCase
        ? line.toLowerCase().indexOf(text.toLowerCase())
        : line.indexOf(text);
    const start = Math.max(0, at - longestExcerpt / 2);
    const part = line.slice(start, start + longestExcerpt).toWellFormed();
    return `${start > 0 ? "…" : ""}${part}${start + longestExcerpt < line.length ? "…" : ""}`;
  }
}

const longestExcerpt = 300;

/** A file that may not be read, or is another one by now, does not end the search. */
function ifUnreadable(error: unknown): undefined {
  if (WorkspaceError.is(error) || (error instanceof Error && "code" in error)) {
    return undefined;
  }
  throw error;
}
