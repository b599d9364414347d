import { isJsonObject, type JsonObject, parseJson } from "../base/json.ts";
import { type Message, textOf } from "../message/message.ts";
import type { Model } from "../model/model.ts";
import { noUsage } from "../model/usage.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import { agentParticipant } from "./agent-participant.ts";
import type { AgentRuntime } from "./agent-runtime.ts";
import type { Assembly } from "./assembly.ts";
import { createAssembly } from "./create-assembly.ts";
import type { KeptToolsets } from "./kept-toolsets.ts";

/** One call that is tried. */
export interface BenchCall {
  /** The name that the model sees. */
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** What a bench is asked. */
export const benchInput = ({ tool, arguments: given }: BenchCall): string =>
  JSON.stringify({ tool, arguments: given });

/** The name under which an agent's bench runs. */
const benchNameOf = (agent: string): string => `${agent}/tools`;

/** What a bench is made of. */
export interface ToolBenchParts {
  readonly definition: AgentDefinition<unknown>;
  readonly runtimeNow: () => AgentRuntime;
  /** Connections that are open already. */
  readonly kept?: KeptToolsets;
}

const benches = new WeakMap<object, ToolBenchParts>();

/** Says what an agent's bench is made of. */
export function setToolBench(agent: object, parts: ToolBenchParts): void {
  benches.set(agent, parts);
}

/**
 * The bench of an agent, for whoever tries its tools by hand: asked with {@link benchInput}, it makes
 * that one call as the agent's own runs would, with its servers, its approval, its hooks and its time
 * limits, and ends; no language model takes part. It may be resumed anywhere. `undefined` for what is no
 * single agent.
 */
export function toolBenchOf(agent: object): Assembly | undefined {
  const parts = benches.get(agent);
  if (parts === undefined) {
    return undefined;
  }
  const { definition, runtimeNow, kept } = parts;
  const { output: _output, instructions: _instructions, ...rest } = definition;
  const own = { ...rest, mode: "auto", model: benchModel, fallbackModels: [] } as const;
  const participant = agentParticipant({ ...own, discovery: "none" }, undefined);
  return createAssembly(
    {
      ...participant,
      name: benchNameOf(definition.name),
      perform: (scope) => participant.perform(kept === undefined ? scope : { ...scope, kept }),
    },
    runtimeNow,
  );
}

/** Asks for the call that the user's message is, and has nothing to say of its result. */
const benchModel: Model = {
  id: "dragoman:bench",
  capabilities: { tools: true, images: true, audio: true, documents: true, jsonSchema: true },
  async *stream({ messages }) {
    const call = callIn(messages);
    if (call === undefined) {
      yield { kind: "finish", reason: "stop", usage: noUsage };
      return;
    }
    const id = "bench";
    yield { kind: "tool-call-start", id, name: call.tool };
    yield { kind: "tool-call-delta", id, text: JSON.stringify(call.arguments) };
    yield { kind: "tool-call-end", id };
    yield { kind: "finish", reason: "tool-calls", usage: noUsage };
  },
};

/** The call that is asked for, unless it was made. */
function callIn(messages: readonly Message[]): BenchCall | undefined {
  const asked = messages.at(-1);
  if (asked?.role !== "user" || messages.some(({ role }) => role === "assistant")) {
    return undefined;
  }
  const call = parseJson(textOf(asked.content));
  if (!isJsonObject(call)) {
    return undefined;
  }
  const { tool, arguments: given } = call;
  return typeof tool === "string" && isJsonObject(given) ? { tool, arguments: given } : undefined;
}
