import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../base/json.ts";
import type { McpLimits } from "../../tool/mcp-limits.ts";
import { McpError } from "../wire/mcp-error.ts";
import { resolveLimits } from "../wire/mcp-limits.ts";
import { listEntries } from "./list-entries.ts";

const list = (
  page: (cursor: string) => JsonObject,
  limits: McpLimits = {},
): Promise<readonly JsonObject[]> =>
  listEntries({
    server: "s",
    limits: resolveLimits(limits),
    key: "prompts",
    identity: "name",
    request: async (params) => page(String(params["cursor"] ?? "")),
  });

const prompts = (count: number, more: JsonObject = {}): readonly Json[] =>
  Array.from({ length: count }, (_unused, index) => ({ name: `p${index}`, ...more }));

test("all pages are read, and what is malformed is left out", async () => {
  const pages: Record<string, JsonObject> = {
    "": { prompts: [{ name: "a" }, 7, { name: "" }, { title: "b" }], nextCursor: "p2" },
    p2: { prompts: [{ name: "c" }], nextCursor: null },
  };
  expect(await list((cursor) => pages[cursor] ?? {})).toEqual([{ name: "a" }, { name: "c" }]);
});

test.each<[limit: string, page: (cursor: string) => JsonObject, limits: McpLimits]>([
  ["maxEntries (10000)", () => ({ prompts: prompts(10_001) }), {}],
  ["maxEntries (2)", () => ({ prompts: prompts(3) }), { maxEntries: 2 }],
  ["maxPages (100)", (cursor) => ({ prompts: [], nextCursor: `${cursor}x` }), {}],
  ["maxPages (1)", () => ({ prompts: [], nextCursor: "x" }), { maxPages: 1 }],
  ["maxDiscoveryBytes (90)", () => ({ prompts: prompts(9) }), { maxDiscoveryBytes: 90 }],
  [
    "maxDiscoveryBytes (10485760)",
    (cursor) => ({ prompts: prompts(3, { x: "y".repeat(1_000_000) }), nextCursor: `${cursor}x` }),
    {},
  ],
  ["maxCursorBytes (16384)", () => ({ prompts: [], nextCursor: "é".repeat(9_000) }), {}],
])(
  "G-T15: a list beyond limits.%s fails with the limit, its value and the server",
  async (limit, page, limits) => {
    await expect(list(page, limits)).rejects.toMatchObject({
      code: "mcp-limit",
      server: "s",
      message: `The MCP server "s" sent a list of prompts that goes beyond limits.${limit}.`,
    });
  },
);

test.each<[what: string, page: JsonObject]>([
  ["no list", { prompts: {} }],
  ["a cursor that is a number", { prompts: [], nextCursor: 7 }],
  ["pages in a circle", { prompts: [], nextCursor: "again" }],
])("%s is against the protocol", async (_what, page) => {
  await expect(list(() => page)).rejects.toMatchObject({ code: "mcp-protocol" });
});

test("a server that does not know the method has none; other errors rise", async () => {
  const failing = (code: number) => () => {
    const remote = { code, message: "no" };
    throw new McpError("no", { code: "mcp-remote-error", server: "s", remote });
  };
  expect(await list(failing(-32_601))).toEqual([]);
  await expect(list(failing(-32_603))).rejects.toMatchObject({ code: "mcp-remote-error" });
});
