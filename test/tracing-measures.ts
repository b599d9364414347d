import { expect, test } from "vitest";
import { memorySessions } from "../src/stores/memory-sessions.ts";
import { cases, modelOf } from "./traced-runs.ts";
import type { Trace } from "./tracing-tests.ts";

/** Each instrument: its unit, and the first and last bound of a distribution. */
const instruments: readonly (readonly [name: string, unit: string, bounds?: readonly number[]])[] =
  [
    ["gen_ai.client.inference.duration", "s", [0.01, 81.92]],
    ["gen_ai.client.inference.operation.input_tokens", "{token}", [1, 67_108_864]],
    ["gen_ai.client.inference.operation.output_tokens", "{token}", [1, 67_108_864]],
    ["gen_ai.client.inference.time_per_output_chunk", "s", [0.01, 81.92]],
    ["gen_ai.client.inference.time_to_first_chunk", "s", [0.01, 81.92]],
    ["gen_ai.client.inference.usage.input_tokens", "{token}"],
    ["gen_ai.client.inference.usage.output_tokens", "{token}"],
    ["gen_ai.execute_tool.duration", "s", [0.01, 81.92]],
    ["gen_ai.invoke_agent.duration", "s", [0.1, 409.6]],
    ["gen_ai.invoke_agent.inference_calls", "{inference_call}", [1, 128]],
    ["gen_ai.invoke_agent.tool_calls", "{tool_call}", [1, 128]],
    ["mcp.client.operation.duration", "s", [0.01, 300]],
    ["mcp.client.session.duration", "s", [0.01, 300]],
  ];

/** Measures, and the older names. */
export function testMeasures(traced: Trace): void {
  test("G-O5: the older conventions and ids are there for those who ask", async () => {
    const runs = traced({ semanticConventions: "older", identifiers: true });
    const session = { id: "chat-1", store: memorySessions() };
    await cases[3]?.run(runs.dragoman, { session });
    expect(runs.span("invoke_workflow outer").attributes).toMatchObject({
      "gen_ai.workflow.name": "outer",
      "gen_ai.conversation.id": "chat-1",
    });
    expect(runs.span("chat gpt-5").attributes).toHaveProperty("gen_ai.system", "openai");
    expect(runs.span("execute_tool delegate_to_helper").attributes).toHaveProperty(
      "gen_ai.conversation.id",
      "chat-1",
    );
    expect([...(await runs.sdk.measures()).keys()]).toEqual(
      expect.arrayContaining([
        "gen_ai.client.operation.duration",
        "gen_ai.client.operation.time_to_first_chunk",
        "gen_ai.client.token.usage",
      ]),
    );
  });

  test("G-O2: runs, model calls, tools and MCP requests are measured, without any id", async () => {
    const runs = traced();
    await cases[1]?.run(runs.dragoman, {});
    await cases[5]?.run(runs.dragoman, {});
    const measures = await runs.sdk.measures();
    const found = [...measures].map(([name, { unit, bounds }]) =>
      bounds === undefined ? [name, unit] : [name, unit, [bounds[0], bounds.at(-1)]],
    );
    expect(found.toSorted(([one], [other]) => (`${one}` < `${other}` ? -1 : 1))).toEqual(
      instruments,
    );
    expect(measures.get("gen_ai.execute_tool.duration")?.series).toContainEqual({
      "gen_ai.tool.name": "broken",
      "gen_ai.tool.type": "function",
      "gen_ai.agent.name": "desk",
      "error.type": "tool-failed",
    });
    expect(measures.get("gen_ai.client.inference.usage.input_tokens")?.series).toEqual([
      {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-5",
        "gen_ai.token.modality": "unknown",
      },
    ]);
    expect(measures.get("mcp.client.operation.duration")?.series).toContainEqual({
      "mcp.method.name": "tools/call",
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "echo",
      "mcp.protocol.version": expect.any(String),
      "network.transport": "pipe",
    });
    expect(JSON.stringify([...measures])).not.toMatch(/run_|call_|"c1"|request\.id|run\.id/);
  });

  testCalls(traced);
}

/** What is counted, and where. */
function testCalls(traced: Trace): void {
  test("G-O2: calls are counted for the agent that makes them, and not for those that asked it", async () => {
    const runs = traced();
    await cases[3]?.run(runs.dragoman, {});
    const measures = await runs.sdk.measures();
    const calls = measures.get("gen_ai.invoke_agent.inference_calls");
    expect(calls?.series).toEqual([
      { "gen_ai.agent.name": "helper" },
      { "gen_ai.agent.name": "boss" },
    ]);
    expect(measures.get("gen_ai.invoke_agent.duration")?.series).toContainEqual({
      "gen_ai.operation.name": "invoke_workflow",
      "gen_ai.agent.name": "outer",
    });
  });

  test("an answer that came whole has no time to its first piece", async () => {
    const runs = traced();
    const model = { ...modelOf("Hello."), isStreamed: false };
    await runs.dragoman.defineAgent({ name: "desk", model }).ask("Hi");
    const { attributes } = runs.span("chat gpt-5");
    expect(attributes).not.toHaveProperty("gen_ai.response.time_to_first_chunk");
    expect(attributes).not.toHaveProperty("gen_ai.request.stream");
    expect([...(await runs.sdk.measures()).keys()].join()).not.toContain("chunk");
  });
}
