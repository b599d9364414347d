import { expect, test } from "vitest";
import { outcomeOf } from "../../../test/model-events.ts";
import type { Json } from "../../base/json.ts";
import type { ModelEvent } from "../../model/model-event.ts";
import { ToolCallAssembly } from "./openai-tool-calls.ts";

/** index, id, name, arguments; `undefined` is absent. */
type Piece = readonly [
  index: number | undefined,
  id?: string | null | undefined,
  name?: string | null | undefined,
  text?: Json | undefined,
];

function assemble(pieces: readonly Piece[]): readonly ModelEvent[] {
  const assembly = new ToolCallAssembly("key");
  const events: ModelEvent[] = [];
  for (const [index, id, name, text] of pieces) {
    assembly.accept({ index, id, function: { name, arguments: text } }, events);
  }
  assembly.end(events);
  return events;
}

const callsOf = (pieces: readonly Piece[]): readonly (readonly [string, string, string])[] =>
  outcomeOf(assemble(pieces)).parts.map(({ id, name = "", text }) => [
    id.startsWith("call_") ? "made" : id,
    name,
    text,
  ]);

const a = ["a", "read", '{"x":1}'] as const;
const b = ["b", "read", '{"y":2}'] as const;

const streams: Readonly<Record<string, readonly [pieces: readonly Piece[], calls: unknown]>> = {
  "calls one after the other by index": [
    [
      [0, "a", "read", ""],
      [0, undefined, undefined, '{"x"'],
      [0, undefined, undefined, ":1}"],
      [1, "b", "read", ""],
      [1, undefined, undefined, '{"y":2}'],
    ],
    [a, b],
  ],
  "interleaved fragments of which only the first has the id": [
    [
      [0, "a", "read", '{"x":'],
      [1, "b", "read", '{"y":'],
      [0, undefined, undefined, "1}"],
      [1, undefined, undefined, "2}"],
    ],
    [a, b],
  ],
  "two calls under index 0 with ids of their own": [
    [
      [0, "a", "read", '{"x":1}'],
      [0, "b", "read", '{"y":2}'],
    ],
    [a, b],
  ],
  "fragments of two calls under index 0": [
    [
      [0, "a", "read", '{"x":'],
      [0, undefined, undefined, "1}"],
      [0, "b", "read", '{"y":'],
      [0, undefined, undefined, "2}"],
    ],
    [a, b],
  ],
  "the head under one index and the tail under another": [
    [
      [0, "a", "read", '{"x":'],
      [0, undefined, undefined, "1}"],
      [0, "b", "read", '{"y":'],
      [1, undefined, undefined, "2}"],
    ],
    [a, b],
  ],
  "an unknown index in the middle, bound to the call that it continued": [
    [
      [0, "a", "read", '{"x":'],
      [3, undefined, undefined, "1"],
      [1, "b", "read", '{"y":'],
      [3, undefined, undefined, "}"],
      [1, undefined, undefined, "2}"],
    ],
    [a, b],
  ],
  "id and name repeated with each fragment": [
    [
      [0, "a", "read", '{"x":'],
      [0, "a", "read", "1}"],
      [1, "b", "read", '{"y":'],
      [1, "b", "read", "2}"],
    ],
    [a, b],
  ],
  "known ids under wrong indexes": [
    [
      [0, "a", "read", '{"x":'],
      [1, "b", "read", '{"y":'],
      [0, "b", undefined, "2}"],
      [1, "a", undefined, "1}"],
    ],
    [a, b],
  ],
  "no index at all, complete at once": [
    [
      [undefined, "a", "read", '{"x":1}'],
      [undefined, "b", "read", '{"y":2}'],
    ],
    [a, b],
  ],
  "no index at all, in fragments": [
    [
      [undefined, "a", "read", '{"x":'],
      [undefined, undefined, undefined, "1}"],
      [undefined, "b", "read", '{"y":'],
      [undefined, undefined, undefined, "2}"],
    ],
    [a, b],
  ],
  "no ids": [
    [
      [0, undefined, "read", '{"x":'],
      [0, undefined, undefined, "1}"],
      [1, null, "read", '{"y":2}'],
    ],
    [
      ["made", "read", '{"x":1}'],
      ["made", "read", '{"y":2}'],
    ],
  ],
  "empty ids and names in the fragments": [
    [
      [0, "a", "read", '{"x":'],
      [0, "", "", "1}"],
    ],
    [a],
  ],
  "neither ids nor indexes": [
    [
      [undefined, undefined, "read", '{"x":1}'],
      [undefined, undefined, "read", '{"y":2}'],
    ],
    [
      ["made", "read", '{"x":1}'],
      ["made", "read", '{"y":2}'],
    ],
  ],
  "a new name after complete arguments under index 0, without ids": [
    [
      [0, undefined, "read", '{"x":1}'],
      [0, undefined, "write", '{"y":2}'],
    ],
    [
      ["made", "read", '{"x":1}'],
      ["made", "write", '{"y":2}'],
    ],
  ],
  "two calls without arguments under index 0, without ids": [
    [
      [0, undefined, "read", ""],
      [0, undefined, "write", ""],
    ],
    [
      ["made", "read", ""],
      ["made", "write", ""],
    ],
  ],
  "one id for two calls": [
    [
      [0, "a", "read", '{"x":1}'],
      [1, "a", "read", '{"y":2}'],
    ],
    [a, ["made", "read", '{"y":2}']],
  ],
  "one id for two equal calls under two indexes": [
    [
      [0, "a", "read", '{"x":1}'],
      [1, "a", "read", '{"x":1}'],
    ],
    [a, ["made", "read", '{"x":1}']],
  ],
  "an id that comes after the name": [
    [
      [0, undefined, "read", ""],
      [0, "a", undefined, '{"x":1}'],
    ],
    [["made", "read", '{"x":1}']],
  ],
  "an id that comes before the name": [
    [
      [0, "a", undefined, '{"x":'],
      [0, undefined, "read", "1}"],
    ],
    [a],
  ],
  "a complete call that is said three times": [
    [
      [0, "a", "read", '{"x":1}'],
      [0, "a", "read", '{"x":1}'],
      [0, "a", "read", '{"x":1}'],
    ],
    [a],
  ],
  "fragments that are said again in full": [
    [
      [0, "a", "read", '{"x"'],
      [0, undefined, undefined, ":1}"],
      [0, "a", "read", '{"x":1}'],
    ],
    [a],
  ],
  "fragments that are said again in full, without a label": [
    [
      [0, "a", "read", '{"x"'],
      [0, undefined, undefined, ":1}"],
      [0, undefined, undefined, '{"x":1}'],
    ],
    [a],
  ],
  "arguments as an object": [[[0, "a", "read", { x: 1 }]], [a]],
  "arguments that are null or absent": [
    [
      [0, "a", "read", null],
      [1, "b", "read"],
    ],
    [
      ["a", "read", ""],
      ["b", "read", ""],
    ],
  ],
  "arguments that are broken": [[[0, "a", "read", '{"x": ']], [["a", "read", '{"x": ']]],
};

test.each(Object.entries(streams))(
  "%s give each call its own arguments",
  (_name, [pieces, calls]) => {
    expect(callsOf(pieces)).toEqual(calls);
  },
);

test("arguments of two parallel calls may be split at every byte and mixed in any way", () => {
  const [left, right] = [
    '{"path":"/北京","n":[1,{"a":"}{"}]}',
    '{"q":"\\"quoted\\"","deep":{"b":{}}}',
  ];
  const split = (index: number, text: string): readonly Piece[] =>
    [...text].map((character): Piece => [index, undefined, undefined, character]);
  const [lefts, rights] = [split(0, left), split(1, right)];
  const mixed = lefts.flatMap((piece, at) => [piece, ...rights.slice(at, at + 1)]);
  const rest = rights.slice(lefts.length);
  const heads: readonly Piece[] = [
    [0, "a", "read", ""],
    [1, "b", "find", ""],
  ];
  expect(callsOf([...heads, ...mixed, ...rest])).toEqual([
    ["a", "read", left],
    ["b", "find", right],
  ]);
});

test("made ids differ", () => {
  const ids = outcomeOf(
    assemble([
      [0, undefined, "read"],
      [1, undefined, "read"],
    ]),
  ).parts.map(({ id }) => id);
  expect(new Set(ids).size).toBe(2);
});

test("a call is opened as soon as it has a name", () => {
  const assembly = new ToolCallAssembly("key");
  const events: ModelEvent[] = [];
  assembly.accept({ index: 0, id: "a", function: { name: "read", arguments: "" } }, events);
  expect(events).toEqual([{ kind: "tool-call-start", id: "a", name: "read" }]);
});

test("a call without a name is an invalid response that may be tried again", () => {
  expect(() => assemble([[0, "a", undefined, "{}"]])).toThrow(
    expect.objectContaining({ code: "model-invalid-response", retryable: true }),
  );
});

test.each<readonly [Json]>([[null], ["text"], [{}], [{ index: 0 }], [{ function: null }]])(
  "an element that says nothing (%j) is passed over",
  (junk) => {
    const assembly = new ToolCallAssembly("key");
    const events: ModelEvent[] = [];
    assembly.accept(junk, events);
    assembly.end(events);
    expect(events).toEqual([]);
  },
);

test("opaque fields stay with their call, also where they come alone or in pieces", () => {
  const assembly = new ToolCallAssembly("key");
  const events: ModelEvent[] = [];
  const call = (id: string) => ({ id, function: { name: "read", arguments: "{}" } });
  assembly.accept({ ...call("a"), extra_content: { google: { thought_signature: "s1" } } }, events);
  assembly.accept(call("b"), events);
  assembly.accept({ extra_content: { google: { thought_signature: "s2" } } }, events);
  assembly.accept({ extra_content: { google: { more: 1 } } }, events);
  assembly.accept({ ...call("c"), provider_specific_fields: { thought_signature: "s3" } }, events);
  assembly.end(events);
  expect(outcomeOf(events).parts.map(({ providerData }) => providerData)).toEqual([
    { key: { extra_content: { google: { thought_signature: "s1" } } } },
    { key: { extra_content: { google: { thought_signature: "s2", more: 1 } } } },
    { key: { provider_specific_fields: { thought_signature: "s3" } } },
  ]);
});
