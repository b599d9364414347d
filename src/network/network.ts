import type { AgentDefinition } from "../agent/agent-definition.ts";
import { agentParticipant } from "../agent/agent-participant.ts";
import type { Assembly } from "../agent/assembly.ts";
import type { OuterLevel } from "../agent/participant.ts";
import { RunError } from "../agent/run-error.ts";
import type { RunInput } from "../agent/run-input.ts";
import type { Selection } from "../agent/selection.ts";
import { toOutputPolicy } from "../agent/structured-output.ts";
import type { McpEntry, ToolEntry } from "../agent/tool-level.ts";
import { checkNumbers } from "../base/check-numbers.ts";
import { didYouMean } from "../base/closest-name.ts";
import type { JsonSchema } from "../base/json-schema.ts";
import { answerText, inputText } from "./answer-text.ts";
import type { AssemblyState } from "./assembly-state.ts";
import type { AssemblyWork } from "./assembly-work.ts";
import { type AssemblyHead, defineAssembly } from "./define-assembly.ts";
import {
  invalidAssembly,
  type Member,
  type MemberEntry,
  type RuntimeNow,
  toMembers,
} from "./member.ts";

/** Which task comes next. */
export type Routing =
  /** All in their order, each asked what the one before it answered. */
  | "in-order"
  /** The name that the function gives, of the state; `null` ends the run. */
  | ((state: AssemblyState) => string | null | Promise<string | null>)
  /** What a model chooses, by the tasks' names and descriptions. */
  | { readonly model: AgentDefinition["model"]; readonly instructions?: string };

/** Agents with tasks, and what they share. */
export interface NetworkDefinition<Members extends readonly MemberEntry[] = readonly MemberEntry[]>
  extends AssemblyHead {
  /**
   * What a task says of `tools` and `mcp` counts as what its run says; nothing said means what its
   * agent has by itself. What the network has comes in where both the agent and the task say `inherit`.
   */
  readonly tasks: Members;
  readonly config?: {
    readonly tools?: Selection<ToolEntry>;
    readonly mcp?: Selection<McpEntry>;
  };
  /** Default `"in-order"`. */
  readonly routing?: Routing;
  /** The most turns that routing by a function or a model may take. Default 20. */
  readonly maxTurns?: number;
}

/**
 * Asks its tasks as its routing says. What its options say of tools and servers narrows what the tasks
 * have, and never widens it.
 *
 * @throws ConfigurationError `invalid-definition`.
 */
export function createNetwork<Output>(
  { tasks: entries, config = {}, routing = "in-order", maxTurns = 20, ...head }: NetworkDefinition,
  runtimeNow: RuntimeNow,
): Assembly<Output> {
  const where = `network "${head.name}"`;
  const tasks = toMembers(entries, where);
  checkNetwork({ config, routing, maxTurns }, where);
  if (typeof routing === "object" && tasks.some(({ name }) => name === enough)) {
    throw invalidAssembly(
      `A task of the ${where} is called "${enough}", by which the model that routes says that it is over. Give it another name.`,
    );
  }
  const level: OuterLevel = { ...config, isNetwork: true };
  return defineAssembly<Output>(
    {
      ...head,
      pattern: "network",
      async perform(work) {
        const { tools, mcp } = work.scope.options;
        const ask = async (task: Member, input: RunInput): Promise<string> =>
          answerText(
            await work.ask(task, { input, level, narrowing: { tools, mcp }, isTask: true }),
          );
        if (routing === "in-order") {
          let input: RunInput = work.scope.input;
          for (const task of tasks) {
            input = await ask(task, input);
          }
        } else {
          await route(tasks, work, { routing, maxTurns, name: head.name, ask });
        }
        const last = work.state.last?.result;
        return { text: last?.text ?? "", output: last?.output };
      },
    },
    runtimeNow,
  );
}

interface RoutingRules {
  readonly routing: Exclude<Routing, "in-order">;
  readonly maxTurns: number;
  readonly name: string;
  readonly ask: (task: Member, input: RunInput) => Promise<string>;
}

async function route(
  tasks: readonly Member[],
  work: AssemblyWork,
  { routing, maxTurns, name, ask }: RoutingRules,
): Promise<void> {
  const names = tasks.map((task) => task.name);
  for (let turn = 0; turn < maxTurns; turn += 1) {
    const next =
      typeof routing === "function"
        ? await work.decide("routing", async () => (await routing(work.state)) ?? null)
        : await chooseByModel(tasks, work, routing);
    if (next === null) {
      return;
    }
    const task = tasks.find((one) => one.name === next);
    if (task === undefined) {
      throw new RunError(
        `The routing of "${name}" chose "${next}", which is no task.${didYouMean(next, names)} Its tasks: ${names.join(", ")}.`,
        { code: "hook-failed" },
      );
    }
    const { last } = work.state;
    await ask(task, last === undefined ? work.scope.input : answerText(last.result));
  }
  const message = `The network "${name}" ended after ${maxTurns} turns, which is its limit.`;
  work.scope.steps.emit({ kind: "notice", code: "limit-reached", message });
}

const enough = "done";

/** Asks a model which task comes next; `null` where it says that all is done. */
async function chooseByModel(
  tasks: readonly Member[],
  work: AssemblyWork,
  { model, instructions }: Extract<Routing, { readonly model: unknown }>,
): Promise<string | null> {
  const names = tasks.map(({ name }) => name);
  const output: JsonSchema = {
    type: "object",
    properties: { next: { type: "string", enum: [...names, enough] } },
    required: ["next"],
    additionalProperties: false,
  };
  const router = agentParticipant(
    {
      name: "router",
      instructions: [instructions, routerInstructions(tasks)].filter(Boolean).join("\n\n"),
      ...(model === undefined ? {} : { model }),
      tools: "none",
      mcp: "none",
    },
    toOutputPolicy(output, "router"),
  );
  const entry = { name: "router", outputKey: "router", participant: router };
  const { output: chosen } = await work.aside(entry, { input: progressOf(work.state) });
  const { next } = chosen as { readonly next: string }; // checked by the schema above
  return next === enough ? null : next;
}

const routerInstructions = (tasks: readonly Member[]): string =>
  `Decide who works next on what the user asked, or "${enough}" if it is answered. The tasks:\n${tasks
    .map(({ name, participant }) => `- ${name}: ${participant.description ?? ""}`)
    .join("\n")}`;

function progressOf({ input, results }: AssemblyState): string {
  const done = [...results].map(([name, result]) => `${name} answered:\n${answerText(result)}`);
  return [`The user asked:\n${inputText(input)}`, ...done].join("\n\n");
}

function checkNetwork(
  {
    config,
    routing,
    maxTurns,
  }: Pick<Required<NetworkDefinition>, "config" | "routing" | "maxTurns">,
  where: string,
): void {
  const unknown = Object.keys(config).find((key) => key !== "tools" && key !== "mcp");
  if (unknown !== undefined) {
    throw invalidAssembly(
      `config of the ${where} has "${unknown}", but only tools and mcp are inherited from a network. Set it on the agents.`,
    );
  }
  const isRouting =
    routing === "in-order" ||
    typeof routing === "function" ||
    (typeof routing === "object" && routing !== null && "model" in routing);
  if (!isRouting) {
    throw invalidAssembly(`routing of the ${where} must be "in-order", a function or { model }.`);
  }
  const place = { where: `of the ${where}`, code: "invalid-definition" } as const;
  checkNumbers({ maxTurns }, { maxTurns: "count" }, place);
}
