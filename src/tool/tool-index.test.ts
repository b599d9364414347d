import { expect, test } from "vitest";
import type { ScoredDocument } from "./scorer.ts";
import { ToolIndex } from "./tool-index.ts";

const tool = (name: string, description = "", rest: Partial<ScoredDocument> = {}) => ({
  name,
  description,
  ...rest,
});

/** The names of the documents that match, the best first. */
function found(message: string, documents: readonly ScoredDocument[]): readonly string[] {
  const scores = new ToolIndex(documents).scores(message);
  return documents
    .map(({ name }, index) => ({ name, score: scores[index] ?? 0 }))
    .filter(({ score }) => score > 0)
    .toSorted((left, right) => right.score - left.score)
    .map(({ name }) => name);
}

test("a tool is found by its name, however it is written", () => {
  const tools = [tool("readTextFile"), tool("write_text_page"), tool("draw-circle")];
  expect(found("read a text file", tools)[0]).toBe("readTextFile");
  expect(found("circle to draw", tools)).toEqual(["draw-circle"]);
});

test("a tool is found by its description, its parameters, and what its server is", () => {
  const parameters = { type: "object", properties: { zip: { description: "Postal destination" } } };
  const tools = [
    tool("one", "Plays chess"),
    tool("two", "", { parameters }),
    tool("three", "", { server: { name: "harbour", description: "Ships and their cargo" } }),
  ];
  expect(found("play chess", tools)).toEqual(["one"]);
  expect(found("postal", tools)).toEqual(["two"]);
  expect(found("zip", tools)).toEqual(["two"]);
  expect(found("harbour", tools)).toEqual(["three"]);
  expect(found("cargo", tools)).toEqual(["three"]);
});

test("a word in the name counts more than one in the description, and that more than one of the server", () => {
  const tools = [
    tool("alpha", "", { server: { name: "x", description: "weather" } }),
    tool("beta", "weather"),
    tool("weather"),
  ];
  expect(found("weather", tools)).toEqual(["weather", "beta", "alpha"]);
});

test.each([
  ["calculation", "calculator"],
  ["analysing", "analyze"],
  ["summary", "summarize"],
  ["recommendations", "recommend"],
])("%s finds %s, which has the same root", (word, name) => {
  expect(found(word, [tool("other"), tool(name)])).toEqual([name]);
});

test.each([
  ["spreadsheet", "excel"],
  ["powerpoint", "presentation"],
  ["remove", "delete"],
])("%s finds %s, which means much the same", (word, name) => {
  expect(found(word, [tool("other"), tool(name)])).toEqual([name]);
});

test("the word itself comes before one of its root, and that before a synonym", () => {
  const tools = [tool("remove"), tool("deletion"), tool("delete")];
  expect(found("delete", tools)).toEqual(["delete", "deletion", "remove"]);
});

test("a word that no tool has finds the one that it was meant to be", () => {
  const tools = [tool("calculate"), tool("navigate")];
  expect(found("caculate", tools)).toEqual(["calculate"]);
  expect(found("calcualte", tools)).toEqual(["calculate"]);
});

test("words of scripts without spaces are found, and translated where they are common", () => {
  const tools = [tool("one", "查询火车票"), tool("two", "天気予報を調べる"), tool("search_news")];
  expect(found("我要买火车票", tools)).toContain("one");
  expect(found("明日の天気予報", tools)[0]).toBe("two");
  expect(found("今天有什么新闻", tools)).toEqual(["search_news"]);
});

test("what an address or a path stands for counts as if it were said", () => {
  const tools = [tool("fetch_url"), tool("read_file"), tool("sing")];
  expect(found("https://example.com/x", tools)[0]).toBe("fetch_url");
  expect(found("what is in /home/me/budget.ods", tools)[0]).toBe("read_file");
});

test("a tool for one clause comes before one that has a word of each", () => {
  const tools = [
    tool("mix", "Temperature of Paris mailbox"),
    tool("b", "Temperature outside"),
    tool("c", "Mailbox content"),
    tool("convert_currency", "Converts currency amounts"),
  ];
  expect(found("Paris temperature mailbox, convert currency amounts", tools)[0]).toBe(
    "convert_currency",
  );
});

test("a message of mere grammar finds nothing", () => {
  const tools = [tool("the_tool", "This is what you can do with it")];
  expect(found("Hello, can you please do this for me?", tools)).toEqual([]);
  expect(found("  ", tools)).toEqual([]);
});

test("a tool that repeats a word a thousand times gains next to nothing by it", () => {
  const stuffed = tool("other", "email ".repeat(1_000));
  expect(found("send an email", [stuffed, tool("send_email", "Sends an email")])[0]).toBe(
    "send_email",
  );
});

test("a schema that is deep, wide or leads back to itself is read up to a bound", () => {
  const schema: Record<string, unknown> = { type: "object" };
  schema["properties"] = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, index) => [`p${index}`, schema]),
  );
  const started = new ToolIndex([tool("odd", "", { parameters: schema })]);
  expect(started.scores("p1")[0]).toBeGreaterThan(0);
  expect(started.scores("p4999")[0]).toBe(0);
});

test("a message as long as a book is read at its beginning and its end", () => {
  const tools = [tool("translate"), tool("summarize")];
  const book = "lorem ipsum ".repeat(100_000);
  expect(found(`Translate this: ${book}`, tools)).toContain("translate");
  expect(found(`${book} Summarize it.`, tools)).toContain("summarize");
});
