import { type RankOptions, rankTools } from "./rank-tools.ts";
import type { ScoredDocument } from "./scorer.ts";

/** Which tools a model is shown, and why. Plain JSON. */
export type ToolDecision = {
  /**
   * The best for the message; all, since there are no more than may be shown; or what a search by the
   * model has found, which is added.
   */
  readonly reason: "chosen" | "all-fit" | "found";
  /** What was searched for: the message, or the model's words. */
  readonly query: string;
  /** The name of the scorer; absent where none was asked. */
  readonly scorer?: string;
  /** The best first. */
  readonly tools: readonly ChosenTool[];
  /** Among how many. */
  readonly among: number;
  /** What went wrong with the scorer that was meant, so that the default one took its place. */
  readonly problem?: string;
};

/** A tool that is shown. */
export type ChosenTool = {
  /** What the model calls it. */
  readonly name: string;
  readonly server: string;
  readonly score?: number;
};

/** A tool that may be shown. */
export interface ToolCandidate {
  readonly name: string;
  readonly server: string;
  readonly document: ScoredDocument;
}

/**
 * Chooses the tools for a message. Where none fits, none is chosen: the model can search.
 *
 * @throws the signal's reason.
 */
export async function chooseTools(
  query: string,
  candidates: readonly ToolCandidate[],
  options: RankOptions,
): Promise<ToolDecision> {
  const among = candidates.length;
  if (among <= options.limit) {
    const tools = candidates.map(({ name, server }) => ({ name, server }));
    return { reason: "all-fit", query, tools, among };
  }
  const documents = candidates.map(({ document }) => document);
  const { ranked, ...how } = await rankTools(query, documents, options);
  const tools = ranked.flatMap(({ index, score }) => {
    const found = candidates[index];
    return found === undefined ? [] : [{ name: found.name, server: found.server, score }];
  });
  return { reason: "chosen", query, ...how, tools, among };
}
