import * as z from "zod";
import type { RunOptions } from "../src/agent/run-options.ts";
import type { RunResult } from "../src/agent/run-result.ts";
import { silentLogger } from "../src/base/logger.ts";
import { createDragoman, type Dragoman, type DragomanConfig } from "../src/configure.ts";
import type { Model } from "../src/model/model.ts";
import { ModelError } from "../src/model/model-error.ts";
import {
  OpenTelemetryTracing,
  type OpenTelemetryTracingOptions,
} from "../src/otel/open-telemetry-tracing.ts";
import { memorySessions } from "../src/stores/memory-sessions.ts";
import { type ScriptedTurn, scriptedModel } from "../src/testing/scripted-model.ts";
import { defineTool } from "../src/tool/define-tool.ts";
import type { Tool } from "../src/tool/tool.ts";
import { fakeStdio } from "./fixtures/mcp/servers.ts";
import type { PlainMeasures } from "./plain-measures.ts";
import { type PlainSpan, treeOf } from "./span-tree.ts";

/** An SDK that keeps what it exports. */
export interface KeepingSdk {
  readonly providers: Required<Pick<OpenTelemetryTracingOptions, "tracerProvider">> & {
    readonly meterProvider: Exclude<
      OpenTelemetryTracingOptions["meterProvider"],
      false | undefined
    >;
  };
  /** All spans that have ended. */
  spans(): readonly PlainSpan[];
  measures(): Promise<PlainMeasures>;
}

/** What must be in no trace. */
export const secret = "s3cr3t";

const add = defineTool({
  name: "add",
  description: "Adds.",
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});
/** A tool that fails. */
export const broken: Tool = defineTool({
  name: "broken",
  description: "Fails.",
  execute: () => Promise.reject(new Error(`the ${secret} is out`)),
});
const callAdd = { calls: [{ id: "c1", name: "add", arguments: { a: 1, b: 2 } }] };

/** Runs traced by an SDK. */
export class Traced {
  readonly sdk: KeepingSdk;
  readonly dragoman: Dragoman;

  constructor(sdk: KeepingSdk, options: OpenTelemetryTracingOptions, config: DragomanConfig) {
    this.sdk = sdk;
    const instrument = new OpenTelemetryTracing({ ...sdk.providers, ...options });
    this.dragoman = createDragoman({ logger: silentLogger, env: {}, instrument, ...config });
  }

  get tree(): string {
    return treeOf(this.sdk.spans());
  }

  span(name: string): PlainSpan {
    const found = this.sdk.spans().find((span) => span.name === name);
    if (found === undefined) {
      throw new Error(`There is no span "${name}" in\n${this.tree}`);
    }
    return found;
  }
}

/** One kind of run. */
export interface Case {
  readonly title: string;
  run(dragoman: Dragoman, options: RunOptions): Promise<RunResult>;
  readonly tree: string;
}

/** A model that says what it was told to, as if it were OpenAI's. */
export const modelOf = (...turns: [ScriptedTurn, ...ScriptedTurn[]]): Model =>
  scriptedModel(turns, { id: "openai:gpt-5" });

/** Kinds of runs, and their trees. */
export const cases: readonly Case[] = [
  {
    title: "a run with a tool",
    run: (dragoman, options) =>
      dragoman
        .defineAgent({ name: "desk", model: modelOf(callAdd, "Three."), tools: [add] })
        .ask("Add", options),
    tree: `
invoke_agent desk INTERNAL
  chat gpt-5 CLIENT
  execute_tool add INTERNAL
  chat gpt-5 CLIENT`,
  },
  {
    title: "a run with a server's tool",
    run: (dragoman, options) =>
      dragoman
        .defineAgent({
          name: "desk",
          model: modelOf(
            { calls: [{ id: "c1", name: "echo", arguments: { text: secret } }] },
            "Ok.",
          ),
          mcp: [{ name: "files", transport: fakeStdio() }],
        })
        .ask("Echo", options),
    tree: `
invoke_agent desk INTERNAL
  dragoman.open_server files INTERNAL
    initialize CLIENT
    tools/list CLIENT
  chat gpt-5 CLIENT
  execute_tool echo CLIENT
  chat gpt-5 CLIENT`,
  },
  {
    title: "a plan",
    run: (dragoman, options) =>
      dragoman
        .defineAgent({
          name: "planner",
          mode: "plan",
          tools: [add],
          model: modelOf(
            JSON.stringify({ thought: "", steps: [{ tool: "add", arguments: { a: 1, b: 2 } }] }),
            "Three.",
          ),
        })
        .ask("Add", options),
    tree: `
invoke_agent planner INTERNAL
  plan planner INTERNAL
    chat gpt-5 CLIENT
  execute_tool add INTERNAL
  chat gpt-5 CLIENT`,
  },
  {
    title: "an assembly within an assembly, and an agent as a tool",
    run: (dragoman, options) => {
      const helper = dragoman.defineAgent({ name: "helper", model: modelOf("Helped.") });
      const boss = dragoman.defineAgent({
        name: "boss",
        model: modelOf(
          { calls: [{ id: "c1", name: "delegate_to_helper", arguments: { request: "Help" } }] },
          "Done.",
        ),
        tools: [helper],
      });
      const inner = dragoman.defineSequence({ name: "inner", members: [boss] });
      return dragoman
        .defineLoop({ name: "outer", members: [inner], maxRounds: 1 })
        .ask("Go", options);
    },
    tree: `
invoke_workflow outer INTERNAL
  invoke_workflow inner INTERNAL
    invoke_agent boss INTERNAL
      chat gpt-5 CLIENT
      execute_tool delegate_to_helper INTERNAL
        invoke_agent helper INTERNAL
          chat gpt-5 CLIENT
      chat gpt-5 CLIENT`,
  },
  {
    title: "a model that is tried again",
    run: (dragoman, options) => {
      const error = new ModelError(`busy with ${secret}`, {
        code: "model-unavailable",
        retryable: true,
        status: 503,
        retryAfterMs: 0,
      });
      return dragoman
        .defineAgent({ name: "desk", model: modelOf({ error }, "Here.") })
        .ask("Go", options);
    },
    tree: `
invoke_agent desk INTERNAL (dragoman.retry)
  chat gpt-5 CLIENT ERROR=503 (exception)
  chat gpt-5 CLIENT`,
  },
  {
    title: "a failing tool, and one that is not there",
    run: (dragoman, options) =>
      dragoman
        .defineAgent({
          name: "desk",
          tools: [broken],
          model: modelOf(
            {
              calls: [
                { id: "c1", name: "broken" },
                { id: "c2", name: `gone-${secret}` },
              ],
            },
            "It failed.",
          ),
        })
        .ask("Go", options),
    tree: `
invoke_agent desk INTERNAL
  chat gpt-5 CLIENT
  execute_tool _OTHER INTERNAL ERROR=unknown-tool (exception)
  execute_tool broken INTERNAL ERROR=tool-failed (exception)
  chat gpt-5 CLIENT`,
  },
  {
    title: "a run that fails",
    run: (dragoman, options) => {
      const error = new ModelError(`no ${secret}`, { code: "model-unauthorized", status: 401 });
      return dragoman.defineAgent({ name: "desk", model: modelOf({ error }) }).ask("Go", options);
    },
    tree: `
invoke_agent desk INTERNAL ERROR=401 failed (exception)
  chat gpt-5 CLIENT ERROR=401 (exception)`,
  },
  {
    title: "a run that is cancelled in the middle of an answer",
    run: (dragoman, options) => {
      const agent = dragoman.defineAgent({
        name: "desk",
        model: modelOf({ text: "Wait", hangs: true }),
      });
      return cancelledAtText(agent.stream("Go", options));
    },
    tree: `
invoke_agent desk INTERNAL cancelled
  chat gpt-5 CLIENT`,
  },
  {
    title: "a run that waits, and goes on",
    run: async (dragoman, options) => {
      const agent = dragoman.defineAgent({
        name: "desk",
        tools: [add],
        model: modelOf(callAdd, "Three."),
        approval: { default: "ask" },
      });
      const { runId } = await agent.ask("Go", options);
      return agent.resume(runId, { ...options, decisions: { "approval:c1": { kind: "approve" } } });
    },
    tree: `
invoke_agent desk INTERNAL suspended (dragoman.interrupt)
  chat gpt-5 CLIENT
invoke_agent desk INTERNAL (dragoman.decision) linked
  execute_tool add INTERNAL
  chat gpt-5 CLIENT`,
  },
  {
    title: "a run with a session",
    run: (dragoman, options) =>
      dragoman
        .defineAgent({ name: "desk", model: modelOf("Hello.") })
        .ask("Hi", { ...options, session: { id: `chat-${secret}`, store: memorySessions() } }),
    tree: `
invoke_agent desk INTERNAL
  dragoman.session load INTERNAL
  chat gpt-5 CLIENT
  dragoman.session save INTERNAL`,
  },
];

async function cancelledAtText(run: ReturnType<ReturnType<Dragoman["defineAgent"]>["stream"]>) {
  for await (const event of run) {
    if (event.kind === "text-delta") {
      run.cancel();
    }
  }
  return run.result;
}
