import { type ScoringScope, scoreDocuments, scorerOf } from "./score-documents.ts";
import type { ScoredDocument, ScorerChoice } from "./scorer.ts";

/** How servers are chosen for a message. */
export interface ServerDiscovery {
  /** Default `"bm25f"`. */
  readonly scorer?: ScorerChoice;
  /** The score from which on a server is connected. Default: the scorer's own. */
  readonly threshold?: number;
}

/**
 * Why these servers: they reached the threshold; or why all of them: nothing describes any, the
 * message says nothing, no server reached the threshold, the scorer could not be used.
 */
export type ServerDecisionReason =
  | "chosen"
  | "no-description"
  | "blank-message"
  | "below-threshold"
  | "scorer-unavailable";

/** Which servers a message is for, and why. Plain JSON. */
export type ServerDecision = {
  readonly reason: ServerDecisionReason;
  /** The name of the scorer. */
  readonly scorer: string;
  readonly threshold: number;
  /** In the order of the servers. Without a score where none was given. */
  readonly servers: readonly ChosenServer[];
  /** What went wrong with a scorer that is unavailable. */
  readonly problem?: string;
};

/** One server and what was decided. */
export type ChosenServer = {
  readonly name: string;
  readonly chosen: boolean;
  readonly score?: number;
};

/**
 * Chooses the servers that a message is for. Where it cannot tell, it chooses all: a server too many
 * costs time, one too few the answer.
 *
 * @throws the signal's reason.
 */
export async function chooseServers(
  message: string,
  servers: readonly ScoredDocument[],
  { scorer: choice, threshold: own }: ServerDiscovery,
  scope: ScoringScope,
): Promise<ServerDecision> {
  const scorer = scorerOf(choice);
  const threshold = own ?? scorer.threshold;
  const all = (reason: ServerDecisionReason): ServerDecision => ({
    reason,
    scorer: scorer.name,
    threshold,
    servers: servers.map(({ name }) => ({ name, chosen: true })),
  });
  const documents = scorer.usesTools === false ? servers.map(withoutTools) : servers;
  if (!documents.some(isDescribed)) {
    return all("no-description");
  }
  if (message.trim() === "") {
    return all("blank-message");
  }
  const outcome = await scoreDocuments(scorer, message, documents, scope);
  if (outcome.kind === "unavailable") {
    return { ...all("scorer-unavailable"), problem: outcome.why };
  }
  const { scores } = outcome;
  const reaches = (score = 0): boolean => score > 0 && score >= threshold;
  const reason = scores.some(reaches) ? "chosen" : "below-threshold";
  return {
    ...all(reason),
    servers: servers.map(({ name }, index) => ({
      name,
      chosen: reason === "below-threshold" || reaches(scores[index]),
      score: scores[index] ?? 0,
    })),
  };
}

const isDescribed = ({ description, tools }: ScoredDocument): boolean =>
  description.trim() !== "" || (tools ?? []).length > 0;

function withoutTools(server: ScoredDocument): ScoredDocument {
  const { tools, ...rest } = server;
  const bare = tools === undefined ? server : (bareServers.get(server) ?? rest);
  bareServers.set(server, bare);
  return bare;
}

const bareServers = new WeakMap<ScoredDocument, ScoredDocument>();
