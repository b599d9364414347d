import type { Assembly } from "../agent/assembly.ts";
import { RunError } from "../agent/run-error.ts";
import type { RunInput } from "../agent/run-input.ts";
import type { CompletedRun } from "../agent/run-result.ts";
import { checkNumbers } from "../base/check-numbers.ts";
import { didYouMean } from "../base/closest-name.ts";
import { type Message, toolCallsOf } from "../message/message.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { Tool } from "../tool/tool.ts";
import { normalizeToolName } from "../tool/tool-names.ts";
import type { AssemblyWork } from "./assembly-work.ts";
import { type AssemblyHead, defineAssembly } from "./define-assembly.ts";
import {
  invalidAssembly,
  type Member,
  type MemberEntry,
  type RuntimeNow,
  toMembers,
} from "./member.ts";

/** Agents that hand the conversation over to each other. */
export interface SwarmDefinition<Members extends readonly MemberEntry[] = readonly MemberEntry[]>
  extends AssemblyHead {
  readonly members: Members;
  /** The name of the one that is asked first. Default: the first. */
  readonly start?: string;
  /** To whom each may hand over, by names. Default: to all others. */
  readonly handoffs?: Readonly<Record<string, readonly string[]>>;
  /** The most handovers in a run. Default 10. */
  readonly maxHandoffs?: number;
}

/** How often the same may be handed over to the same one, word for word. */
const mostRepeats = 2;

/**
 * Each member works as itself, and has for each colleague that it may hand over to a tool that does so
 * and ends its turn; the colleague sees the conversation so far. Who answers without handing over
 * gives the answer. An assembly among them answers, and hands over to nobody. A run that is handed to
 * and fro fails with `handoff-limit`.
 *
 * @throws ConfigurationError `invalid-definition`.
 */
export function createSwarm<Output>(
  definition: SwarmDefinition,
  runtimeNow: RuntimeNow,
): Assembly<Output> {
  const { members: entries, start, handoffs, maxHandoffs = 10, ...head } = definition;
  const where = `swarm "${head.name}"`;
  const members = toMembers(entries, where);
  const byName = new Map(members.map((member) => [member.name, member]));
  const first = start === undefined ? members[0] : byName.get(start);
  const names = [...byName.keys()];
  for (const name of [
    start,
    ...Object.keys(handoffs ?? {}),
    ...Object.values(handoffs ?? {}).flat(),
  ]) {
    if (name !== undefined && !byName.has(name)) {
      throw invalidAssembly(
        `The ${where} has no member "${name}".${didYouMean(name, names)} Its members: ${names.join(", ")}.`,
      );
    }
  }
  const place = { where: `of the ${where}`, code: "invalid-definition" } as const;
  checkNumbers({ maxHandoffs }, { maxHandoffs: "count" }, place);
  const ways = new Map(Object.entries(handoffs ?? {}));
  const permitted = ({ name }: Member): readonly Member[] => {
    const to = handoffs === undefined ? names : (ways.get(name) ?? []);
    return members.filter((other) => other.name !== name && to.includes(other.name));
  };
  for (const member of members) {
    refuseSameTools(permitted(member), where);
  }
  return defineAssembly<Output>(
    {
      ...head,
      pattern: "swarm",
      perform: (work) =>
        passOn(first as Member, work, { name: head.name, permitted, byName, maxHandoffs }), // one at least
    },
    runtimeNow,
  );
}

interface SwarmRules {
  readonly name: string;
  readonly permitted: (member: Member) => readonly Member[];
  readonly byName: ReadonlyMap<string, Member>;
  readonly maxHandoffs: number;
}

async function passOn(
  first: Member,
  work: AssemblyWork,
  rules: SwarmRules,
): Promise<{ readonly text: string; readonly output: unknown }> {
  const repeats = new Map<string, number>();
  let member = first;
  let input: RunInput = work.scope.input;
  let history: readonly Message[] = work.scope.history;
  for (let count = 0; ; count += 1) {
    const colleagues = rules.permitted(member);
    const extraTools = colleagues.map(handoffTool);
    const result = await work.ask(member, { input, history, extraTools });
    const handoff = handoffOf(result, colleagues);
    if (handoff === undefined) {
      return { text: result.text, output: result.output };
    }
    if (count >= rules.maxHandoffs) {
      throw tooOften(`"${rules.name}" handed over ${count} times, which is its limit.`);
    }
    const key = JSON.stringify([member.name, handoff.to.name, handoff.message]);
    repeats.set(key, (repeats.get(key) ?? 0) + 1);
    if ((repeats.get(key) ?? 0) > mostRepeats) {
      throw tooOften(
        `"${member.name}" of "${rules.name}" hands the same task to "${handoff.to.name}" again and again.`,
      );
    }
    history = [...history, ...said(input, member, result)];
    input = handoff.message;
    member = handoff.to;
  }
}

const tooOften = (message: string): RunError => new RunError(message, { code: "handoff-limit" });

/** Names that are different may come to the same name of a tool. */
function refuseSameTools(colleagues: readonly Member[], where: string): void {
  const tools = colleagues.map(handoffName);
  const twice = tools.findIndex((tool, index) => tools.indexOf(tool) !== index);
  if (twice >= 0) {
    throw invalidAssembly(
      `Two members of the ${where} would be handed over to by "${tools[twice]}". Give "${colleagues[twice]?.name}" another name.`,
    );
  }
}

const handoffName = ({ name }: Member): string => normalizeToolName(`hand_over_to_${name}`);

function handoffTool(to: Member): Tool {
  const { description } = to.participant;
  return defineTool({
    name: handoffName(to),
    description: `Hands the conversation over to "${to.name}", who goes on with it.${description === undefined ? "" : ` ${description}`}`,
    inputSchema: {
      type: "object",
      properties: {
        message: { type: "string", description: "What it is to do, and what it must know." },
      },
      required: ["message"],
    },
    idempotent: true,
    ends: true,
    execute: () => `Handed over to ${to.name}.`,
  });
}

/** The first handover that took place in the member's last turn, if one did. */
function handoffOf(
  { messages }: CompletedRun,
  colleagues: readonly Member[],
): { readonly to: Member; readonly message: string } | undefined {
  const results = messages.at(-1);
  const calls = messages.at(-2);
  if (results?.role !== "tool" || calls?.role !== "assistant") {
    return undefined;
  }
  for (const { id, name, arguments: given } of toolCallsOf(calls)) {
    const to = colleagues.find((colleague) => handoffName(colleague) === name);
    const took = results.content.some((result) => result.id === id && !result.isError);
    if (to !== undefined && took) {
      return { to, message: String(given["message"]) };
    }
  }
  return undefined;
}

/** What the next one sees of a turn. */
function said(input: RunInput, { name }: Member, { text }: CompletedRun): readonly Message[] {
  const content = typeof input === "string" ? [{ kind: "text", text: input } as const] : input;
  const answer = text === "" ? "(handed over)" : text;
  return [
    { role: "user", content },
    { role: "assistant", content: [{ kind: "text", text: `${name}: ${answer}` }] },
  ];
}
