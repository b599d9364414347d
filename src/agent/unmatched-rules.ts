import { didYouMean } from "../base/closest-name.ts";
import { ownToolNames } from "../tool/own-tools.ts";
import type { Tool } from "../tool/tool.ts";
import type { ApprovalPolicy } from "./approval.ts";

/** What rules are held against. */
export interface RuledRun {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly servers: readonly string[];
  readonly isNarrowed: boolean;
}

/**
 * What an approval policy names and the run has not: a rule with a slip in its name holds for nothing,
 * and what it was to hold back would be called.
 *
 * @param run all tools of the run, by the names that the model sees, and all its servers; and whether it has
 * been given less than its agent has. Then a rule for what was left out is no slip, and only those are told
 * whose name is close to one that there is.
 * @returns a sentence for each name.
 */
export function unmatchedRules(
  { tools: byTool = {}, servers: byServer = {} }: ApprovalPolicy,
  { tools, servers, isNarrowed }: RuledRun,
): readonly string[] {
  const names = new Set([
    ...tools.keys(),
    ...[...tools.values()].flatMap(({ source }) => (source === undefined ? [] : [source.name])),
    ...ownToolNames,
  ]);
  const sources = [...tools.values()].flatMap(({ source }) =>
    source === undefined ? [] : [source.server],
  );
  const known = new Set([...servers, ...sources]);
  const told = (kind: string, rules: object, all: ReadonlySet<string>): readonly string[] =>
    Object.keys(rules)
      .filter((name) => !all.has(name))
      .flatMap((name) => {
        const meant = didYouMean(name, all);
        return isNarrowed && meant === ""
          ? []
          : `The approval rule for the ${kind} "${name}" holds for nothing: this run has no such ${kind}.${meant}`;
      });
  return [...told("tool", byTool, names), ...told("server", byServer, known)];
}
