import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failureOf } from "../../test/failure-of.ts";
import { pathTest, textTest } from "./search-pattern.ts";
import { type SearchOutcome, type SearchRequest, searchWorkspace } from "./search-workspace.ts";
import { createWorkspace } from "./workspace.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-search-"));
  await mkdir(join(folder, "src/deep"), { recursive: true });
  await mkdir(join(folder, "node_modules"));
  await writeFile(join(folder, "src/a.ts"), "let total = 1;\r\nlet Total = 2;\n");
  await writeFile(join(folder, "src/deep/b.tsx"), "total(x.*)\n");
  await writeFile(join(folder, "node_modules/c.ts"), "total\n");
  await writeFile(join(folder, "binary"), Buffer.from("total\u0000"));
  await symlink("/etc", join(folder, "etc"));
});
afterAll(() => rm(folder, { recursive: true }));

const search = (request: Partial<SearchRequest>): Promise<SearchOutcome> =>
  searchWorkspace(createWorkspace({ roots: { r: folder } }), {
    isRegex: false,
    ignoreCase: false,
    path: "",
    depth: 9,
    maxMatches: 100,
    timeoutMs: 5_000,
    signal: new AbortController().signal,
    ...request,
  });

test("P9: a text is found in files by line, and what is no text or not looked into is told", async () => {
  expect(await search({ text: "total" })).toEqual({
    matches: [
      { path: "r/src/a.ts", line: 1, text: "let total = 1;" },
      { path: "r/src/deep/b.tsx", line: 1, text: "total(x.*)" },
    ],
    files: 2,
    skipped: 1,
  });
  expect((await search({ text: "TOTAL", ignoreCase: true })).matches).toHaveLength(3);
  expect((await search({ text: "x.*" })).matches).toHaveLength(1);
  expect((await search({ text: "root:" })).matches).toEqual([]);
});

test("a regular expression is one only where that is said", async () => {
  expect((await search({ text: "^let \\w+ = \\d", isRegex: true })).matches).toHaveLength(2);
  expect((await search({ text: "^LET", isRegex: true, ignoreCase: true })).matches).toHaveLength(2);
  expect(await failureOf(search({ text: "(", isRegex: true }))).toMatchObject({
    code: "invalid-arguments",
  });
  expect(await failureOf(search({ text: "(a)\\1", isRegex: true }))).toMatchObject({
    message: expect.stringContaining("refers back"),
  });
});

test("files are found by patterns of their paths, from the folder that is searched", async () => {
  const found = async (files: string, path = ""): Promise<readonly string[]> =>
    (await search({ files, path })).matches.map((match) => match.path);
  expect(await found("*.{ts,tsx}")).toEqual(["r/src/a.ts", "r/src/deep/b.tsx"]);
  expect(await found("src/*.ts", "r")).toEqual(["r/src/a.ts"]);
  expect(await found("**/*.tsx")).toEqual(["r/src/deep/b.tsx"]);
  expect(await found("deep/*", "r/src/")).toEqual(["r/src/deep/b.tsx"]);
});

test.each([
  ["*.ts", "a/b.ts", true],
  ["*.ts", "b.tsx", false],
  ["a/*", "a/b/c", false],
  ["a/**", "a/b/c", true],
  ["**/c", "c", true],
  ["a/**/c", "a/c", true],
  ["?.ts", "ab.ts", false],
  ["a.b", "axb", false],
  ["{a,b{c,d}}.x", "bd.x", true],
  ["a,b", "a,b", true],
  ["[ab].ts", "[ab].ts", true],
  ["(a|b)+", "a", false],
])("the pattern %j fits %j: %j", async (glob, path, fits) => {
  expect((await pathTest(glob))(path)).toBe(fits);
});

test("P9: no regular expression or pattern for paths takes long, however bad", async () => {
  const began = performance.now();
  const isLine = await textTest("(a+)+$", { isRegex: true, ignoreCase: false });
  expect(isLine(`${"a".repeat(50_000)}!`)).toBe(false);
  expect(isLine("a".repeat(10_000_000))).toBeUndefined();
  const isPath = await pathTest("*a".repeat(40));
  expect(isPath(`${"a".repeat(3_000)}b`)).toBe(false);
  expect(await failureOf(pathTest("{".repeat(400)))).toMatchObject({ code: "invalid-arguments" });
  expect(
    await failureOf(textTest("(a{900}){900}", { isRegex: true, ignoreCase: false })),
  ).toMatchObject({ code: "invalid-arguments" });
  expect(performance.now() - began).toBeLessThan(3_000);
});

test("P9: a search ends at its limits and says which", async () => {
  expect(await search({ text: "total", maxMatches: 1 })).toMatchObject({ incomplete: "matches" });
  expect(await search({ text: "total", timeoutMs: -1 })).toMatchObject({ incomplete: "time" });
  const few = createWorkspace({ roots: { r: folder }, limits: { maxEntries: 1 } });
  expect(
    await searchWorkspace(few, {
      ...{ text: "total", isRegex: false, ignoreCase: false, path: "", depth: 9 },
      ...{ maxMatches: 9, timeoutMs: 5_000, signal: new AbortController().signal },
    }),
  ).toMatchObject({ incomplete: "entries" });
});

test("a line that is too long for a regular expression is told of, and found literally", async () => {
  await writeFile(join(folder, "huge"), `${"x".repeat(2_000_000)}needle`);
  expect(await search({ text: "(need){2}le|needle", isRegex: true })).toMatchObject({
    matches: [],
    untriedLines: 1,
  });
  expect((await search({ text: "needle" })).matches).toHaveLength(1);
  await rm(join(folder, "huge"));
});

test("of a long line what is around the place is given", async () => {
  await writeFile(join(folder, "long"), `${"x".repeat(5_000)}needle${"y".repeat(5_000)}`);
  const [match] = (await search({ text: "needle" })).matches;
  expect(match?.text).toMatch(/^…x+needley+…$/);
  expect(match?.text?.length).toBeLessThan(310);
  await rm(join(folder, "long"));
});
