/** What the page of kernel-in-browser.test.ts runs: each function is one run, told as plain data. */
import * as z from "zod";
import {
  type Agent,
  createDragoman,
  defineTool,
  type RunResult,
  silentLogger,
  type Tool,
} from "../src/index.ts";
import { type ScriptedTurn, scriptedModel } from "../src/testing/scripted-model.ts";

// Zod would try eval and catch its failure, which the page reports all the same.
z.config({ jitless: true });

/** How a run ended. */
export interface RunReport {
  readonly status: string;
  readonly text: string;
  /** Why the model stopped, the code of the error, or the reason of the cancellation. */
  readonly why: string;
  /** What each tool call told the model, in the order of the calls. */
  readonly toolResults: readonly string[];
}

/** Each of two tools waits until the other runs too: one after the other, they would never end. */
export function callToolsSideBySide(): Promise<RunReport> {
  let running = 0;
  const bothRun = Promise.withResolvers<void>();
  const tools = ["rome", "oslo"].map((city) =>
    defineTool({
      name: city,
      description: `The weather in ${city}.`,
      inputSchema: z.object({ unit: z.enum(["celsius", "kelvin"]) }),
      async execute({ unit }) {
        running += 1;
        if (running === 2) {
          bothRun.resolve();
        }
        await bothRun.promise;
        return `${city}: 20 ${unit}`;
      },
    }),
  );
  const calls = tools.map(({ name }) => ({ name, arguments: { unit: "celsius" } }));
  return ask([{ calls }, "Both are mild."], tools);
}

/** The run is cancelled when its first words have arrived; the model would never end. */
export async function cancelRun(): Promise<RunReport> {
  const run = agentWith([{ text: "One moment", hangs: true }], []).stream("Go on.");
  for await (const event of run) {
    if (event.kind === "text-delta") {
      run.cancel("the user left");
    }
  }
  return toReport(await run.result);
}

/** Neither the model nor the run would ever end by itself. */
export async function passDeadline(): Promise<RunReport> {
  const agent = agentWith([{ text: "Thinking", hangs: true }], []);
  return toReport(await agent.ask("Go on.", { timeoutMs: 100 }));
}

/** A tool with a plain JSON Schema that has a pattern is called wrongly, then rightly. */
export function checkJsonSchema(): Promise<RunReport> {
  const double = defineTool({
    name: "double",
    description: "Doubles a number.",
    inputSchema: {
      type: "object",
      properties: { value: { type: "number" }, unit: { type: "string", pattern: "^[a-z]+$" } },
      required: ["value"],
    },
    execute: ({ value }) => Number(value) * 2,
  });
  const call = (value: string | number): ScriptedTurn => ({
    calls: [{ name: "double", arguments: { value, unit: "kg" } }],
  });
  return ask([call("many"), call(21), "42."], [double]);
}

/** Nobody chose a model, and a page has neither an environment nor a connection to look for one. */
export async function answerWithoutModel(): Promise<RunReport> {
  const weather = defineTool({
    name: "get_weather",
    description: "The weather in a city.",
    inputSchema: z.object({ city: z.string() }),
    execute: ({ city }) => `It is sunny in ${city}.`,
  });
  const agent = createDragoman({ logger: silentLogger }).defineAgent({
    name: "page",
    tools: [weather],
  });
  return toReport(await agent.ask("What is the weather in Rome?", { timeoutMs: mostMs }));
}

/** Turns a run that hangs into one that failed, in milliseconds. */
const mostMs = 10_000;

type Turns = readonly [ScriptedTurn, ...ScriptedTurn[]];

function agentWith(turns: Turns, tools: readonly Tool[]): Agent {
  const model = scriptedModel(turns);
  return createDragoman({ logger: silentLogger }).defineAgent({ name: "page", model, tools });
}

async function ask(turns: Turns, tools: readonly Tool[]): Promise<RunReport> {
  return toReport(await agentWith(turns, tools).ask("Go on.", { timeoutMs: mostMs }));
}

function toReport(result: RunResult): RunReport {
  const parts = result.messages.flatMap((message) =>
    message.role === "tool" ? message.content : [],
  );
  return {
    status: result.status,
    text: result.text,
    why: whyItEnded(result),
    toolResults: parts.map(({ content }) =>
      content.map((part) => (part.kind === "text" ? part.text : part.kind)).join(),
    ),
  };
}

function whyItEnded(result: RunResult): string {
  switch (result.status) {
    case "completed":
      return result.finishReason;
    case "failed":
      return result.error.code;
    case "cancelled":
      return String(result.reason);
    case "suspended":
      return result.status;
  }
}
