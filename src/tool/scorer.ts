import type { JsonSchema } from "../base/json-schema.ts";

/** A tool or a server, as a scorer sees it. */
export interface ScoredDocument {
  readonly name: string;
  /** Empty where there is none. */
  readonly description: string;
  /** What a tool takes, as JSON Schema. */
  readonly parameters?: JsonSchema | undefined;
  /** The server that a tool is of. */
  readonly server?: ScoredServer | undefined;
  /** The tools of a server, where they are known. */
  readonly tools?: readonly ScoredDocument[] | undefined;
}

/** What is said of a server beside its tools. */
export interface ScoredServer {
  readonly name: string;
  readonly description?: string | undefined;
}

/**
 * Tells how well tools or servers fit a message: by words, by embeddings, by whatever it likes.
 *
 * One that throws, rejects, or gives something else than one finite number for each document counts as
 * unavailable: whoever asked goes on without it, and an event says so.
 */
export interface Scorer {
  /** Names it in events. */
  readonly name: string;
  /** The score from which on a server is connected, unless the application says otherwise. */
  readonly threshold: number;
  /** Whether it looks at what tools a server has. Default true; if false, it gets servers without them. */
  readonly usesTools?: boolean;
  /**
   * One score for each document, in their order, the higher the better; 0 or less is no match at all.
   * A document that has not changed often comes as the same object again, so that what was made of it
   * can be kept in a WeakMap.
   */
  score(
    message: string,
    documents: readonly ScoredDocument[],
    scope: { readonly signal: AbortSignal },
  ): readonly number[] | Promise<readonly number[]>;
}

/** A scorer, or the name of a built-in one. */
export type ScorerChoice = "bm25f" | "tf-cosine" | Scorer;
