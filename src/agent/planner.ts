import type { JsonObject } from "../base/json.ts";
import { type Message, textOf, toolCallsOf } from "../message/message.ts";
import type { Model } from "../model/model.ts";
import type { TextAdapter } from "../model/text-adapter.ts";
import { type Agent, settingsOf } from "./agent.ts";
import { callModel, newLoopState } from "./model-step.ts";
import type { Plan } from "./plan.ts";
import { makePlan, type PlanScope } from "./plan-loop.ts";
import { toReactModel } from "./react-model.ts";
import type { RunOptions } from "./run-options.ts";
import { chooseModels, openingMessages, toLoopScope } from "./run-scope.ts";
import { definitionsOf } from "./tool-loop.ts";
import { withRunTools } from "./with-run-tools.ts";

/** What a model would do next. */
export type NextAction =
  | {
      readonly kind: "tool";
      readonly name: string;
      readonly arguments: JsonObject;
      readonly thought: string;
    }
  | { readonly kind: "final"; readonly text: string; readonly thought: string };

/** Asks an agent's model what to do, and does none of it. */
export interface Planner {
  /**
   * A plan for a message.
   *
   * @throws RunError `invalid-plan`; ModelError.
   */
  plan(message: string, options?: PlannerCallOptions): Promise<Plan>;
  /**
   * The next action after a conversation that ends with a user's message or with tool results.
   *
   * @throws ModelError.
   */
  nextAction(history: readonly Message[], options?: PlannerCallOptions): Promise<NextAction>;
}

/** Who plans, and for how long. */
export type PlannerCallOptions = Pick<RunOptions, "actor" | "context" | "signal">;

/** What a planner is made of. */
export interface PlannerOptions {
  /** Whose instructions, tools and servers count. */
  readonly agent: Agent;
  /** Takes precedence over the agent's model and over the default. */
  readonly model?: string | Model | TextAdapter;
}

/** Makes a planner. Each call opens the agent's servers and closes them. */
export function createPlanner({ agent, model }: PlannerOptions): Planner {
  const within = <Value>(
    options: PlannerCallOptions,
    use: (scope: PlanScope, opening: readonly Message[]) => Promise<Value>,
  ): Promise<Value> => {
    const own = model === undefined ? options : { ...options, model };
    const settings = settingsOf(agent, own);
    return withRunTools(settings, undefined, async (borrowed) => {
      const { chosen, fallbacks } = await chooseModels(settings);
      const { binding } = borrowed;
      const opening = await openingMessages(settings, {
        binding,
        values: new Map(),
        history: [],
        input: "",
      });
      const models = [chosen.model, ...fallbacks] as const;
      const scope = toLoopScope(settings, { ...borrowed, models });
      return use(
        scope,
        opening.filter(({ role }) => role === "system"),
      );
    });
  };
  return {
    plan: (message, options = {}) =>
      within(options, (scope, opening) => {
        const asked = { role: "user", content: [{ kind: "text", text: message }] } as const;
        // Without a limit to reach, what comes is a plan.
        return makePlan(newLoopState([...opening, asked]), scope) as Promise<Plan>;
      }),
    nextAction: (history, options = {}) =>
      within(options, (scope, opening) => chooseAction([...opening, ...history], scope)),
  };
}

async function chooseAction(messages: readonly Message[], scope: PlanScope): Promise<NextAction> {
  const [first, ...rest] = scope.models.map((model) =>
    model.capabilities.tools ? model : toReactModel(model, scope.prompts),
  ) as [Model, ...Model[]]; // as many as the scope has
  const request = { tools: definitionsOf(scope.shownTools) };
  const { message } = await callModel(newLoopState(messages), request, {
    ...scope,
    models: [first, ...rest],
  });
  const thought = message.content
    .flatMap((part) => (part.kind === "reasoning" ? [part.text] : []))
    .join("\n");
  const [call] = toolCallsOf(message);
  return call === undefined
    ? { kind: "final", text: textOf(message.content), thought }
    : { kind: "tool", name: call.name, arguments: call.arguments, thought };
}
