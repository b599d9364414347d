import { didYouMean } from "../base/closest-name.ts";
import { ownToolNames } from "../tool/own-tools.ts";
import type { Tool } from "../tool/tool.ts";
import type { ApprovalPolicy } from "./approval.ts";

/**
 * What an approval policy names and the run has not: a rule with a slip in its name holds for nothing,
 * and what it was to hold back would be called.
 *
 * @param tools all of the run, by the names that the model sees.
 * @param servers all of the run.
 * @returns a sentence for each name.
 */
export function unmatchedRules(
  { tools: byTool = {}, servers: byServer = {} }: ApprovalPolicy,
  tools: ReadonlyMap<string, Tool>,
  servers: readonly string[],
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
  return [
    ...Object.keys(byTool)
      .filter((name) => !names.has(name))
      .map(
        (name) =>
          `The approval rule for the tool "${name}" holds for nothing: this run has no such tool.${didYouMean(name, names)}`,
      ),
    ...Object.keys(byServer)
      .filter((name) => !known.has(name))
      .map(
        (name) =>
          `The approval rule for the server "${name}" holds for nothing: this run has no such server.${didYouMean(name, known)}`,
      ),
  ];
}
