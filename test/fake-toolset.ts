import { defineTool } from "../src/tool/define-tool.ts";
import type { Tool } from "../src/tool/tool.ts";
import type { Toolset } from "../src/tool/toolset.ts";

/** A tool of that name that says which server it is of. */
export const toolCalled = (name: string, server: string): Tool =>
  defineTool({ name, description: name, source: { server, name }, execute: () => server });

/** Notes what becomes of it. */
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
