import { wordsOf } from "../base/words.ts";

/** What a message is about, for the search of tools. */
export interface MessageWords {
  /** Every word once. */
  readonly all: ReadonlySet<string>;
  /** The words of each clause: a message may ask for several things. */
  readonly clauses: readonly ReadonlySet<string>[];
}

/**
 * The words of a message that may say which tools it needs; none where it has only grammar. What a web
 * address or a path stands for counts as if it were said.
 */
export function readMessage(message: string): MessageWords {
  const clauses = bounded(message)
    .split(clauseEnd)
    .map(wordsOfClause)
    .filter((clause) => clause.size > 0)
    .slice(0, mostClauses);
  return { all: new Set(clauses.flatMap((clause) => [...clause])), clauses };
}

/** The plain words of a text that are no mere grammar, each as often as it stands there. */
export function contentWordsOf(text: string): readonly string[] {
  return bounded(text)
    .split(/[^\p{L}\p{N}\p{M}_]+/u)
    .filter((word) => !stopWords.has(word.toLowerCase()))
    .flatMap((word) => wordsOf(word))
    .filter((word) => !stopWords.has(word));
}

/** Whoever pastes a book asks before or after it. */
const longestPart = 3_000;

const bounded = (text: string): string =>
  text.length <= 2 * longestPart
    ? text
    : `${text.slice(0, longestPart)}\n${text.slice(-longestPart)}`;

const mostClauses = 24;
const clauseEnd = /[\n.!?;:,](?:\s|$)|[。！？；，、]|\b(?:and|then)\b/iu;

function wordsOfClause(clause: string): ReadonlySet<string> {
  const meant = meanings.flatMap(([pattern, words]) => (pattern.test(clause) ? [words] : []));
  return new Set([clause, ...meant].flatMap(contentWordsOf));
}

/** What addresses, paths and the endings of files stand for. */
const meanings: readonly (readonly [RegExp, string])[] = [
  [/https?:\/\/|\bwww\./i, "url web page"],
  [/(?:^|[\s"'(])(?:~|\.{1,2})?\/[\w.-]+(?:\/|\b)|\b[a-z]:\\/i, "file path"],
  [/\.pptx?\b/i, "presentation"],
  [/\.(?:xlsx?|ods)\b/i, "excel"],
  [/\.docx?\b/i, "word document"],
  [/\.pdf\b/i, "pdf"],
  [/\.(?:md|markdown)\b/i, "markdown"],
  [/\.(?:png|jpe?g|gif|svg|webp)\b/i, "image"],
  [/\.(?:wav|mp3|flac|ogg)\b/i, "audio"],
  [/\.(?:mp4|mkv|mov|webm)\b/i, "video"],
  [/\.(?:txt|csv|json|log|ya?ml|toml)\b/i, "text"],
];

/** Words that every message has, whatever it is about. */
const stopWords: ReadonlySet<string> = new Set(
  [
    "a an the this that these those my your our its his her their some any all each every both",
    "in inside into to from of on at for with without under within about by as near between through",
    "regarding and or but also then than not no if so just only very much many more such other",
    "i you me we us it they them he she him one there here what which who whom whose where when how why",
    "is are was were am be been being do does did done have has had can could would will should must may might",
    "please want need like let tell help give via using use tool called named new latest now up out off over",
    "ok okay yes hi hello hey thanks thank s m re ll ve d t don",
  ].flatMap((line) => line.split(" ")),
);
