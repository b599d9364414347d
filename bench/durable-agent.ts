import type { Agent } from "../src/agent/agent.ts";
import { silentLogger } from "../src/base/logger.ts";
import { createDragoman } from "../src/configure.ts";
import type { Model } from "../src/model/model.ts";
import { defineTool } from "../src/tool/define-tool.ts";

/** An agent that takes so many turns of model and tool, which take no time of their own, and one model call more. */
export function createBenchAgent(turns: number, name = "bench"): Agent {
  const model: Model = {
    id: "bench",
    capabilities: { tools: true, images: false, jsonSchema: true },
    async *stream({ messages }) {
      const turn = messages.filter(({ role }) => role === "tool").length;
      const done = turn === turns;
      if (!done) {
        yield { kind: "tool-call-start", id: `c${turn}`, name: "work" };
        yield { kind: "tool-call-end", id: `c${turn}` };
      }
      const usage = { inputTokens: 1, outputTokens: 1 };
      yield { kind: "finish", reason: done ? "stop" : "tool-calls", usage };
    },
  };
  let count = 0;
  const work = defineTool({
    name: "work",
    description: "Works.",
    idempotent: true,
    execute: () => {
      count += 1; // always something new, or the run is ended for repeating itself
      return `worked ${count}: ${"x".repeat(300)}`;
    },
  });
  const dragoman = createDragoman({ app: "bench", logger: silentLogger, env: {} });
  const limits = { maxSteps: 100 };
  return dragoman.defineAgent({ name, model, tools: [work], limits });
}
