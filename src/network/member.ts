import type { AgentRuntime } from "../agent/agent-runtime.ts";
import type { Assembly } from "../agent/assembly.ts";
import { participantOf } from "../agent/assembly.ts";
import type { Participant } from "../agent/participant.ts";
import type { RunInput, RunOptions } from "../agent/run-options.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import type { AssemblyState } from "./assembly-state.ts";

/** Who takes part in an assembly, and how it is asked there. */
export interface MemberOptions extends Pick<RunOptions, "tools" | "mcp" | "model" | "limits"> {
  /** An agent, or another assembly. */
  readonly agent: Assembly;
  /** What it is called here. Default: its own name. */
  readonly name?: string;
  /**
   * What it is asked: a text in which `{name}` stands for the answer of the member of that name and
   * `{input}` for what the assembly was asked, or a function. Default: what the kind of assembly says.
   */
  readonly input?: string | ((state: AssemblyState) => RunInput | Promise<RunInput>);
  /** The key under which its answer is known to the others. Default: its name here. */
  readonly outputKey?: string;
}

/** A member: with options, or just who it is. */
export type MemberEntry = Assembly | MemberOptions;

/** A member whose entry is checked. */
export interface Member
  extends Pick<MemberOptions, "input" | "tools" | "mcp" | "model" | "limits"> {
  readonly name: string;
  readonly outputKey: string;
  readonly participant: Participant;
}

/** Gives what holds for the runs that begin now. */
export type RuntimeNow = () => AgentRuntime;

const memberKeys: readonly string[] = [
  "agent",
  "name",
  "input",
  "outputKey",
  "tools",
  "mcp",
  "model",
  "limits",
];

/**
 * Checks the members of an assembly.
 *
 * @param where names the assembly in errors.
 * @throws ConfigurationError `invalid-definition`: none, something that cannot be asked, a name twice.
 */
export function toMembers(entries: readonly MemberEntry[], where: string): readonly Member[] {
  if (!Array.isArray(entries) || entries.length === 0) {
    throw invalidAssembly(`The ${where} needs at least one member.`);
  }
  const members = entries.map((entry, index) =>
    toMember(entry, `member ${index + 1} of the ${where}`),
  );
  const names = members.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw invalidAssembly(
      `Two members of the ${where} are called "${twice}". Give one of them a name: { agent, name }.`,
    );
  }
  return members;
}

/** @throws ConfigurationError `invalid-definition` that names what is wrong. */
export function toMember(entry: MemberEntry, where: string): Member {
  const options: MemberOptions = isAssembly(entry) ? { agent: entry } : entry;
  const participant =
    typeof options === "object" && options !== null && isAssembly(options.agent)
      ? participantOf(options.agent)
      : undefined;
  if (participant === undefined) {
    throw invalidAssembly(
      `The ${where} is nothing that can be asked: give an agent or an assembly.`,
    );
  }
  const unknown = isAssembly(entry)
    ? undefined
    : Object.keys(options).find((key) => !memberKeys.includes(key));
  if (unknown !== undefined) {
    throw invalidAssembly(
      `The ${where} has an unknown property "${unknown}". Allowed are: ${memberKeys.join(", ")}.`,
    );
  }
  const { name = participant.name, agent: _agent, outputKey = name, ...rest } = options;
  return { ...rest, name, outputKey, participant };
}

const isAssembly = (value: unknown): value is Assembly =>
  typeof value === "object" && value !== null && participantOf(value) !== undefined;

/** A mistake in the definition of an assembly. */
export const invalidAssembly = (message: string): ConfigurationError =>
  new ConfigurationError(message, { code: "invalid-definition" });
