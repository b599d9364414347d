/**
 * The words of a text, for matching: lower case, identifiers split (`readTextFile`, `read_text_file`
 * and `read-text-file` all give `read text file`), plural and common verb endings taken off. Scripts
 * without spaces give pairs of characters.
 */
export function wordsOf(text: string): readonly string[] {
  const spaced = text
    .normalize("NFKC")
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase();
  const runs = spaced.match(/[\p{L}\p{N}]+/gu) ?? [];
  return runs.flatMap((run) => (unspaced.test(run) ? pairsOf(run) : [stemOf(run)]));
}

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

function pairsOf(run: string): readonly string[] {
  const characters = [...run];
  return characters.length === 1
    ? characters
    : characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** The texts of tools repeat the same words: their stems are kept, up to a bound. */
const stems = new Map<string, string>();
const mostStems = 20_000;

/** Nothing longer is a word, and endings are looked for in time that grows with the square of the length. */
const longestWord = 100;

function stemOf(word: string): string {
  if (word.length > longestWord) {
    return word;
  }
  const known = stems.get(word);
  if (known !== undefined) {
    return known;
  }
  if (stems.size >= mostStems) {
    stems.clear();
  }
  const found = stem(word);
  stems.set(word, found);
  return found;
}

/** Light stemming: enough that `files` meets `file`, and `creating` and `moved` meet their verbs. */
function stem(word: string): string {
  if (word === "news") {
    return word; // no plural of `new`
  }
  const singular = word
    .replace(/ies$/, "y")
    .replace(/(ss|x|ch|sh)es$/, "$1")
    .replace(/([^s])s$/, "$1");
  const verb = singular.replace(/ied$/, "y").replace(/^(.*[aeiouy].*)(?:ing|ed)$/, longEnough);
  const single = verb === singular ? verb : verb.replace(/^(.{2,})([bdgmnprt])\2$/, "$1$2");
  return single.replace(/(..[^e])e$/, "$1");
}

const longEnough = (word: string, root: string): string => (root.length < 3 ? word : root);
