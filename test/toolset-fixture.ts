import { DragomanError } from "../src/base/dragoman-error.ts";
import { defineTool } from "../src/tool/define-tool.ts";
import type { Tool } from "../src/tool/tool.ts";
import type { Toolset, UnavailablePolicy } from "../src/tool/toolset.ts";

/** A tool of a server that answers with the server's name. */
export const toolCalled = (name: string, server: string): Tool =>
  defineTool({ name, description: name, source: { server, name }, execute: () => server });

/** A toolset that notes what becomes of it. */
export interface FakeToolset extends Toolset {
  readonly log: string[];
}

/** A toolset of an application's own; it notes when it is opened and closed. */
export function toolsetOf(
  name: string,
  tools: readonly string[],
  more: Partial<Toolset> = {},
): FakeToolset {
  const log: string[] = [];
  return {
    name,
    log,
    async open() {
      log.push("open");
      return {
        tools: tools.map((tool) => toolCalled(tool, name)),
        close: async () => void log.push("close"),
      };
    },
    ...more,
  };
}

/** A toolset that cannot be opened. */
export const broken = (
  name: string,
  policy?: UnavailablePolicy,
  error: unknown = new DragomanError("refused", { code: "mcp-connect-failed" }),
): Toolset => ({
  name,
  onUnavailable: policy,
  open: () => Promise.reject(error),
});
