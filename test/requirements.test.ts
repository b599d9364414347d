import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openRequirements, requirements } from "./requirements.ts";

const ids = Object.keys(requirements);

/** Ids that stand before the colon in a test's name, as in `test("L-H9, L-H11: …", …)`. */
const cited = new Set(
  globSync(["{src,test,web}/**/*.test.ts", "e2e/*.test.ts"]).flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/["'`]((?:[LRGP](?:-[A-Z])?\d+(?:, )?)+): /g)].flatMap(
      ([, list]) => list?.split(", ") ?? [],
    ),
  ),
);

test("every id of the sources is listed", () => {
  expect(ids).toHaveLength(109);
});

test("every requirement is cited by a test, or listed as open", () => {
  expect(ids.filter((id) => !cited.has(id) && !openRequirements.includes(id))).toEqual([]);
});

test("nothing is listed as open that a test cites, and no test cites what is not there", () => {
  expect(openRequirements.filter((id) => cited.has(id))).toEqual([]);
  expect([...cited].filter((id) => !ids.includes(id))).toEqual([]);
});

test("no requirement is open any more", () => {
  expect(openRequirements.length).toBe(0);
});
