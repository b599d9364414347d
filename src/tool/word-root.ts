/**
 * What is left of an English word without the endings by which verbs, nouns and adjectives are made of
 * one another: `calculate`, `calculator` and `calculation` share one. Words in are as `wordsOf` gives
 * them; a word that would leave too little stays as it is.
 */
export function rootOf(word: string): string {
  if (!/^[a-z]{5,30}$/.test(word)) {
    return word;
  }
  const root = word.replace(ending, "");
  return root.length < 4 ? word : root;
}

const ending = new RegExp(
  `(?:${[
    "is?ation|iz?ation|ation|ition|ator|itor|ion",
    "ement|ment|ance|ence|able|ible",
    "ively|ive|ity|iz|is|iv|ist",
    "yz|ysi|ys|ytic",
    "ical|ically|ic|al|ally|ly",
    "or|er|ary|y|at|e|ing|ed",
  ].join("|")})$`,
);
