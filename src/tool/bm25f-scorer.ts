import type { ScoredDocument, Scorer } from "./scorer.ts";
import { ToolIndex } from "./tool-index.ts";

/**
 * The default scorer, by the words of tools: see {@link ToolIndex}. A server is as good as the best of
 * its tools; one whose tools are not known is scored by its name and description. The best document of
 * a message has 1, the others their share of it.
 *
 * It keeps the indexes of a few lists of documents, and those documents with them.
 */
export function createBm25fScorer(): Scorer {
  const recent: DocumentList[] = [];
  const listOf = (documents: readonly ScoredDocument[]): DocumentList => {
    const at = recent.findIndex((one) => isSameList(one.documents, documents));
    const [known] = at < 0 ? [] : recent.splice(at, 1);
    const list = known ?? indexed(documents);
    recent.unshift(list);
    recent.length = Math.min(recent.length, mostLists);
    return list;
  };
  return {
    name: "bm25f",
    threshold: 0.12,
    score(message, documents) {
      const { index, owners } = listOf(documents);
      const best = documents.map(() => 0);
      let top = 0;
      index.scores(message).forEach((score, part) => {
        const owner = owners[part] ?? part; // one for each part
        best[owner] = Math.max(best[owner] ?? 0, score);
        top = Math.max(top, score);
      });
      return top === 0 ? best : best.map((score) => score / top);
    },
  };
}

/** The one of every agent that chooses no other. */
export const bm25fScorer: Scorer = createBm25fScorer();

interface DocumentList {
  readonly documents: readonly ScoredDocument[];
  readonly index: ToolIndex;
  /** For each document of the index, the place of the one that it is a part of. */
  readonly owners: readonly number[];
}

const mostLists = 4;

const isSameList = (left: readonly unknown[], right: readonly unknown[]): boolean =>
  left.length === right.length && left.every((one, at) => one === right[at]);

function indexed(documents: readonly ScoredDocument[]): DocumentList {
  const parts = documents.map(partsOf);
  return {
    documents: [...documents],
    index: new ToolIndex(parts.flat()),
    owners: parts.flatMap((own, owner) => own.map(() => owner)),
  };
}

/** What is searched for a document: a server's tools, or the document itself. */
function partsOf(document: ScoredDocument): readonly ScoredDocument[] {
  const { name, description, parameters, server, tools } = document;
  if (tools !== undefined && tools.length > 0) {
    return tools;
  }
  const isTool = parameters !== undefined || server !== undefined;
  // The name of a server says less than that of a tool.
  return [isTool ? document : { name: "", description, server: { name } }];
}
