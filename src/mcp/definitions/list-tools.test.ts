import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../base/json.ts";
import type { McpLimits } from "../../tool/mcp-limits.ts";
import { McpError } from "../wire/mcp-error.ts";
import { resolveLimits } from "../wire/mcp-limits.ts";
import { listTools } from "./list-tools.ts";

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
async function list(
  page: (cursor: string) => JsonObject,
  limits: McpLimits = {},
): Promise<Listing> {
  const notices: string[] = [];
  const asked: JsonObject[] = [];
  const definitions = await listTools({
    server: "s",
    limits: resolveLimits(limits),
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
  const { notices } = await list(() => ({ tools: [tool("a\u202eb")] }));
  expect(notices).toEqual([expect.stringContaining('The tool "ab" is left out')]);
});

test("pages in a circle are refused", async () => {
  const circle = list((cursor) => ({ tools: [], nextCursor: cursor === "a" ? "b" : "a" }));
  await expect(circle).rejects.toMatchObject({ code: "mcp-protocol", server: "s" });
});

test.each([
  ["no list", { tools: {} }],
  ["a cursor that is a number", { tools: [], nextCursor: 7 }],
])("%s is against the protocol", async (_what, page) => {
  await expect(list(() => page)).rejects.toMatchObject({ code: "mcp-protocol" });
});

test("G-T15: a cursor that is too long is refused, with the limit and the server in the error", async () => {
  const page = { tools: [], nextCursor: "é".repeat(10_000) };
  await expect(list(() => page)).rejects.toMatchObject({
    code: "mcp-limit",
    message:
      'The MCP server "s" sent a cursor for its list of tools that is over limits.maxCursorBytes (16384).',
  });
  await expect(
    list(() => ({ tools: [], nextCursor: "abc" }), { maxCursorBytes: 2 }),
  ).rejects.toThrow("limits.maxCursorBytes (2)");
});

const many = (count: number, more: JsonObject = {}): readonly JsonObject[] =>
  Array.from({ length: count }, (_unused, index) => tool(`t${index}`, more));

test.each<[limit: string, page: JsonObject, limits: McpLimits, count: number, asked: number]>([
  ["maxTools (1000)", { tools: many(2_000), nextCursor: "more" }, {}, 1_000, 1],
  ["maxTools (3)", { tools: many(4) }, { maxTools: 3 }, 3, 1],
  ["maxDiscoveryBytes (10485760)", { tools: many(30, { x: "y".repeat(500_000) }) }, {}, 20, 1],
  ["maxDiscoveryBytes (200)", { tools: many(9) }, { maxDiscoveryBytes: 200 }, 4, 1],
  ["maxDiscoveryNodes (100000)", { tools: many(30, { x: Array(5_000).fill(0) }) }, {}, 19, 1],
  ["maxDiscoveryNodes (9)", { tools: many(9) }, { maxDiscoveryNodes: 9 }, 2, 1],
])(
  "G-T15: at limits.%s what was read is kept, and that is said",
  async (limit, page, limits, count, asked) => {
    const listing = await list(() => page, limits);
    expect(listing.names).toHaveLength(count);
    expect(listing.asked).toHaveLength(asked);
    expect(listing.notices).toEqual([
      expect.stringContaining(`goes on beyond limits.${limit}: ${count} tools were taken`),
    ]);
  },
);

test("G-T15: at limits.maxPages what was read is kept, and that is said", async () => {
  const endless = (cursor: string): JsonObject => ({
    tools: [tool(`t${cursor}`)],
    nextCursor: `${cursor}x`,
  });
  const hundred = await list(endless);
  expect(hundred.names).toHaveLength(100);
  expect(hundred.notices).toEqual([
    "mcp-too-many-pages: Its list of tools goes on beyond limits.maxPages (100): 100 tools were taken, the rest is left out.",
  ]);
  expect((await list(endless, { maxPages: 2 })).names).toHaveLength(2);
});

test("ten thousand tools that are malformed are no flood of notices", async () => {
  const { names, notices } = await list(() => ({ tools: [...Array(10_000).fill(0), tool("a")] }));
  expect(names).toEqual(["a"]);
  expect(notices).toHaveLength(101);
  expect(notices.at(-1)).toBe("mcp-notices-omitted: 9900 more notices on its tools are not shown.");
});

test("a server that does not know the method has no tools; other errors rise", async () => {
  const failing = (code: number) => () => {
    const remote = { code, message: "no" };
    throw new McpError("no", { code: "mcp-remote-error", server: "s", remote });
  };
  expect((await list(failing(-32_601))).names).toEqual([]);
  await expect(list(failing(-32_603))).rejects.toMatchObject({ code: "mcp-remote-error" });
});

test("while a large list is looked through, others get their turn", async () => {
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns += 1;
    if (!isDone) {
      setImmediate(count);
    }
  };
  setImmediate(count);
  await list(() => ({ tools: many(100, { description: "x".repeat(50_000) }) }));
  isDone = true;
  expect(turns).toBeGreaterThan(10);
});
