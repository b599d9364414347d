import { untilAborted } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/dragoman-error.ts";
import { startTimeLimit } from "../base/time-limit.ts";
import { bm25fScorer } from "./bm25f-scorer.ts";
import type { ScoredDocument, Scorer, ScorerChoice } from "./scorer.ts";
import { tfCosineScorer } from "./tf-cosine-scorer.ts";

/** The scorer that is meant. */
export function scorerOf(choice: ScorerChoice = "bm25f"): Scorer {
  if (typeof choice === "object") {
    return choice;
  }
  return choice === "bm25f" ? bm25fScorer : tfCosineScorer;
}

/** What a scorer says, or why it says nothing. */
export type ScoringOutcome =
  | { readonly kind: "scored"; readonly scores: readonly number[] }
  | { readonly kind: "unavailable"; readonly why: string };

/** What scoring goes by. */
export interface ScoringScope {
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** A scorer that asks some service must not hold a run for long, in milliseconds. */
const longestScoringMs = 10_000;

/** Asks a scorer, which may be the application's own. @throws the signal's reason. */
export async function scoreDocuments(
  scorer: Scorer,
  message: string,
  documents: readonly ScoredDocument[],
  { signal, clock }: ScoringScope,
): Promise<ScoringOutcome> {
  const limit = startTimeLimit(
    clock,
    signal,
    longestScoringMs,
    () => `it took more than ${longestScoringMs} ms`,
  );
  try {
    const scoring = async (): Promise<readonly number[]> =>
      scorer.score(message, documents, { signal: limit.signal });
    const scores: unknown = await untilAborted(scoring(), limit.signal);
    return isComplete(scores, documents.length)
      ? { kind: "scored", scores }
      : { kind: "unavailable", why: "it did not give one number for each document" };
  } catch (thrown) {
    signal.throwIfAborted();
    return { kind: "unavailable", why: messageOf(thrown) };
  } finally {
    limit.stop();
  }
}

const isComplete = (scores: unknown, wanted: number): scores is readonly number[] =>
  Array.isArray(scores) &&
  scores.length === wanted &&
  scores.every((score) => Number.isFinite(score));
