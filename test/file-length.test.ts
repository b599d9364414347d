import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("no file has more than 400 lines", () => {
  const files = globSync("{src,test,e2e,bench,examples,web}/**/*.{ts,tsx,css,mjs}", {
    exclude: (path) => path.includes("node_modules"),
  });
  const lengths = files.map((file) => [file, readFileSync(file, "utf8").split("\n").length - 1]);
  expect(files.length).toBeGreaterThan(500);
  expect(lengths.filter(([, length]) => Number(length) > 400)).toEqual([]);
});
