import type { AgentDefinition } from "../agent/agent-definition.ts";
import type { ApprovalPolicy, ApprovalRule } from "../agent/approval.ts";
import type { Discovery } from "../agent/discovery.ts";
import { resolveDiscovery } from "../agent/discovery.ts";
import { bindRun, chooseModels, type RunSettings, toolLevels } from "../agent/run-scope.ts";
import { messageOf } from "../base/dragoman-error.ts";
import type { JsonObject } from "../base/json.ts";
import { withoutUndefined } from "../base/without-undefined.ts";

/** What an agent is told, where that can be told without a run. */
export type ShownInstructions =
  | { readonly kind: "none" }
  | { readonly kind: "text"; readonly text: string }
  /** A function makes them; `text` is what it gives this caller now. */
  | { readonly kind: "function"; readonly text?: string; readonly error?: string };

/** An agent as its developer wants to see it. Plain JSON; what is a function is only named. */
export interface AgentDescription {
  readonly name: string;
  readonly description?: string;
  readonly mode: string;
  readonly instructions: ShownInstructions;
  /** The id of the model that its next run would ask; absent where none can be had. */
  readonly model?: string;
  /** Why it is that one: what a run's notices say, or who chose it; or why there is none. */
  readonly modelReason: string;
  readonly fallbackModels: readonly string[];
  /** By kind and name; a rule that is a function is `"function"`. */
  readonly approval?: JsonObject;
  readonly discovery?: JsonObject;
  readonly limits?: JsonObject;
  readonly hasTypedOutput: boolean;
}

/** Describes an agent to whoever may see how it is made. */
export async function describeAgent(settings: RunSettings): Promise<AgentDescription> {
  const { definition } = settings;
  const { name, description, mode = "auto", approval, limits, output } = definition;
  const discovery = resolveDiscovery(toolLevels(settings).levels);
  return withoutUndefined({
    name,
    description,
    mode,
    instructions: await instructionsOf(settings),
    ...(await modelOf(settings)),
    approval: approval && shownPolicy(approval),
    discovery: discovery && shownDiscovery(discovery),
    limits: limits && { ...limits },
    hasTypedOutput: output !== undefined,
  });
}

async function instructionsOf(settings: RunSettings): Promise<ShownInstructions> {
  const { definition, options } = settings;
  const { instructions, name } = definition;
  if (typeof instructions !== "function") {
    return instructions ? { kind: "text", text: instructions } : { kind: "none" };
  }
  const { signal = new AbortController().signal } = options;
  try {
    const binding = bindRun(settings, { runId: "preview", agentPath: [name], signal });
    return { kind: "function", text: await instructions(binding) };
  } catch (thrown) {
    return { kind: "function", error: messageOf(thrown) };
  }
}

async function modelOf(
  settings: RunSettings,
): Promise<Pick<AgentDescription, "model" | "modelReason" | "fallbackModels">> {
  try {
    const { chosen, fallbacks } = await chooseModels(settings);
    const notices = (chosen.notices ?? []).map(({ message }) => message);
    return {
      model: chosen.model.id,
      modelReason: notices.length > 0 ? notices.join("\n") : whoChose(settings.definition),
      fallbackModels: fallbacks.map(({ id }) => id),
    };
  } catch (thrown) {
    return { modelReason: messageOf(thrown), fallbackModels: [] };
  }
}

const whoChose = ({ model }: AgentDefinition<unknown>): string =>
  model === undefined ? "The application's configuration names it." : "The agent names it.";

const ruleName = (rule: ApprovalRule): string => (typeof rule === "function" ? "function" : rule);

const shownRules = (rules: Readonly<Record<string, ApprovalRule>> | undefined): JsonObject =>
  Object.fromEntries(Object.entries(rules ?? {}).map(([name, rule]) => [name, ruleName(rule)]));

function shownPolicy(policy: ApprovalPolicy): JsonObject {
  const { tools, servers, annotations, timeoutMs } = policy;
  return {
    default: ruleName(policy.default ?? "allow"),
    tools: shownRules(tools),
    servers: shownRules(servers),
    annotations: shownRules(annotations as Readonly<Record<string, ApprovalRule>> | undefined), // as declared
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

function shownDiscovery({ servers = false, tools }: Discovery): JsonObject {
  const scorerOf = (choice: unknown): string =>
    typeof choice === "object" && choice !== null && "name" in choice
      ? String(choice.name)
      : String(choice ?? "default");
  return {
    servers:
      typeof servers === "boolean"
        ? servers
        : {
            scorer: scorerOf(servers.scorer),
            ...(servers.threshold === undefined ? {} : { threshold: servers.threshold }),
          },
    ...(tools === undefined
      ? {}
      : { tools: { limit: tools.limit, scorer: scorerOf(tools.scorer) } }),
  };
}
