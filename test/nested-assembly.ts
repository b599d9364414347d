import type { Assembly } from "../src/agent/assembly.ts";
import type { Tool } from "../src/tool/tool.ts";
import { working } from "./assembly-kinds.ts";
import type { Crew } from "./crew.ts";

/** A parallel with a loop in it, a swarm, and an agent with a subagent, in a sequence. */
export function nestedOf(team: Crew, work: Tool): Assembly {
  const worker = (name: string) => team.member(name, working("work", name), { tools: [work] });
  const again = team.defineLoop({ name: "again", members: [worker("worker")], maxRounds: 2 });
  const side = team.defineParallel({ name: "side", members: [again, worker("other")] });
  const pass = team.defineSwarm({
    name: "pass",
    members: [worker("one"), worker("two")],
    handoffs: { one: ["two"] },
  });
  const boss = team.member("boss", working("delegate_to_helper", "boss"), {
    tools: [worker("helper")],
  });
  return team.defineSequence({
    name: "outer",
    members: [side, pass, boss, team.member("end", "summed up")],
  });
}

/** Where `work` is called in it. */
export const workPaths: readonly string[] = [
  "outer/side/again/worker",
  "outer/side/again/worker",
  "outer/side/other",
  "outer/pass/one",
  "outer/pass/two",
  "outer/boss/helper",
];

/** The ends of its members, calls and of itself. */
export const allEnds: readonly string[] = [
  ...workPaths.flatMap((path) => [`agent-end ${path}`, `tool-end ${path}`]),
  ...["side/again", "side", "pass", "boss", "end"].map((path) => `agent-end outer/${path}`),
  "tool-end outer/pass/one",
  "tool-end outer/boss",
  "run-end outer",
];
