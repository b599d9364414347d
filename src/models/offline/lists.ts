import { type Candidate, type Reading, range, suitability } from "./candidates.ts";
import { conjunctions, determiners, prepositions } from "./grammar.ts";
import type { Parameter } from "./parameters.ts";

/**
 * A candidate and those of its kind that commas and `and` join to it, in order. Paths belong together
 * wherever they stand; a phrase that is a list itself comes apart at its commas.
 */
export function coordinated(
  first: Candidate,
  parameter: Parameter,
  candidates: readonly Candidate[],
  reading: Reading,
): readonly Candidate[] {
  if (first.kind === "phrase") {
    return splitPhrase(first, reading);
  }
  if (first.kind === "path") {
    return candidates.filter(({ kind }) => kind === "path");
  }
  const members = [first];
  for (let previous: Candidate | undefined = first; previous !== undefined; ) {
    const start = afterJoint(previous.last + 1, reading);
    const next: Candidate | undefined =
      start === undefined
        ? undefined
        : candidates.find(
            (candidate) =>
              candidate.first === start &&
              isAlike(candidate, first) &&
              !isLabel(candidate, reading),
          );
    if (next !== undefined && suitability(next, parameter, reading) > -0.5) {
      members.push(next);
    }
    previous = next;
  }
  return members;
}

const isAlike = ({ kind }: Candidate, first: Candidate): boolean =>
  kind === first.kind || (plain.has(kind) && plain.has(first.kind));

const plain: ReadonlySet<Candidate["kind"]> = new Set(["name", "bare"]);

/** A plain word that announces another value: the `type` of `Ada, type person`. */
const isLabel = ({ kind, first }: Candidate, { tokens }: Reading): boolean =>
  kind === "bare" &&
  (tokens[first + 1]?.kind === "word" || tokens[first + 1]?.kind === "quoted") &&
  !prepositions.has(tokens[first + 1]?.lower ?? "") &&
  !conjunctions.has(tokens[first + 1]?.lower ?? "");

/** The token after `,`, `and` or `, and`; `undefined` where none of them stands at `index`. */
function afterJoint(index: number, { tokens }: Reading): number | undefined {
  let next = index;
  while (/^(?:,|and|&|or)$/.test(tokens[next]?.lower ?? "")) {
    next += 1;
  }
  const joined = next > index;
  while (joined && determiners.has(tokens[next]?.lower ?? "")) {
    next += 1;
  }
  return joined ? next : undefined;
}

function splitPhrase(phrase: Candidate, { tokens, message }: Reading): readonly Candidate[] {
  const indexes = range(phrase.first, phrase.last);
  const commas = indexes.filter((index) => tokens[index]?.value === ",");
  const joints = indexes.filter(
    (index) =>
      tokens[index]?.value === "," || (commas.length > 0 && tokens[index]?.lower === "and"),
  );
  const bounds = [phrase.first - 1, ...joints, phrase.last + 1];
  return bounds.slice(1).flatMap((end, part): readonly Candidate[] => {
    const first = (bounds[part] ?? 0) + 1;
    const value = message.slice(tokens[first]?.start, tokens[end - 1]?.end);
    return first > end - 1 ? [] : [{ value, kind: "phrase", first, last: end - 1 }];
  });
}
