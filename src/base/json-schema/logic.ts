import {
  applyHere,
  type FoundIssue,
  failWith,
  holdsHere,
  type KeywordChecks,
  keyword,
  oneOf,
  type Site,
} from "./site.ts";

const referenceChecks: KeywordChecks = (["$ref", "$dynamicRef"] as const).map((name) => [
  name,
  (site) => applyHere(site, site.evaluator.target(site.schema, name)),
]);

/** Keywords that apply other schemas to the same value. */
export const logicChecks: KeywordChecks = [
  ...referenceChecks,
  [
    "allOf",
    keyword<readonly unknown[]>((site, schemas) => {
      const verdicts = schemas.map((schema) => applyHere(site, schema));
      return verdicts.every(Boolean);
    }),
  ],
  [
    "anyOf",
    keyword<readonly unknown[]>((site, schemas) => {
      // With marks every alternative counts, without them the first.
      const fits = (schema: unknown): boolean => holdsHere(site, schema);
      const isMet = site.marks === undefined ? schemas.some(fits) : schemas.filter(fits).length > 0;
      return isMet || explain(site, schemas);
    }),
  ],
  [
    "oneOf",
    keyword<readonly unknown[]>((site, schemas) => {
      const count = schemas.filter((schema) => holdsHere(site, schema)).length;
      return (
        count === 1 ||
        (count === 0
          ? explain(site, schemas)
          : failWith(site, `fits ${count} alternatives, of which only one may fit`))
      );
    }),
  ],
  [
    "not",
    (site, schema) =>
      !holdsHere({ ...site, marks: undefined }, schema) || failWith(site, "is what it must not be"),
  ],
  [
    "if",
    (site, condition) => {
      const next = holdsHere(site, condition) ? site.schema["then"] : site.schema["else"];
      return next === undefined || applyHere(site, next);
    },
  ],
];

/** So many alternatives are looked at for the one that was meant. */
const mostExplained = 20;

/** Says of alternatives, none of which fits, what is wrong with the one that was probably meant. */
function explain(site: Site, schemas: readonly unknown[]): false {
  const { evaluator, issues, value } = site;
  if (issues === undefined) {
    return false;
  }
  const here = evaluator.place();
  const attempts = schemas.slice(0, mostExplained).map((schema) => {
    const found: FoundIssue[] = [];
    evaluator.apply(schema, { value, issues: found, marks: undefined });
    return { found, wanted: found.find(({ path, wanted }) => path === here && wanted)?.wanted };
  });
  const ofRightType = attempts.filter(({ wanted }) => wanted === undefined);
  if (ofRightType.length === 0 && attempts.length === schemas.length) {
    const wanted = [...new Set(attempts.flatMap((attempt) => attempt.wanted ?? []))];
    return failWith(site, `must be ${oneOf(wanted)}`, wanted);
  }
  const fewest = Math.min(...ofRightType.map(({ found }) => found.length));
  const [meant, ...others] = ofRightType.filter(({ found }) => found.length === fewest);
  if (meant === undefined || others.length > 0) {
    const words = [meant, ...others]
      .slice(0, 3)
      .flatMap((attempt) => attempt?.found[0]?.message ?? []);
    return failWith(site, `fits none of ${schemas.length} alternatives (${words.join("; or ")})`);
  }
  for (const issue of meant.found) {
    evaluator.keep(issues, issue);
  }
  return false;
}
