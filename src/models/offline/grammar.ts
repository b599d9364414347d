import { wordsOf } from "../../base/words.ts";
import type { Token } from "./tokens.ts";

/** A set of words from a line of text. */
const words = (line: string): ReadonlySet<string> => new Set(line.split(" "));

/** The same, as `wordsOf` gives them. */
const stems = (line: string): ReadonlySet<string> => new Set(wordsOf(line));

/** Words that point at something but are never its name. */
export const determiners: ReadonlySet<string> = words(
  "a an the this that these those my your our its his her their some any all each every both",
);

/** Words that stand before the name of a thing and say how it relates to the rest. */
export const prepositions: ReadonlySet<string> = words(
  "in inside into to from of on at for with without under within about by as near between through regarding concerning",
);

/** Words that join. */
export const conjunctions: ReadonlySet<string> = words("and or & plus also then");

/** Words that stand for something said before. */
export const pronouns: ReadonlySet<string> = words(
  "it its they them that this there those these him her his their one same result",
);

/** Pronouns that a thing said before can replace. */
export const pronounObjects: ReadonlySet<string> = words(
  "it them these those him she he its his their",
);

/** Words that open a question. */
export const questionWords: ReadonlySet<string> = words(
  "what which who whom whose where when how why is are does do did was were",
);

/** Words between a label and its value. */
export const connectors: ReadonlySet<string> = words(
  "is are was = : of called named titled a an the as being to",
);

/** Words that say nothing on which tool is meant. */
const fillers: ReadonlySet<string> = words(
  "please can could would will you i me we us want need like let tell have has had be been am just now so ok okay hi hello hey thanks thank there here not no but if up out off over only also me myself it's that's i'd i'll let's don't doesn't should must may might via using use tool called named back go ahead quickly again more new current whole entire after before first last next exactly following own same one ones such than them they he she many much few several see known mentioning extension matching ending starting including using something anything stuff thing things someone",
);

/** Words that open a talk, and may be what one wants written or repeated. */
export const greetings: ReadonlySet<string> = words("hi hello hey thanks thank ok okay");

/** Adjectives and the like, which stand before a noun without naming it. */
const adjectives: ReadonlySet<string> = words(
  "new current whole entire full same other own single first second third fourth fifth last next following existing empty main given specific allowed permitted available text plain working parent root small big large tiny long short",
);

/** Whether a token is a word without weight of its own for choosing a tool. */
export function isStopWord({ kind, lower }: Token): boolean {
  return (
    kind === "word" &&
    (determiners.has(lower) ||
      prepositions.has(lower) ||
      conjunctions.has(lower) ||
      pronouns.has(lower) ||
      questionWords.has(lower) ||
      fillers.has(lower))
  );
}

/** Whether a word may be the name of a thing: not grammar, not a mere adjective. */
export function mayName(token: Token): boolean {
  return token.kind === "word" && !isStopWord(token) && !adjectives.has(token.lower);
}

/** Verbs by what they do to the world; a verb may be in several groups. */
const changeVerbs: Readonly<Record<string, string>> = {
  create: "create make mkdir generate build touch add connect relate link associate",
  write: "write save store put overwrite record",
  add: "add append insert attach remember note store record",
  delete: "delete remove erase drop forget clear rm unlink destroy",
  move: "move rename mv relocate",
  copy: "copy duplicate clone cp",
  edit: "edit change modify update replace substitute patch alter swap",
  send: "send post mail publish notify submit",
  switch: "toggle switch enable disable turn activate deactivate",
  run: "run execute start trigger launch simulate perform invoke",
};

const changes: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  Object.entries(changeVerbs).map(([kind, verbs]) => [kind, stems(verbs)]),
);

/** Verbs that only look. */
const lookVerbs =
  "read open view cat display show print get fetch load retrieve return list enumerate ls search find look locate lookup grep query tell give describe echo repeat say compress gzip zip sum calculate compute count check compare summarize summarise research explain";
const looks: ReadonlySet<string> = stems(lookVerbs);

/** The kinds of change that a word belongs to. */
export function changesOf(stem: string): readonly string[] {
  return Object.keys(changes).filter((kind) => changes[kind]?.has(stem));
}

/** Whether a word, as `wordsOf` gives it, can be the verb of a request. */
export function isVerbStem(stem: string): boolean {
  return looks.has(stem) || changesOf(stem).length > 0;
}

/** Whether a token can be the verb of a request. */
export function isVerb(token: Token | undefined): boolean {
  const [stem = "", ...rest] = token?.stems ?? [];
  return token?.kind === "word" && rest.length === 0 && isVerbStem(stem);
}

/** Whether a token is a verb in the form of a request: `note`, and not `notes`. */
export function isImperative(token: Token | undefined): boolean {
  return token?.kind === "word" && imperatives.has(token.lower);
}

const imperatives: ReadonlySet<string> = words(
  [lookVerbs, ...Object.values(changeVerbs)].join(" "),
);

/** Whether a clause opens with an unknown verb: a word that an article follows (`draw the tree`). */
export function opensWithVerb([first, second]: readonly Token[]): boolean {
  return first?.kind === "word" && determiners.has(second?.lower ?? "");
}
