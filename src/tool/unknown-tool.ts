import { ToolError } from "../base/tool-error.ts";
import { wordsOf } from "../base/words.ts";

/** No more names than a model can choose among. */
const mostNames = 20;

/** What to tell a model that asked for a tool which is not there: the names that are, closest first. */
export function unknownTool(name: string, existing: readonly string[]): ToolError {
  const closest = closestNames(name, existing);
  const rest = existing.length - closest.length;
  const list = closest.map((known) => `"${known}"`).join(", ");
  return new ToolError(
    existing.length === 0
      ? `There is no tool "${name}", and no other tool either. Answer without tools.`
      : `There is no tool "${name}". The tools are: ${list}${rest > 0 ? ` and ${rest} more` : ""}.`,
    { code: "unknown-tool" },
  );
}

/** Names by likeness to `name`: shared words, then a common beginning. */
function closestNames(name: string, existing: readonly string[]): readonly string[] {
  const words = new Set(wordsOf(name));
  const likeness = (known: string): number =>
    wordsOf(known).filter((word) => words.has(word)).length + commonStart(name, known) / 100;
  return existing
    .map((known) => ({ known, score: likeness(known) }))
    .toSorted((left, right) => right.score - left.score)
    .slice(0, mostNames)
    .map(({ known }) => known);
}

function commonStart(left: string, right: string): number {
  let length = 0;
  while (length < left.length && left[length] === right[length]) {
    length += 1;
  }
  return length;
}
