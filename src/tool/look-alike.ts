import { foldToolName, type NameRequest } from "./tool-names.ts";

/**
 * What makes a name pass for another, in words; `undefined` for an honest one. Letters of scripts that
 * have twins of Latin ones may not be mixed with them, nor stand for them throughout (`ѕсоре`). It is
 * looked at after NFKC, so that full-width and mathematical letters are the plain ones that they mean.
 */
export function deceptionIn(name: string): string | undefined {
  if (ascii.test(name)) {
    return undefined;
  }
  const letters = [...name.normalize("NFKC")].filter((letter) => /\p{L}/u.test(letter));
  const scripts = Object.entries(alphabets)
    .filter(([, alphabet]) => letters.some((letter) => alphabet.test(letter)))
    .map(([script]) => script);
  if (scripts.length > 1) {
    return `it mixes ${scripts.join(" and ")} letters`;
  }
  const [script] = scripts;
  return script !== undefined && script !== "Latin" && letters.every((letter) => twins.has(letter))
    ? `its ${script} letters look like Latin ones`
    : undefined;
}

/** Its letters are all Latin ones. Nearly every name is so. */
const ascii = /^[ -~]*$/;

/** The scripts whose letters are taken for each other's. */
const alphabets: Readonly<Record<string, RegExp>> = {
  Latin: /\p{Script=Latin}/u,
  Cyrillic: /\p{Script=Cyrillic}/u,
  Greek: /\p{Script=Greek}/u,
  Armenian: /\p{Script=Armenian}/u,
  Cherokee: /\p{Script=Cherokee}/u,
  Coptic: /\p{Script=Coptic}/u,
  Lisu: /\p{Script=Lisu}/u,
};

/** Letters of those scripts that cannot be told from Latin ones in common typefaces. */
const twins: ReadonlySet<string> = new Set(
  "авсԁеһіјӏкмоорԛгѕтухԝʏАВСЕНІЈКМОРЅТУХԚԜαινορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧօսոհցՏՕᎪᏴᏟᎠᎬᎻᎫᏦᏞᎷᏢᏒᏚᎢᏙᎳᏃꓐꓚꓓꓰꓝꓖꓧꓙꓗꓡꓟꓠꓳꓑꓣꓢꓔꓴꓦꓪꓫꓬꓜ",
);

/** Finds names that can be mistaken for another server's, or for one of the application's own. */
export class LookAlikes {
  readonly #known = new Map<string, NameRequest>();

  /**
   * The tool that one of this name could be mistaken for. Where there is none, the name is known from
   * then on. Names that are equal but for case, `-` and `_` collide, which is another matter; and
   * nobody imitates themselves.
   */
  meet(request: NameRequest): NameRequest | undefined {
    const shape = shapeOf(request.name);
    const known = this.#known.get(shape);
    if (known === undefined) {
      this.#known.set(shape, request);
      return undefined;
    }
    const isOther =
      request.server !== undefined &&
      request.server !== known.server &&
      foldToolName(request.name) !== foldToolName(known.name);
    return isOther ? known : undefined;
  }
}

/** What a hurried reader sees of a valid name. */
const shapeOf = (name: string): string =>
  foldToolName(name.replace(/[I1]/g, "l").replaceAll("0", "o"))
    .replaceAll("rn", "m")
    .replaceAll("vv", "w");
