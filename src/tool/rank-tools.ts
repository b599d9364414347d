import { bm25fScorer } from "./bm25f-scorer.ts";
import { type ScoringScope, scoreDocuments, scorerOf } from "./score-documents.ts";
import type { ScoredDocument, ScorerChoice } from "./scorer.ts";

/** A tool that fits a message. */
export interface RankedTool {
  /** Its place among the documents. */
  readonly index: number;
  readonly score: number;
}

/** The tools that fit a message. */
export interface ToolRanking {
  /** The name of the scorer that was used. */
  readonly scorer: string;
  /** The best first; only those that fit at all. */
  readonly ranked: readonly RankedTool[];
  /** What went wrong with the scorer that was meant, so that the default one took its place. */
  readonly problem?: string;
}

/** How tools are ranked. */
export interface RankOptions extends ScoringScope {
  /** No more than so many. */
  readonly limit: number;
  /** Default `"bm25f"`. */
  readonly scorer?: ScorerChoice | undefined;
}

/**
 * Ranks tools by a message.
 *
 * @throws the signal's reason.
 */
export async function rankTools(
  message: string,
  documents: readonly ScoredDocument[],
  { limit, scorer: choice, ...scope }: RankOptions,
): Promise<ToolRanking> {
  const scorer = scorerOf(choice);
  const outcome = await scoreDocuments(scorer, message, documents, scope);
  if (outcome.kind === "scored") {
    return { scorer: scorer.name, ranked: bestOf(outcome.scores, limit) };
  }
  const scores = await bm25fScorer.score(message, documents, scope);
  return { scorer: bm25fScorer.name, ranked: bestOf(scores, limit), problem: outcome.why };
}

/** The few best of thousands, without sorting them all. Of two that are equal, the earlier comes first. */
function bestOf(scores: readonly number[], limit: number): readonly RankedTool[] {
  const best: RankedTool[] = [];
  for (const [index, score] of scores.entries()) {
    if (score > 0 && (best.length < limit || score > (best.at(-1)?.score ?? score))) {
      const place = best.findIndex((other) => score > other.score);
      best.splice(place < 0 ? best.length : place, 0, { index, score });
      best.length = Math.min(best.length, limit);
    }
  }
  return best;
}
