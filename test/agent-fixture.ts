import * as z from "zod";
import type { Agent } from "../src/agent/agent.ts";
import type { AgentDefinition } from "../src/agent/agent-definition.ts";
import type { Run } from "../src/agent/run.ts";
import type { RunEvent } from "../src/agent/run-event.ts";
import { silentLogger } from "../src/base/logger.ts";
import { createDragoman, type DragomanConfig } from "../src/configure.ts";
import {
  type ScriptedModel,
  type ScriptedTurn,
  scriptedModel,
} from "../src/testing/scripted-model.ts";
import { defineTool } from "../src/tool/define-tool.ts";
import type { Tool } from "../src/tool/tool.ts";

/** A tool that works. */
export const add: Tool<{ a: number; b: number }, number> = defineTool({
  name: "add",
  description: "Adds two numbers.",
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});

/** A tool that ignores its signal. */
export const neverEnding = (name: string): Tool =>
  defineTool({ name, description: "Never ends.", execute: () => new Promise(() => {}) });

/** An agent called "tester" with a configuration of its own, no environment and no log. */
export function agentOf(
  definition: Omit<AgentDefinition, "name">,
  config: DragomanConfig = {},
): Agent {
  const dragoman = createDragoman({ logger: silentLogger, env: {}, ...config });
  return dragoman.defineAgent({ name: "tester", ...definition });
}

export const modelOf = (...turns: [ScriptedTurn, ...ScriptedTurn[]]): ScriptedModel =>
  scriptedModel(turns);

export async function collect(run: Run): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of run) {
    events.push(event);
  }
  return events;
}
