import { checkLimits } from "../agent/agent-definition.ts";
import type { AgentRuntime } from "../agent/agent-runtime.ts";
import type { InnerOptions } from "../agent/ask-within.ts";
import type { Assembly } from "../agent/assembly.ts";
import { participantOf } from "../agent/create-assembly.ts";
import type { Participant } from "../agent/participant.ts";
import type { RunInput } from "../agent/run-input.ts";
import { checkNumbers } from "../base/check-numbers.ts";
import { refuseUnknownKeys } from "../base/check-object.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import type { AssemblyState } from "./assembly-state.ts";

/** Who takes part in an assembly, and how it is asked there. */
export interface MemberOptions extends InnerOptions {
  /** An agent, or another assembly. */
  readonly agent: Assembly;
  /** What it is called here. Default: its own name. */
  readonly name?: string;
  /**
   * What it is asked: a text in which `{name}` stands for the answer of the member of that name and
   * `{input}` for what the assembly was asked, or a function. Default: what the kind of assembly says.
   */
  readonly input?: string | ((state: AssemblyState) => RunInput | Promise<RunInput>);
  /**
   * The key under which its answer is known to the others: letters, digits, `_`, `.` and `-`. Default:
   * its name here.
   */
  readonly outputKey?: string;
}

/** A member: with options, or just who it is. */
export type MemberEntry = Assembly | MemberOptions;

/** The typed answer of a member, or of any one of several. */
export type AnswerOf<Entry> = Entry extends { readonly agent: Assembly<infer Output> }
  ? Output
  : Entry extends Assembly<infer Output>
    ? Output
    : unknown;

/** The typed answer of the last of several members. */
export type LastAnswerOf<Members extends readonly unknown[]> = Members extends readonly [
  ...unknown[],
  infer Last,
]
  ? AnswerOf<Last>
  : AnswerOf<Members[number]>;

/** A member whose entry is checked. */
export interface Member extends InnerOptions, Pick<MemberOptions, "input"> {
  readonly name: string;
  readonly outputKey: string;
  readonly participant: Participant;
}

/** Gives what holds for the runs that begin now. */
export type RuntimeNow = () => AgentRuntime;

/** Every key, so that the compiler misses none here. */
const memberKeys: Readonly<Record<keyof MemberOptions, true>> = {
  agent: true,
  name: true,
  input: true,
  outputKey: true,
  tools: true,
  mcp: true,
  discovery: true,
  model: true,
  limits: true,
  timeoutMs: true,
};

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

/**
 * Checks one member.
 *
 * @param given what it is called, whatever its entry says.
 * @throws ConfigurationError `invalid-definition` that names what is wrong.
 */
export function toMember(entry: MemberEntry, where: string, given?: string): Member {
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
  if (!isAssembly(entry)) {
    refuseUnknownKeys(options, Object.keys(memberKeys), `The ${where}`);
  }
  const { agent: _agent, name: own = participant.name, ...rest } = options;
  const name = given ?? own;
  const { outputKey = name } = rest;
  checkMember({ ...rest, name, outputKey, participant }, where);
  return { ...rest, name, outputKey, participant };
}

/** The longest name that is told apart from others in what is recorded of a run. */
const longestName = 200;

function checkMember({ name, outputKey, input, limits, timeoutMs }: Member, where: string): void {
  if (typeof name !== "string" || name === "" || name.length > longestName) {
    throw invalidAssembly(`The name of ${where} must be a text of 1 to ${longestName} characters.`);
  }
  if (typeof outputKey !== "string" || (outputKey !== name && !/^[\w.-]+$/.test(outputKey))) {
    throw invalidAssembly(
      `The outputKey of ${where} must be made of letters, digits, "_", "." and "-", to be named as {key}.`,
    );
  }
  if (outputKey === "input") {
    throw invalidAssembly(
      `The answer of ${where} would be {input}, which is what the assembly was asked. Give it another outputKey.`,
    );
  }
  if (input !== undefined && typeof input !== "string" && typeof input !== "function") {
    throw invalidAssembly(`The input of ${where} must be a text or a function.`);
  }
  const place = { where: `of ${where}`, code: "invalid-definition" } as const;
  checkNumbers({ timeoutMs }, { timeoutMs: "milliseconds" }, place);
  checkLimits(limits, `of ${where}`);
}

const isAssembly = (value: unknown): value is Assembly =>
  typeof value === "object" && value !== null && participantOf(value) !== undefined;

/** A mistake in the definition of an assembly. */
export const invalidAssembly = (message: string): ConfigurationError =>
  new ConfigurationError(message, { code: "invalid-definition" });
