import { announced, type Candidate, type Reading } from "./candidates.ts";
import type { Parameter } from "./parameters.ts";

/** Names and kinds that belong together, one pair for each object of a list. */
export interface Rows {
  readonly name: Parameter;
  readonly kind: Parameter;
  readonly names: readonly Candidate[];
  readonly kinds: readonly Candidate[];
}

/**
 * Several objects that a clause describes one by one: `Ada (person) and Acme (company)`, `Ada of type
 * person and Acme of type company`. `undefined` where fewer than two have a kind of their own.
 */
export function rowsOf(candidates: readonly Candidate[], reading: Reading): Rows | undefined {
  const inList = reading.parameters.filter(({ path, many }) => path.includes("[]") && !many);
  const name = inList.find(({ role, order }) => role === "name" && order === undefined);
  const kind = inList.find(({ role, path }) => role === "kind" && path[0] === name?.path[0]);
  if (name === undefined || kind === undefined) {
    return undefined;
  }
  const kinds = candidates.filter(
    (candidate) => values.has(candidate.kind) && isKind(candidate, kind, reading),
  );
  const names = kinds.flatMap(({ first }, index) => {
    const after = kinds[index - 1]?.last ?? -1;
    const found = candidates.find(
      (candidate) =>
        candidate.first > after &&
        candidate.last < first &&
        (candidate.kind === "name" || candidate.kind === "quoted"),
    );
    return found === undefined ? [] : [found];
  });
  return kinds.length > 1 && names.length === kinds.length
    ? { name, kind, names, kinds }
    : undefined;
}

const values: ReadonlySet<Candidate["kind"]> = new Set(["name", "bare", "quoted"]);

function isKind(candidate: Candidate, kind: Parameter, reading: Reading): boolean {
  const { tokens } = reading;
  const bracketed =
    tokens[candidate.first - 1]?.value === "(" && tokens[candidate.last + 1]?.value === ")";
  return bracketed || announced(candidate, kind, reading) >= 0.6;
}
