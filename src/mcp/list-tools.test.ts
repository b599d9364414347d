import { expect, test } from "vitest";
import type { Json, JsonObject } from "../base/json.ts";
import { listTools } from "./list-tools.ts";
import { McpError } from "./mcp-error.ts";

const tool = (name: Json, more: JsonObject = {}): JsonObject => ({
  name,
  inputSchema: { type: "object" },
  ...more,
});

interface Listing {
  readonly names: readonly string[];
  readonly notices: readonly string[];
  readonly asked: readonly JsonObject[];
}

/** Lists with a server that answers as `page` says. */
async function list(page: (cursor: string) => JsonObject): Promise<Listing> {
  const notices: string[] = [];
  const asked: JsonObject[] = [];
  const definitions = await listTools({
    server: "s",
    notice: (code, message) => void notices.push(`${code}: ${message}`),
    async request(params) {
      asked.push(params);
      return page(String(params["cursor"] ?? ""));
    },
  });
  return { names: definitions.map(({ sourceName }) => sourceName), notices, asked };
}

test("all pages are read", async () => {
  const pages: Record<string, JsonObject> = {
    "": { tools: [tool("a"), tool("b")], nextCursor: "p2" },
    p2: { tools: [], nextCursor: "p3" },
    p3: { tools: [tool("c")], nextCursor: null },
  };
  const { names, asked, notices } = await list((cursor) => pages[cursor] ?? {});
  expect(names).toEqual(["a", "b", "c"]);
  expect(asked).toEqual([{}, { cursor: "p2" }, { cursor: "p3" }]);
  expect(notices).toEqual([]);
});

test("an empty cursor is the end", async () => {
  expect((await list(() => ({ tools: [tool("a")], nextCursor: "" }))).names).toEqual(["a"]);
});

test("a malformed tool is left out with a notice, and the others stay", async () => {
  const { names, notices } = await list(() => ({
    tools: [
      tool("good"),
      tool(7),
      { name: "bare" },
      tool("array", { inputSchema: { type: "array" } }),
      tool("", {}),
      tool("x".repeat(300)),
      null,
      "text",
      tool("also good"),
    ],
  }));
  expect(names).toEqual(["good", "also good"]);
  expect(notices).toHaveLength(7);
  expect(notices[1]).toBe(
    'mcp-tool-malformed: The tool "bare" is left out: its inputSchema is not an object.',
  );
});

test("a tool that can only be called as a task is left out with a notice", async () => {
  const { names, notices } = await list(() => ({
    tools: [
      tool("task", { execution: { taskSupport: "required" } }),
      tool("both", { execution: { taskSupport: "optional" } }),
    ],
  }));
  expect(names).toEqual(["both"]);
  expect(notices).toEqual([expect.stringContaining('mcp-tool-needs-task: The tool "task"')]);
});

test("of two tools of one name the first is kept", async () => {
  const { names, notices } = await list(() => ({ tools: [tool("a"), tool("a")] }));
  expect(names).toEqual(["a"]);
  expect(notices).toEqual([expect.stringContaining("mcp-tool-duplicate")]);
});

test("names in notices hold no invisible characters", async () => {
  const { notices } = await list(() => ({ tools: [tool("a\u202eb"), tool("a\u202eb")] }));
  expect(notices).toEqual([expect.stringContaining('"ab"')]);
});

test("pages in a circle are refused", async () => {
  const circle = list((cursor) => ({ tools: [], nextCursor: cursor === "a" ? "b" : "a" }));
  await expect(circle).rejects.toMatchObject({ code: "mcp-protocol", server: "s" });
});

test.each([
  ["no list", { tools: {} }],
  ["a cursor that is a number", { tools: [], nextCursor: 7 }],
  ["a cursor without end", { tools: [], nextCursor: "x".repeat(20_000) }],
])("%s is against the protocol", async (_what, page) => {
  await expect(list(() => page)).rejects.toMatchObject({ code: "mcp-protocol" });
});

test("no more than 1 000 tools and 100 pages are read", async () => {
  const many = await list(() => ({
    tools: Array.from({ length: 2000 }, (_unused, index) => tool(`t${index}`)),
    nextCursor: "more",
  }));
  expect(many.names).toHaveLength(1000);
  expect(many.asked).toHaveLength(1);
  expect(many.notices).toEqual([expect.stringContaining("mcp-too-many-tools")]);

  const endless = await list((cursor) => ({ tools: [], nextCursor: `${cursor}x` }));
  expect(endless.asked).toHaveLength(100);
  expect(endless.notices).toEqual([expect.stringContaining("mcp-too-many-pages")]);
});

test("a server that does not know the method has no tools; other errors rise", async () => {
  const failing = (code: number) => () => {
    const remote = { code, message: "no" };
    throw new McpError("no", { code: "mcp-remote-error", server: "s", remote });
  };
  expect((await list(failing(-32_601))).names).toEqual([]);
  await expect(list(failing(-32_603))).rejects.toMatchObject({ code: "mcp-remote-error" });
});
