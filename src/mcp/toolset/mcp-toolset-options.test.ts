import { expect, test } from "vitest";
import { fakeStdio } from "../../../test/fixtures/mcp/servers.ts";
import { mcpToolset } from "./mcp-toolset.ts";
import type { McpToolsetOptions } from "./mcp-toolset-options.ts";

test.each([
  [{ transport: { type: "pigeon" } }, "Invalid transport type"],
  [{ transport: { type: "http", url: "http://h/" } }, 'mcpToolset("fake"): "url" is http://h/'],
  [{ name: "" }, '"name" is empty'],
  [{ timeoutMs: -1 }, '"timeoutMs" must be'],
  [{ outputMismatch: "throw" }, '"outputMismatch" must be "error", "warn" or "ignore"'],
  [{ limits: { maxTols: 1 } }, 'Did you mean "maxTools"?'],
  [{ tools: "echo" }, '"tools" must be a list of names, or an object'],
  [{ tools: [1] }, '"tools" must be a list of names'],
  [{ tools: { echo: "my echo" } }, 'The name for "echo"'],
  [{ tools: { a: "x", b: "x" } }, 'Two of the "tools" are to be called "x"'],
  [{ mapTools: () => null }, 'Unknown option "mapTools". Did you mean "mapTool"?'],
])("the options %j are refused at once", (settings, words) => {
  const options = { name: "fake", transport: fakeStdio(), ...settings };
  expect(() => mcpToolset(options as unknown as McpToolsetOptions)).toThrow(words);
});

test("a toolset carries what its run needs to know", () => {
  const onError = (): void => {};
  const options = { description: "d", onUnavailable: "ignore", onError, prefix: true } as const;
  expect(mcpToolset({ name: "n", transport: fakeStdio(), ...options })).toMatchObject({
    name: "n",
    ...options,
  });
});
