import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bindingFor } from "../../../test/fixtures/mcp/tool-call.ts";
import { mcpToolset } from "./mcp-toolset.ts";
import type { McpToolsetOptions } from "./mcp-toolset-options.ts";

const transport = { type: "http", url: "https://mcp.example/rpc", token: "t-1" } as const;
const options: McpToolsetOptions = { name: "crm", transport };

const keyOf = (more: Partial<McpToolsetOptions> = {}, actor?: string) =>
  // The parts fit together in each of the tests.
  mcpToolset({ ...options, ...more } as McpToolsetOptions).catalogueKey?.(
    bindingFor(actor === undefined ? {} : { actor }),
  );

test("the same plain configuration has the same key, whoever runs, and no credential in it", () => {
  const key = keyOf();
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect(keyOf({ transport: { ...transport } }, "ann")).toBe(key);
});

test.each<[string, Partial<McpToolsetOptions>]>([
  ["token", { transport: { ...transport, token: "t-2" } }],
  ["header", { transport: { ...transport, headers: { "x-tenant": "b" } } }],
  ["address", { transport: { ...transport, url: "https://mcp.example/other" } }],
  ["name", { name: "crm-2" }],
  ["selection of tools", { tools: ["search"] }],
  ["list of disabled tools", { disabledTools: ["search"] }],
])("another %s has another key", (_, more) => {
  expect(keyOf(more)).not.toBe(keyOf());
});

test("a source of tokens is known again, also where the configuration is copied", () => {
  const { token: _, ...plain } = transport;
  const keyWith = (auth: { token(): string }) => keyOf({ transport: { ...plain, auth } });
  const auth = { token: () => "t" };
  expect(keyWith(auth)).toBe(keyWith(auth));
  expect(keyWith(auth)).not.toBe(keyWith({ token: () => "t" }));
});

test("what depends on the run is kept for one actor, and not at all without one", () => {
  const bound = { transport: () => transport };
  expect(keyOf(bound)).toBeUndefined();
  expect(keyOf(bound, "ann")).toBe(keyOf(bound, "ann"));
  expect(keyOf(bound, "ann")).not.toBe(keyOf(bound, "bob"));
  expect(keyOf(bound, "ann")).not.toBe(keyOf({ transport: () => transport }, "ann"));
  const mapped: Partial<McpToolsetOptions> = { mapTool: (tool) => tool };
  expect(keyOf(mapped)).toBeUndefined();
  expect(keyOf(mapped, "ann")).not.toBe(keyOf(mapped, "bob"));
});

test("other pins have another key, also where they are another content of the same file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "dragoman-pins-"));
  try {
    const lock = join(folder, "lock.json");
    const pins = { mode: "enforce", lock } as const;
    const toolset = mcpToolset(options);
    const keys = [toolset.catalogueKey?.(bindingFor({}), pins)];
    await writeFile(lock, "{}");
    keys.push(toolset.catalogueKey?.(bindingFor({}), pins));
    await writeFile(lock, '{"version":1}');
    keys.push(toolset.catalogueKey?.(bindingFor({}), pins));
    keys.push(toolset.catalogueKey?.(bindingFor({}), { ...pins, mode: "warn" }), keyOf());
    expect(new Set(keys).size).toBe(keys.length);
    // The toolset's own setting counts.
    const own = mcpToolset({ ...options, pins: "off" });
    expect(own.catalogueKey?.(bindingFor({}), pins)).toBe(
      own.catalogueKey?.(bindingFor({}), "off"),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});
