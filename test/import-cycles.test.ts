import { globSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { expect, test } from "vitest";

/** What is recursive by nature: an agent's tools may be assemblies, which are asked with tools. */
const recursive = ["src/agent/assembly.ts", "src/agent/run-options.ts", "src/agent/tool-level.ts"];

const files = globSync("src/**/*.ts").filter((file) => !/\.test(-d)?\.ts$/.test(file));

/** All that a file imports, of types as well; what it loads when it is used is no part of it. */
const importsOf = (file: string): readonly string[] =>
  [...readFileSync(file, "utf8").matchAll(/^(?:import|export)\s[^;"]*?from "(\.[^"]+)";/gms)].map(
    ([, path = ""]) => posix.join(posix.dirname(file), path),
  );

/** Files that lead to themselves, each cycle in alphabetical order (Tarjan). */
function cyclesIn(graph: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const indexes = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const cycles: string[][] = [];
  const visit = (file: string): void => {
    const index = indexes.size;
    indexes.set(file, index);
    lowest.set(file, index);
    open.push(file);
    for (const target of graph.get(file) ?? []) {
      if (!indexes.has(target)) {
        visit(target);
      }
      if (open.includes(target)) {
        lowest.set(file, Math.min(lowest.get(file) ?? 0, lowest.get(target) ?? 0));
      }
    }
    if (lowest.get(file) === index) {
      const cycle = open.splice(open.indexOf(file));
      cycles.push(cycle.toSorted());
    }
  };
  for (const file of graph.keys()) {
    if (!indexes.has(file)) {
      visit(file);
    }
  }
  return cycles.filter(({ length }) => length > 1);
}

test("no file leads to itself by its imports, those of types included, save one recursive type", () => {
  const graph = new Map(files.map((file) => [file, importsOf(file)]));
  expect(graph.size).toBeGreaterThan(600);
  expect(cyclesIn(graph)).toEqual([recursive]);
});

test.each(["src/mcp", "src/models", "src/base", "src/durable"])(
  "no folder within %s leads to itself by its imports",
  (layer) => {
    const graph = new Map<string, string[]>();
    for (const file of files.filter((name) => name.startsWith(`${layer}/`))) {
      const folder = posix.dirname(file);
      const targets = importsOf(file)
        .map((target) => posix.dirname(target))
        .filter((target) => target !== folder && target.startsWith(`${layer}/`));
      graph.set(folder, [...(graph.get(folder) ?? []), ...targets]);
    }
    expect(graph.size).toBeGreaterThan(1);
    expect(cyclesIn(graph)).toEqual([]);
  },
);
