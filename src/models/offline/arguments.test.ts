import { expect, test } from "vitest";
import type { JsonObject } from "../../base/json.ts";
import { fill } from "./arguments.ts";
import { toArguments } from "./filling.ts";
import { tokenize } from "./tokens.ts";

const text = { type: "string" };

/** What `message` gives a tool `name` with these properties, all but `optional` required. */
function given(
  message: string,
  properties: JsonObject,
  { name = "do_it", description = "Does it.", optional = [] as readonly string[] } = {},
) {
  const required = Object.keys(properties).filter((key) => !optional.includes(key));
  const tool = { name, description, inputSchema: { type: "object", properties, required } };
  const { values, missing } = fill(tool, tokenize(message), message);
  return { values: toArguments(values), missing: missing.map(({ path }) => path.join(".")) };
}

test("text goes to the quoted part, a path to the path, whatever their order", () => {
  const schema = { path: text, content: text };
  const expected = { values: { path: "a.txt", content: "hi" }, missing: [] };
  expect(given('write "hi" to a.txt', schema)).toEqual(expected);
  expect(given('into a.txt write "hi"', schema)).toEqual(expected);
});

test("from and to decide a pair, and where they are silent, the order", () => {
  const schema = { destination: text, source: text };
  const files = { name: "move_file" };
  const expected = { source: "a.txt", destination: "b.txt" };
  expect(given("move a.txt to b.txt", schema, files).values).toEqual(expected);
  expect(given("to b.txt move a.txt", schema, files).values).toEqual(expected);
});

test.each([
  ["colour: blue, size: 3"],
  ["colour=blue size=3"],
  ["with a size of 3 and the colour blue"],
])("labels give values: %s", (message) => {
  const values = { colour: "blue", size: 3 };
  expect(given(message, { colour: text, size: { type: "integer" } }).values).toEqual(values);
});

test("JSON with the tool's keys is taken as it is", () => {
  const schema = { a: { type: "number" }, deep: { type: "object" } };
  const values = { a: 1, deep: { b: [2] } };
  expect(given(`call it with ${JSON.stringify(values)}`, schema).values).toEqual(values);
});

test("numbers go by their unit, else by their order", () => {
  const number = { type: "number" };
  const timed = { seconds: number, steps: number };
  expect(given("4 steps in 2 seconds", timed).values).toEqual({ seconds: 2, steps: 4 });
  expect(given("from 3 and 4", { a: number, b: number }).values).toEqual({ a: 3, b: 4 });
});

test("first and last choose between ends, and a single one means 1", () => {
  const end = (word: string) => ({ type: "number", description: `Only the ${word} N lines` });
  const schema = { start: end("first"), finish: end("last") };
  const options = { optional: ["start", "finish"] };
  expect(given("first 2 lines", schema, options).values).toEqual({ start: 2 });
  expect(given("the last line", schema, options).values).toEqual({ finish: 1 });
});

test("values of an enum match in any case, in part, and with words split", () => {
  const city = { city: { enum: ["New York", "Los Angeles"] } };
  expect(given("how is new york", city).values).toEqual({ city: "New York" });
  expect(given("how is it in York", city).values).toEqual({ city: "New York" });
  const mode = { mode: { type: "string", enum: ["readOnly", "readWrite"] } };
  expect(given("a read write mode", mode).values).toEqual({ mode: "readWrite" });
  expect(given("how is Paris", city)).toEqual({ values: {}, missing: ["city"] });
});

test("yes-or-no parameters are set by their words, and unset by without", () => {
  const schema = { includeImage: { type: "boolean" } };
  const options = { optional: ["includeImage"] };
  expect(given("make it with an image", schema, options).values).toEqual({ includeImage: true });
  expect(given("make it without image", schema, options).values).toEqual({ includeImage: false });
  expect(given("make it", schema, options).values).toEqual({});
});

test("a list takes what commas and `and` join", () => {
  const list = { type: "array", items: text };
  expect(given("open Ada, Bob and Eve", { names: list }).values).toEqual({
    names: ["Ada", "Bob", "Eve"],
  });
  expect(given("read a.txt and b.txt", { paths: list }).values).toEqual({
    paths: ["a.txt", "b.txt"],
  });
});

const people = {
  people: {
    type: "array",
    items: {
      type: "object",
      properties: { name: text, type: text, notes: { type: "array", items: text } },
      required: ["name", "type", "notes"],
    },
  },
};

test("a list of objects is filled field by field, one object for each name", () => {
  expect(given('add Ada of type poet with notes "a" and "b"', people).values).toEqual({
    people: [{ name: "Ada", type: "poet", notes: ["a", "b"] }],
  });
  expect(given("add Ada and Bob of type poet", people).values).toEqual({
    people: [
      { name: "Ada", type: "poet", notes: [] },
      { name: "Bob", type: "poet", notes: [] },
    ],
  });
  expect(given("add Ada (poet) and Bob (baker)", people).values).toEqual({
    people: [
      { name: "Ada", type: "poet", notes: [] },
      { name: "Bob", type: "baker", notes: [] },
    ],
  });
});

test("null variants, references and constants are seen through", () => {
  const properties = {
    path: { anyOf: [{ type: "null" }, { $ref: "#/$defs/place" }] },
    version: { const: 2 },
    depth: { type: ["integer", "null"], default: 1 },
  };
  const tool = {
    name: "scan",
    description: "Scans.",
    inputSchema: {
      type: "object",
      properties,
      required: ["path", "version", "depth"],
      $defs: { place: { type: "string" } },
    },
  };
  const { values } = fill(tool, tokenize("scan docs/a"), "scan docs/a");
  expect(toArguments(values)).toEqual({ path: "docs/a", version: 2, depth: 1 });
});

test("optional parameters stay out unless the message gives them", () => {
  const schema = { text, tone: text, limit: { type: "number", default: 3 } };
  const options = { optional: ["tone", "limit"] };
  expect(given('send "hi"', schema, options).values).toEqual({ text: "hi" });
  expect(given('send "hi", tone: "warm"', schema, options).values).toEqual({
    text: "hi",
    tone: "warm",
  });
});

test("what is not given is missing, and nothing is made up for it", () => {
  expect(given("write it", { path: text, content: text })).toEqual({
    values: {},
    missing: ["path", "content"],
  });
});

test("typed values find their parameter by its format", () => {
  const schema = {
    when: { type: "string", format: "date" },
    site: { type: "string", format: "uri" },
  };
  expect(given("on 2030-01-31 see https://example.com/", schema).values).toEqual({
    when: "2030-01-31",
    site: "https://example.com/",
  });
});
