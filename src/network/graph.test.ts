import { expect, test } from "vitest";
import { crew } from "../../test/crew.ts";
import { MemoryRunStore } from "../agent/memory-run-store.ts";
import type { AssemblyState } from "./assembly-state.ts";

test("edges are taken by their conditions, and nodes of one round are asked side by side", async () => {
  const { member, asked, defineGraph } = crew();
  const graph = defineGraph({
    name: "triage",
    nodes: {
      sort: member("sort", "billing"),
      billing: member("billing", "paid"),
      tech: member("tech", "fixed"),
      close: member("close", "closed"),
    },
    edges: [
      { from: "sort", to: "billing", when: ({ last }) => last?.result.text === "billing" },
      { from: "sort", to: "tech", when: ({ last }) => last?.result.text === "tech" },
      { from: "billing", to: "close" },
      { from: "tech", to: "close" },
    ],
    start: "sort",
  });
  const result = await graph.ask("My bill");
  expect(result).toMatchObject({ status: "completed", text: "closed" });
  expect(result.participants.map(({ name }) => name)).toEqual(["sort", "billing", "close"]);
  expect([asked("tech"), asked("close")]).toEqual([[], ["paid"]]);
});

test("a node that joins waits for all that lead to it, and is asked once", async () => {
  const { member, asked, defineGraph } = crew();
  const nodes = {
    start: member("start", "go"),
    short: member("short", "S"),
    long: member("long", "L1"),
    longer: member("longer", "L2"),
    end: member("end", "both"),
  };
  const edges = [
    { from: "start", to: "short" },
    { from: "start", to: "long" },
    { from: "long", to: "longer" },
    { from: "short", to: "end" },
    { from: "longer", to: "end" },
  ];
  const graph = defineGraph({ name: "diamond", nodes, edges, start: "start", joins: ["end"] });
  expect(await graph.ask("Go")).toMatchObject({ text: "both", steps: 5 });
  expect(asked("end")).toEqual(["## short\n\nS\n\n## longer\n\nL2"]);
});

test("a join waits for what is under way only: a branch that was not taken, and the next round", async () => {
  const { member, asked, defineGraph } = crew();
  let round = 0;
  const graph = defineGraph({
    name: "g",
    nodes: {
      start: member("start", "go"),
      left: member("left", () => `left ${round}`),
      right: member("right", "right"),
      never: member("never", "never"),
      join: member("join", () => `joined ${++round}`),
    },
    edges: [
      { from: "start", to: "left" },
      { from: "start", to: "right" },
      { from: "start", to: "never", when: () => false },
      { from: "left", to: "join" },
      { from: "right", to: "join" },
      { from: "never", to: "join" },
      { from: "join", to: "left", when: () => round < 2 },
    ],
    start: "start",
    joins: ["join"],
    maxVisits: 20,
  });
  expect(await graph.ask("Go")).toMatchObject({ status: "completed", text: "joined 2", steps: 6 });
  expect(asked("join")).toEqual(["## left\n\nleft 0\n\n## right\n\nright", "left 1"]);
});

test("joins that wait for each other do not wait for ever", async () => {
  const { member, defineGraph } = crew();
  const graph = defineGraph({
    name: "g",
    nodes: { start: member("start", "go"), a: member("a", "A"), b: member("b", "B") },
    edges: [
      { from: "start", to: "a" },
      { from: "start", to: "b" },
      { from: "a", to: "b", when: () => false },
      { from: "b", to: "a", when: () => false },
    ],
    start: "start",
    joins: ["a", "b"],
    maxVisits: 9,
  });
  expect(await graph.ask("Go")).toMatchObject({ status: "completed", output: { a: "A", b: "B" } });
});

test("a condition sees the answer that its edge comes from as the last one, truthy or not", async () => {
  const { member, asked, defineGraph } = crew();
  const nodes = Object.fromEntries(
    ["start", "a", "b", "of a", "of b"].map((name) => [name, member(name, name)]),
  );
  const graph = defineGraph({
    name: "g",
    nodes,
    edges: [
      { from: "start", to: "a" },
      { from: "start", to: "b" },
      { from: "a", to: "of a", when: ({ last }) => last?.name === "a" },
      // What a condition gives need not be a boolean.
      { from: "b", to: "of b", when: (({ last }: AssemblyState) => last?.result.output) as never },
    ],
    start: "start",
  });
  await graph.ask("Go", { store: new MemoryRunStore() });
  expect([asked("of a"), asked("of b")]).toEqual([["a"], []]);
});

test("the failure of a node cancels those beside it", async () => {
  const { member, defineGraph } = crew();
  const nodes = {
    start: member("start", "go"),
    hangs: member("hangs", { hangs: true }),
    broken: member("broken", { error: new Error("no") }, { retry: { maxAttempts: 1 } }),
  };
  const edges = [
    { from: "start", to: "hangs" },
    { from: "start", to: "broken" },
  ];
  expect(await defineGraph({ name: "g", nodes, edges, start: "start" }).ask("Go")).toMatchObject({
    status: "failed",
    error: { message: expect.stringContaining('"broken" of "g" failed') },
  });
});

test("nodes may be called as what every object has", async () => {
  const { member, defineGraph } = crew();
  const nodes = Object.fromEntries(
    ["constructor", "__proto__", "toString"].map((name) => [name, member(name, name)]),
  );
  const edges = [
    { from: "constructor", to: "__proto__" },
    { from: "constructor", to: "toString" },
  ];
  const result = await defineGraph({ name: "g", nodes, edges, start: "constructor" }).ask("Go");
  expect(Object.entries((result.status === "completed" && result.output) || {})).toEqual([
    ["__proto__", "__proto__"],
    ["toString", "toString"],
  ]);
});

test("a chain of ten thousand nodes is checked at once", () => {
  const { member, defineGraph } = crew();
  const node = member("node", "x");
  const names = Array.from({ length: 10_000 }, (_, index) => `n${index}`);
  const nodes = Object.fromEntries(names.map((name) => [name, node]));
  const edges = names.slice(1).map((to, index) => ({ from: names[index] ?? "", to }));
  expect(defineGraph({ name: "g", nodes, edges, start: "n0" }).name).toBe("g");
});

test("a cycle comes to an end at its bound, and says so", async () => {
  const { member, defineGraph } = crew();
  const nodes = { a: member("a", "x"), b: member("b", "y") };
  const edges = [
    { from: "a", to: "b" },
    { from: "b", to: "a" },
  ];
  const graph = defineGraph({ name: "ring", nodes, edges, start: "a", maxVisits: 5 });
  expect(await graph.ask("Go")).toMatchObject({ status: "completed", text: "x", steps: 5 });
});

test.each([
  [{ edges: [{ from: "a", to: "c" }] }, /no node "c", which an edge goes to/],
  [{ edges: [], start: "bb" }, /no node "bb", which it is to start with/],
  [{ edges: [] }, /No way leads from "a" to "b"/],
  [
    {
      edges: [
        { from: "a", to: "b" },
        { from: "b", to: "a" },
      ],
    },
    /has a cycle: give it maxVisits/,
  ],
  [{ edges: [{ from: "a", to: "b" }], joins: ["x"] }, /no node "x", which is to join/],
  [{ edges: [{ from: "a", to: "b" }], maxVisits: 0 }, /maxVisits/],
  [{ edges: [{ from: "a", to: "b" }], nodes: {} }, /needs nodes/],
])("a graph that cannot be walked is refused when it is defined: %j", (changes, message) => {
  const { member, defineGraph } = crew();
  const nodes = { a: member("a", "x"), b: member("b", "y") };
  const definition = { name: "g", nodes, start: "a", ...changes } as never;
  expect(() => defineGraph(definition)).toThrow(message);
});
