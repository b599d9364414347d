import type { ScoredWord } from "../../base/word-scorer.ts";
import { wordsOf } from "../../base/words.ts";
import { isStopWord } from "./grammar.ts";
import { isFileName, type Token } from "./tokens.ts";

/** The words of a clause that say which tool is meant. */
export function contentWordsOf(clause: readonly Token[]): readonly ScoredWord[] {
  return clause
    .filter((token) => token.stems.length > 0 && !isStopWord(token))
    .flatMap(({ stems, lower }) =>
      stems.map((word) => ({ word, weight: vague.has(lower) ? 0.5 : 1 })),
    );
}

const vague: ReadonlySet<string> = new Set("show get give display print fetch return".split(" "));

/**
 * Words that a clause implies without saying them: `where is` asks for a search, `how big` for a size,
 * a path with an extension is a file, `*.md` a pattern.
 */
export function intentsOf(clause: readonly Token[]): readonly ScoredWord[] {
  const said = clause.map(spoken).join(" ");
  const told = intents
    .filter(([pattern]) => pattern.test(said))
    .flatMap(([, words, weight]) => wordsOf(words).map((word) => ({ word, weight })));
  const strongest = new Map<string, number>();
  for (const { word, weight } of told) {
    strongest.set(word, Math.max(strongest.get(word) ?? 0, weight));
  }
  return [...strongest].map(([word, weight]) => ({ word, weight }));
}

/** A clause as the patterns of {@link intents} see it: values by their kind in capitals. */
function spoken({ kind, lower, value }: Token): string {
  if (kind === "path" || (kind === "quoted" && isFileName(value))) {
    return /[*?]/.test(value) || /^\.\w{1,4}$/.test(value)
      ? "GLOB"
      : mediaFile.test(value)
        ? "MEDIA"
        : isFileName(value)
          ? "FILE"
          : "FOLDER";
  }
  return kind === "word" || kind === "mark" ? lower : kind.toUpperCase();
}

const mediaFile =
  /\.(?:png|jpe?g|gif|webp|bmp|svg|ico|tiff?|mp3|wav|ogg|flac|m4a|aac|mp4|mov|webm|avi)$/i;

const intents: readonly (readonly [RegExp, string, number])[] = [
  [/\bFILE\b/, "file", 0.6],
  [/\bFILE\b/, "text", 0.35],
  [/\bFILE\b.*\bFILE\b/, "multiple", 0.4],
  [/\bMEDIA\b/, "media file image audio", 0.8],
  [/\bGLOB\b/, "search pattern file", 0.7],
  [/\bFOLDER\b/, "directory", 0.3],
  [
    /^(?:so )?(?:what|which) (?:\w+ )?(?:files?|folders?|documents?|directories|subfolders)\b/,
    "list",
    0.8,
  ],
  [/\b(?:what|what is|what are|what s)\b.* (?:in|inside|under|within) (?!.*\bFILE\b)/, "list", 0.6],
  [/\b(?:what|what is)\b.* (?:in|inside) (?:\w+ )*FILE\b/, "read contents", 0.8],
  [
    /^(?:what|does|do)\b.*\bsay\b|\b(?:says|said|contains?|contents?|written)\b/,
    "read contents",
    0.7,
  ],
  [
    /\b(?:contents? of|what is in|what s in) (?:the |this |my )?(?:\w+ )?(?:folder|directory)\b/,
    "list directory",
    0.8,
  ],
  [/\bFOLDER\b|\b(?:folder|directory)\b/, "list", 0.2],
  [
    /^(?!.*\b(?:find|search|look|locate|matching|named|called|FILE|GLOB)\b).*\b(?:all|the|my) (?:files|folders|documents)\b/,
    "list directory",
    0.7,
  ],
  [/^(?:ls|dir)\b/, "list directory", 0.6],
  [
    /^where\b(?! (?:am|can|may) i\b)|\bwhere (?:is|are)\b|^(?:is|are) there\b|\bexists?\b/,
    "search find",
    0.9,
  ],
  [
    /^who\b|\b(?:known?|remember|tell|have|information|anything|everything|stored)\b.* about\b/,
    "search query",
    0.8,
  ],
  [/\bhow (?:big|large|long|old|many bytes|heavy)\b|\bsize of\b/, "size info", 0.8],
  [
    /\bwhen\b.*\b(?:modified|changed|created|edited|updated|written|accessed)\b/,
    "info metadata",
    1,
  ],
  [
    /\b(?:last|recently) (?:modified|changed|edited)\b|\bpermissions?\b|\bmodified\b/,
    "info metadata",
    0.8,
  ],
  [/^how many\b/, "count list", 0.6],
  [/\brecursive(?:ly)?\b|\bsub(?:folders|directories)\b|\bnested\b/, "tree", 0.9],
  [/\b(?:first|last|top|head|tail)\b.*\blines?\b/, "read text head tail", 0.7],
  [/NUMBER (?:\+|plus|and|with) NUMBER/, "sum", 0.4],
];
