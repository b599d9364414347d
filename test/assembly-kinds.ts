import type { Assembly } from "../src/agent/assembly.ts";
import type { ModelRequest } from "../src/model/model.ts";
import type { ScriptedAnswer } from "../src/testing/scripted-model.ts";
import type { Crew } from "./crew.ts";

/** Every way in which agents work together. */
export const kinds = [
  "sequence",
  "parallel",
  "loop",
  "graph",
  "swarm",
  "network",
  "workflow",
  "subagents",
] as const;

export type Kind = (typeof kinds)[number];

/** Two agents, or assemblies, called `first` and `second`, that work together; each is asked once. */
export function assemblyOf(
  kind: Kind,
  crew: Crew,
  [first, second]: readonly [Assembly, Assembly],
  name = "desk",
): Assembly {
  const members = [
    { agent: first, name: "first" },
    { agent: second, name: "second" },
  ];
  switch (kind) {
    case "sequence":
      return crew.defineSequence({ name, members });
    case "parallel":
      return crew.defineParallel({ name, members, concurrency: 1 });
    case "loop":
      return crew.defineLoop({ name, members, maxRounds: 1 });
    case "graph":
      return crew.defineGraph({
        name,
        nodes: { first, second },
        edges: [{ from: "first", to: "second" }],
        start: "first",
      });
    case "swarm":
      return crew.defineSwarm({ name, members, handoffs: { first: ["second"] } });
    case "network":
      return crew.defineNetwork({ name, tasks: members });
    case "workflow":
      return crew.defineWorkflow(
        async ({ ask }, input) => {
          const { text } = await ask(first, input, { name: "first" });
          return (await ask(second, text, { name: "second" })).text;
        },
        { name },
      );
    case "subagents":
      return crew.member(name, delegating([first, second]), { tools: [first, second] });
  }
}

/** What a model does that asks each of them in turn, goes by its history, and then answers. */
const delegating =
  (asked: readonly Assembly[]) =>
  ({ messages }: ModelRequest): ScriptedAnswer => {
    const since = messages.slice(messages.findLastIndex(({ role }) => role === "user"));
    const next = asked[since.filter(({ role }) => role === "tool").length];
    return next === undefined
      ? { text: "all done" }
      : {
          calls: [
            {
              id: `ask-${next.name}`,
              name: `delegate_to_${next.name}`,
              arguments: { request: "Go" },
            },
          ],
        };
  };

/** A model's turn that calls a tool first, hands over then if it may, and answers else. */
export const working =
  (tool: string, answer: string) =>
  ({ messages, tools }: ModelRequest): ScriptedAnswer => {
    const since = messages.slice(messages.findLastIndex(({ role }) => role === "user"));
    if (!since.some(({ role }) => role === "tool")) {
      const request = tool.startsWith("delegate_to_") ? { request: "Go" } : {};
      return { calls: [{ id: `call-${answer}`, name: tool, arguments: request }] };
    }
    const handover = tools.find(({ name }) => name.startsWith("hand_over_to_"));
    return handover === undefined
      ? { text: answer }
      : { text: answer, calls: [{ name: handover.name, arguments: { message: answer } }] };
  };
