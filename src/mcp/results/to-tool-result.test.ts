import { expect, test } from "vitest";
import type { Json } from "../../base/json.ts";
import type { ResultContent } from "../../message/content.ts";
import type { McpLimits } from "../../tool/mcp-limits.ts";
import type { ToolResult } from "../../tool/tool-result.ts";
import { resolveLimits } from "../wire/mcp-limits.ts";
import { type McpCallResult, toToolResult } from "./to-tool-result.ts";

const of = (result: McpCallResult, limits: McpLimits = {}): ToolResult =>
  toToolResult(result, { server: "s", tool: "t", limits: resolveLimits(limits) });
const block = (text: string): Json => ({ type: "text", text });
const part = (text: string): ResultContent => ({ kind: "text", text });
const png = "iVBORw0KGgo=";
const artifactsOf = (result: ToolResult): unknown =>
  result.kind === "pending" ? undefined : result.artifacts;

test("text is value and content", () => {
  expect(of({ content: [block("a"), block("b")] })).toEqual({
    kind: "success",
    value: "a\nb",
    content: [part("a"), part("b")],
  });
});

test.each([[{ answer: 42 }], [[1, 2]], [0], [false], [null], [""], ["words"]] as const)(
  "structured content %j is the value, and is rendered where there is no text",
  (structuredContent) => {
    expect(of({ content: [], structuredContent })).toEqual({
      kind: "success",
      value: structuredContent,
      content: [part(JSON.stringify(structuredContent))],
    });
  },
);

test.each([
  ["the same JSON in another order", { a: 1, b: [2] }, ['{ "b": [2], "a": 1 }']],
  ["a text that is wrapped", { content: "The file." }, ["The file."]],
  ["a number that is wrapped", { result: 7 }, ["7"]],
  ["a list that is wrapped, item by item", { result: ["x", { y: 1 }] }, ["x", '{"y":1}']],
  ["text in several blocks", { content: "a\nb" }, ["a", "b"]],
])("%s is not rendered twice", (_what, structuredContent, texts) => {
  const { value, content } = of({ content: texts.map(block), structuredContent }) as {
    value: unknown;
    content: unknown;
  };
  expect(value).toEqual(structuredContent);
  expect(content).toEqual(texts.map(part));
});

test("structured content that the text does not say is rendered after it", () => {
  const result = of({ content: [block("Done, 1 item.")], structuredContent: { id: 1 } });
  expect(result.content).toEqual([part("Done, 1 item."), part('{"id":1}')]);
});

test("every kind of block has its rendering, and the malformed and unknown become notes", () => {
  const result = of({
    content: [
      block("text"),
      { type: "image", data: `${png.slice(0, 4)}\n${png.slice(4)}`, mimeType: "image/png" },
      { type: "audio", data: png, mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "file:///a/b.md", text: "# B" } },
      {
        type: "resource",
        resource: { uri: "file:///a/b.zip?x", blob: png, mimeType: "application/zip" },
      },
      { type: "resource", resource: { uri: "x", blob: png } },
      { type: "resource_link", uri: "file:///c", name: "C\u202e", mimeType: "text/plain" },
      { type: "hologram", data: "x" },
      { type: "image", data: "no base64!", mimeType: "image/png" },
      { type: "image", data: png },
      { type: "text" },
      { type: "resource" },
      { type: "resource_link" },
      { no: "type" },
      null,
      7,
    ],
  });
  const data = { kind: "data", base64: png };
  expect(result.content).toEqual([
    part("text"),
    { kind: "image", mediaType: "image/png", source: data },
    { kind: "audio", mediaType: "audio/wav", source: data },
    {
      kind: "file",
      mediaType: "text/plain",
      source: { kind: "data", base64: Buffer.from("# B").toString("base64") },
      name: "b.md",
    },
    { kind: "file", mediaType: "application/zip", source: data, name: "b.zip" },
    { kind: "file", mediaType: "application/octet-stream", source: data, name: "x" },
    part('[The tool returned a block of the type "hologram", which cannot be shown.]'),
    part("[The tool returned a malformed image.]"),
    part("[The tool returned a malformed image.]"),
    part("[The tool returned a malformed text.]"),
    part("[The tool returned a malformed resource.]"),
    part("[The tool returned a malformed link.]"),
    part('[The tool returned a block of the type "unknown", which cannot be shown.]'),
    part("[The tool returned a malformed block.]"),
    part("[The tool returned a malformed block.]"),
  ]);
  expect(artifactsOf(result)).toEqual([
    {
      kind: "deferred",
      reference: "file:///c",
      mediaType: "text/plain",
      name: "C",
      server: "s",
    },
  ]);
});

test("the text of an embedded resource is text of the result", () => {
  const resource = (text: string): Json => ({
    type: "resource",
    resource: { uri: "f:///a", text },
  });
  expect(of({ content: [block("Here:"), resource("# A")] })).toMatchObject({ value: "Here:\n# A" });
  const { content } = of({ content: [resource("# A")], structuredContent: { content: "# A" } });
  expect(content).toHaveLength(1);
});

test("links are followed by nobody: they are deferred artifacts without what looks like a credential", () => {
  const link = {
    type: "resource_link",
    uri: "https://u:hunter22@h/a?api_key=sesame-1&page=2",
    size: 5,
  };
  const result = of({ content: [link] });
  const reference = "https://u:[hidden]@h/a?api_key=[hidden]&page=2";
  expect(artifactsOf(result)).toEqual([
    {
      kind: "deferred",
      reference,
      mediaType: "application/octet-stream",
      name: "a",
      size: 5,
      server: "s",
    },
  ]);
  expect(result).toMatchObject({ value: [{ kind: "link", reference }] });
});

test("of very many links the rest is counted", () => {
  const content = Array.from({ length: 1_000 }, (_, index) => ({
    type: "resource_link",
    uri: `f:///${index}`,
  }));
  const result = of({ content });
  expect(artifactsOf(result)).toHaveLength(50);
  expect(result.content).toEqual([part("[The tool returned 950 more links, which are left out.]")]);
});

test("a long text that stands in the structured content, too, is not said twice", () => {
  const long = "word ".repeat(100);
  const result = of({ content: [block(long)], structuredContent: { text: long, lines: 1 } });
  expect(result.content[1]).toEqual(part('{"text":"[the text above]","lines":1}'));
  expect(result).toMatchObject({ value: { text: long, lines: 1 } });
});

test("bytes that are attached are not repeated in the text of structured content", () => {
  const result = of({
    content: [{ type: "audio", data: png, mimeType: "audio/wav" }],
    structuredContent: { name: "a", data: png },
  });
  expect(result.content[1]).toEqual(part('{"name":"a","data":"[audio/wav, attached]"}'));
});

test("structured content that is the blocks over again is not said", () => {
  const blocks = [{ type: "image", data: png, mimeType: "image/png" }];
  for (const structuredContent of [{ content: blocks }, blocks]) {
    expect(of({ content: blocks, structuredContent })).toMatchObject({
      value: structuredContent,
      content: [{ kind: "image" }],
    });
  }
  let deep: Json = "x";
  for (let depth = 0; depth < 100_000; depth += 1) {
    deep = [deep];
  }
  expect(of({ content: [deep], structuredContent: [1] }).kind).toBe("success");
});

test("a result of media alone has as its value what they are", () => {
  const result = of({ content: [{ type: "image", data: png, mimeType: "image/png" }] });
  expect(result).toMatchObject({ value: [{ kind: "image", mediaType: "image/png" }] });
});

test.each([
  [{}],
  [{ content: [] }],
  [{ content: "text" }],
  [{ content: null, isError: "yes" }],
] as const)("the result %j is a success that says nothing", (result) => {
  expect(of(result)).toEqual({
    kind: "success",
    value: "",
    content: [part("The tool returned nothing.")],
  });
});

test("an error is the server's text unchanged, be it JSON", () => {
  const text = '{"ok":false,"error":{"message":"pick a province"}}';
  expect(of({ content: [block(text)], isError: true })).toEqual({
    kind: "error",
    error: { code: "remote-tool", message: text },
    content: [part(text)],
  });
});

test("an error keeps its structured content, and its text is not hidden by it", () => {
  const result = { content: [block("auth failed")], structuredContent: { code: 1 }, isError: true };
  expect(of(result)).toEqual({
    kind: "error",
    error: { code: "remote-tool", message: "auth failed", data: { code: 1 } },
    content: [part("auth failed"), part('{"code":1}')],
  });
});

test("an error without words says so", () => {
  expect(of({ isError: true })).toMatchObject({
    kind: "error",
    content: [part(expect.stringContaining('The tool "t" of the MCP server "s"') as string)],
  });
});

test("structured content that is nested beyond measure is noted and not used", () => {
  let structuredContent: Json = [];
  for (let depth = 0; depth < 100_000; depth += 1) {
    structuredContent = [structuredContent];
  }
  expect(of({ content: [block("a")], structuredContent }).content).toEqual([
    part("a"),
    part("[The tool returned data that is nested too deep.]"),
  ]);
});

test.each<[limit: string, limits: McpLimits, kept: number]>([
  ["maxImages (20)", {}, 20],
  ["maxImages (1)", { maxImages: 1 }, 1],
  ["maxImageBytes (7)", { maxImageBytes: 7 }, 0],
  ["maxTotalImageBytes (30)", { maxTotalImageBytes: 30 }, 3],
])("G-T15: what is over limits.%s is left out and named in its place", (limit, limits, kept) => {
  const image = { type: "image", mimeType: "image/png", data: png };
  const { content } = of({ content: Array.from({ length: 22 }, () => image) }, limits);
  expect(content).toHaveLength(22);
  expect(content.filter(({ kind }) => kind === "image")).toHaveLength(kept);
  expect(content.at(-1)).toEqual(
    part(
      expect.stringMatching(/^\[One image of 8 bytes from the MCP server "s" is left out: .*\.\]$/),
    ),
  );
  expect(JSON.stringify(content.at(-1))).toContain(`limits.${limit}`);
});

test("a small image after a large one is kept", () => {
  const image = (data: string): Json => ({ type: "image", mimeType: "image/png", data });
  const { content } = of({ content: [image("AAAA".repeat(9)), image(png)] }, { maxImageBytes: 20 });
  expect(content.map(({ kind }) => kind)).toEqual(["text", "image"]);
});

test("text that is JSON without bottom, and many texts beside much data, do no harm", () => {
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  expect(of({ content: [block(deep)], structuredContent: [] }).kind).toBe("success");
  const structuredContent = Array.from({ length: 50_000 }, (_unused, index) => ({ index }));
  const content = Array.from({ length: 50_000 }, () => block("7"));
  expect(of({ content, structuredContent }).kind).toBe("success");
});

test("an embedded text has nothing invisible, be it sent as text or as bytes", () => {
  const hidden = "a\u{e0041}b";
  const blob = Buffer.from(hidden).toString("base64");
  for (const resource of [
    { uri: "f:///x", text: hidden },
    { uri: "f:///x", blob, mimeType: "text/plain" },
  ]) {
    expect(of({ content: [{ type: "resource", resource }] }).content).toMatchObject([
      { source: { base64: Buffer.from("ab").toString("base64") } },
    ]);
  }
});
