import { type Choice, chooseTools } from "./choice.ts";
import { clausesOf } from "./clauses.ts";
import { complete } from "./completion.ts";
import { toArguments } from "./filling.ts";
import { isPlace } from "./folders.ts";
import { parametersOf } from "./parameters.ts";
import type { Outcome, Plan, Planning } from "./planning.ts";
import { resolvePronouns, type Said, subjectOf } from "./references.ts";
import { repair } from "./repair.ts";
import { type Token, tokenize } from "./tokens.ts";
import { toolChangesOf } from "./tools.ts";

/** Does what a message asks, one request after the other. */
export function* planMessage(planning: Planning): Plan<void> {
  const { message, earlier, outcomes } = planning;
  const clauses = clausesOf(tokenize(message), message);
  const said: Said[] = earlier.map((text) => ({ tokens: tokenize(text), message: text }));
  for (let index = 0; index < clauses.length; index += 1) {
    const tokens = clauses[index] ?? [];
    const joined = [...tokens, ...(clauses[index + 1] ?? [])];
    const together = joined.length > tokens.length && belongTogether(tokens, joined, planning);
    const request = together ? joined : tokens;
    outcomes.push(yield* pursue(request, said, planning));
    said.push({ tokens: request, message });
    index += together ? 1 : 0;
  }
  if (clauses.length === 0) {
    outcomes.push({ kind: "unmatched", clause: message });
  }
}

/** Whether a request lacks what the next one gives: `create a.txt and put "x" in it`. */
function belongTogether(
  tokens: readonly Token[],
  joined: readonly Token[],
  { tools, message }: Planning,
): boolean {
  const [alone] = chooseTools(tools, tokens, message);
  const lacks = alone?.filling.missing.some((parameter) => !isPlace(alone.tool, parameter));
  const [both] = lacks ? chooseTools(tools, joined, message) : [];
  return both !== undefined && both.tool === alone?.tool && both.filling.missing.length === 0;
}

function* pursue(
  spoken: readonly Token[],
  said: readonly Said[],
  planning: Planning,
): Plan<Outcome> {
  const { message, tools, outcomes } = planning;
  const clause = message.slice(spoken[0]?.start, spoken.at(-1)?.end);
  const tokens = resolvePronouns(spoken, subjectOf(outcomes.at(-1), tools), said);
  const choices = chooseTools(tools, tokens, message);
  const [best] = choices;
  if (best === undefined) {
    return { kind: "unmatched", clause };
  }
  let choice = best;
  let values = yield* complete(best, tokens, said, planning);
  const missing = best.filling.missing.filter((parameter) => !values.has(parameter));
  if (missing.length > 0) {
    const other = choices.find((one) => mayReplace(one, best));
    if (other === undefined) {
      return { kind: "missing", clause, tool: best.tool, missing };
    }
    choice = other;
    values = yield* complete(other, tokens, said, planning);
  }
  const { tool } = choice;
  const call = { name: tool.name, arguments: toArguments(values) };
  const result = yield call;
  const repaired = result.isError
    ? yield* repair({ tool, values, tokens }, result, planning)
    : undefined;
  const last = repaired ?? { call, result };
  return { kind: last.result.isError ? "failed" : "done", clause, ...last };
}

/** Whether a tool that takes nothing or is given something, and only looks, may stand in for one that lacks an argument. */
const mayReplace = ({ tool, filling, score }: Choice, best: Choice): boolean =>
  score >= 0.6 * best.score &&
  filling.missing.length === 0 &&
  (filling.values.size > 0 || parametersOf(tool).length === 0) &&
  toolChangesOf(tool).size === 0;
