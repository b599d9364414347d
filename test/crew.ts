import type { Agent } from "../src/agent/agent.ts";
import type { AgentDefinition } from "../src/agent/agent-definition.ts";
import { silentLogger } from "../src/base/logger.ts";
import { createDragoman, type Dragoman, type DragomanConfig } from "../src/configure.ts";
import {
  type ScriptedModel,
  type ScriptedTurn,
  scriptedModel,
} from "../src/testing/scripted-model.ts";

/** Agents with scripted models, under a configuration of their own. */
export interface Crew extends Dragoman {
  /** An agent whose model says this, turn by turn. */
  member<Output = undefined>(
    name: string,
    turns: ScriptedTurn | readonly [ScriptedTurn, ...ScriptedTurn[]],
    more?: Omit<AgentDefinition<Output>, "name" | "model">,
  ): Agent<Output>;
  /** What an agent was asked: the last user's text of each of its model's requests. */
  asked(name: string): readonly string[];
  model(name: string): ScriptedModel;
}

export function crew(config: DragomanConfig = {}): Crew {
  const dragoman = createDragoman({ logger: silentLogger, env: {}, ...config });
  const models = new Map<string, ScriptedModel>();
  const model = (name: string): ScriptedModel => {
    const found = models.get(name);
    if (found === undefined) {
      throw new Error(`There is no member ${name}.`);
    }
    return found;
  };
  return {
    ...dragoman,
    model,
    member<Output = undefined>(
      name: string,
      turns: ScriptedTurn | readonly [ScriptedTurn, ...ScriptedTurn[]],
      more: Omit<AgentDefinition<Output>, "name" | "model"> = {},
    ): Agent<Output> {
      const script = Array.isArray(turns) ? turns : [turns];
      const scripted = scriptedModel(script as [ScriptedTurn, ...ScriptedTurn[]], { id: name });
      models.set(name, scripted);
      return dragoman.defineAgent({ name, model: scripted, ...more });
    },
    asked: (name) =>
      model(name).requests.map(({ messages }) => {
        const last = messages.findLast(({ role }) => role === "user");
        return last?.role === "user"
          ? last.content.map((part) => (part.kind === "text" ? part.text : "")).join("")
          : "";
      }),
  };
}
