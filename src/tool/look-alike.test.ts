import { expect, test } from "vitest";
import { deceptionIn, LookAlikes } from "./look-alike.ts";

test.each([
  ["search", undefined],
  ["café_größe", undefined],
  ["検索", undefined],
  ["検索_search", undefined],
  ["поиск", undefined],
  ["αναζήτηση", undefined],
  ["ｓｅａｒｃｈ", undefined],
  ["sеarch", "it mixes Latin and Cyrillic letters"],
  ["seαrch", "it mixes Latin and Greek letters"],
  ["ѕсоре", "its Cyrillic letters look like Latin ones"],
  ["ΤΟΡ_1", "its Greek letters look like Latin ones"],
])("of the name %s is said: %s", (name, words) => {
  expect(deceptionIn(name)).toBe(words);
});

test.each([
  ["read_fi1e", "read_file"],
  ["READ-FlLE", "READ_FILE"],
  ["pay0ut", "payout"],
  ["confirrn", "confirm"],
  ["get_I", "get_l"],
])("%s of a server can be mistaken for %s of another, or of the application", (name, other) => {
  for (const server of ["a", undefined]) {
    const known = new LookAlikes();
    const first = { name: other, server };
    expect(known.meet(first)).toBeUndefined();
    expect(known.meet({ name, server: "b" })).toBe(first);
  }
});

test("equal names, names of one server and names of the application are no look-alikes", () => {
  const known = new LookAlikes();
  for (const request of [
    { name: "send", server: "a" },
    { name: "Send", server: "b" },
    { name: "get_1", server: "a" },
    { name: "get_l", server: "a" },
    { name: "get_I" },
  ]) {
    expect(known.meet(request)).toBeUndefined();
  }
});
