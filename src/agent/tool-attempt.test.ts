import { expect, test } from "vitest";
import { agentOf, collect, modelOf } from "../../test/agent-fixture.ts";
import { ToolError, ToolNetworkError } from "../base/tool-error.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { Tool } from "../tool/tool.ts";

function failing(times: number, idempotent: boolean): Tool & { calls(): number } {
  let calls = 0;
  const tool = defineTool({
    name: "fetch_it",
    description: "",
    idempotent,
    execute: () => {
      calls += 1;
      if (calls <= times) {
        throw new ToolNetworkError("connection lost");
      }
      return "got it";
    },
  });
  return Object.assign(tool, { calls: () => calls });
}

async function watch(tool: Tool) {
  const clock = manualClock();
  const model = modelOf({ calls: [{ name: tool.name }] }, "ok");
  const run = agentOf({ model, tools: [tool] }, { clock }).stream("Hi");
  const notices: string[] = [];
  for await (const event of run) {
    if (event.kind === "notice" && event.code === "tool-retry") {
      notices.push(event.message);
      await Promise.resolve();
      clock.advance(1_000);
    }
  }
  return { result: await run.result, notices };
}

test("an idempotent tool that loses its connection is tried again", async () => {
  const tool = failing(2, true);
  const { result, notices } = await watch(tool);
  expect(tool.calls()).toBe(3);
  expect(notices).toEqual([
    'Tool "fetch_it" is tried again: connection lost',
    'Tool "fetch_it" is tried again: connection lost',
  ]);
  expect(result.messages.at(-2)).toMatchObject({ content: [{ isError: false }] });
});

test("after three tries the failure is the result", async () => {
  const tool = failing(9, true);
  const { result } = await watch(tool);
  expect(tool.calls()).toBe(3);
  expect(result.messages.at(-2)).toMatchObject({ content: [{ isError: true }] });
});

test("a tool that does not say it is idempotent is never tried again", async () => {
  const tool = failing(1, false);
  await watch(tool);
  expect(tool.calls()).toBe(1);
});

test("no more calls run at once than allowed, and they begin in order", async () => {
  let running = 0;
  let most = 0;
  const begun: string[] = [];
  const gates = ["1", "2", "3", "4"].map(() => Promise.withResolvers<void>());
  const tool = defineTool({
    name: "work",
    description: "",
    inputSchema: { type: "object", properties: { id: { type: "string" } } },
    execute: async ({ id }) => {
      begun.push(String(id));
      running += 1;
      most = Math.max(most, running);
      gates[begun.length - 3]?.resolve(); // the one that began two before may end
      await (begun.length >= 3 ? undefined : gates[begun.length - 1]?.promise);
      running -= 1;
      return id;
    },
  });
  const calls = ["1", "2", "3", "4"].map((id) => ({ name: "work", arguments: { id } }));
  for (const gate of gates) {
    gate.resolve();
  }
  const run = agentOf({
    model: modelOf({ calls }, "ok"),
    tools: [tool],
    toolConcurrency: 2,
  }).stream("Hi");
  await collect(run);
  expect(begun).toEqual(["1", "2", "3", "4"]);
  expect(most).toBe(2);
});

test("the agent's time for tools holds for those that have none of their own", async () => {
  const clock = manualClock();
  const slow = defineTool({ name: "slow", description: "", execute: () => new Promise(() => {}) });
  const model = modelOf({ calls: [{ name: "slow" }] }, "ok");
  const run = agentOf({ model, tools: [slow], toolTimeoutMs: 70 }, { clock }).stream("Hi");
  for await (const { kind } of run) {
    if (kind === "tool-start") {
      clock.advance(70);
    }
  }
  expect(JSON.stringify((await run.result).messages)).toMatch(/did not end within 70 ms/);
});

const loop: { self?: unknown } = {};
loop.self = loop;

class Unspeakable extends Error {
  override get message(): string {
    throw new Error("no message either");
  }
}

/** Whatever a tool throws or returns, the model reads something and the run goes on. */
const odd: Readonly<Record<string, () => unknown>> = {
  "throws a symbol": () => {
    throw Symbol("x");
  },
  "throws an object without a prototype": () => {
    throw Object.create(null);
  },
  "throws an error whose message throws": () => {
    throw new Unspeakable();
  },
  "throws an error with facts that are no JSON": () => {
    throw new ToolError("facts", { data: loop as never });
  },
  "throws nothing": () => {
    throw undefined;
  },
  "returns a circle": () => loop,
  "returns a function": () => () => {},
  "returns an error": () => new Error("returned"),
};

test.each(Object.entries(odd))("a tool that %s fails, and the run goes on", async (_, execute) => {
  const tool = defineTool({ name: "odd", description: "", execute });
  const result = await agentOf({
    model: modelOf({ calls: [{ name: "odd" }] }, "ok"),
    tools: [tool],
  }).ask("Go");
  expect(result).toMatchObject({ status: "completed", text: "ok" });
  expect(result.messages.at(-2)).toMatchObject({ content: [{ isError: true }] });
});
