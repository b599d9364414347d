import { isImperative, questionWords } from "./grammar.ts";
import type { Token } from "./tokens.ts";

/**
 * Splits a message into its requests, in order: at the end of a sentence, at `then`, and at an `and`
 * or a comma that a verb or a question word follows. A part that asks for nothing by itself (`search
 * and replace`) stays with the next.
 */
export function clausesOf(
  tokens: readonly Token[],
  message: string,
): readonly (readonly Token[])[] {
  const clauses: Token[][] = [];
  let current: Token[] = [];
  const close = (): void => {
    if (current.length > 0) {
      clauses.push(current);
    }
    current = [];
  };
  tokens.forEach((token, index) => {
    const before = tokens[index - 1];
    if (before !== undefined && /\n/.test(message.slice(before.end, token.start))) {
      close();
    }
    if (isBreak(tokens, index) && saysSomething(current, token)) {
      close();
    } else if (!(current.length === 0 && isJoint(token))) {
      current.push(token);
    }
    if (isSentenceEnd(token)) {
      current.pop();
      close();
    }
  });
  close();
  return clauses.map(trimEnd).filter((clause) => clause.length > 0);
}

const isJoint = ({ kind, lower }: Token): boolean =>
  (kind === "word" && joints.has(lower)) || (kind === "mark" && /[,;.]/.test(lower));

const joints: ReadonlySet<string> = new Set([
  "and",
  "then",
  "also",
  "afterwards",
  "finally",
  "next",
]);

const isSentenceEnd = ({ kind, lower }: Token): boolean => kind === "mark" && /[.?!;]/.test(lower);

/** Whether the joint at `index` (it may be several words long) opens a new request. */
function isBreak(tokens: readonly Token[], index: number): boolean {
  const token = tokens[index];
  if (token === undefined || !isJoint(token)) {
    return false;
  }
  const rest = tokens.slice(index, index + 4);
  const next = rest.find((candidate) => !isJoint(candidate));
  const sequel = rest.slice(0, next === undefined ? rest.length : rest.indexOf(next));
  const opens = next !== undefined && (isImperative(next) || questionWords.has(next.lower));
  return opens || sequel.some(({ lower }) => lower === "then");
}

/** Whether a clause is more than a verb; before a comma it must have one (`in a.txt, replace …`). */
function saysSomething(clause: readonly Token[], joint: Token): boolean {
  const words = clause.filter((token) => !isJoint(token));
  const asks = words.some((token) => isImperative(token) || questionWords.has(token.lower));
  return (
    words.length > 0 &&
    !(words.length === 1 && isImperative(words[0])) &&
    (asks || joint.value !== ",")
  );
}

function trimEnd(clause: readonly Token[]): readonly Token[] {
  const last = clause.findLastIndex((token) => !isJoint(token));
  return clause.slice(0, last + 1);
}
