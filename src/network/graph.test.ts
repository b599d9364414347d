import { expect, test } from "vitest";
import { crew } from "../../test/crew.ts";

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
