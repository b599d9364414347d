import type { Tool } from "../tool/tool.ts";
import type { RunTools } from "./named-tools.ts";
import { readArtifactTool } from "./read-artifact.ts";
import type { RunArtifacts } from "./run-artifacts.ts";

/** The tool of a run by which its model reads artifacts. */
export interface ReadTool {
  readonly readTool: Tool;
  /**
   * Adds the tool to the run's, now that there is something to read. From then on it stays.
   *
   * @returns whether the model has it: not where the application has a tool of that name.
   */
  offerReadTool(): boolean;
}

/**
 * Makes that tool. Where the application has set how artifacts or long results are treated, the run has
 * it from the beginning, so that the request's tools, and with them a provider's cache, stay the same
 * to the end. Else it comes with the first result that needs it.
 */
export function withReader(
  tools: RunTools,
  artifacts: RunArtifacts,
  { most, isSet }: { readonly most: number; readonly isSet: boolean },
): ReadTool {
  const readTool = readArtifactTool(artifacts, most);
  const offerReadTool = (): boolean => tools.add(readTool);
  if ((isSet || artifacts.configured) && tools.tools.size > 0) {
    offerReadTool();
  }
  return { readTool, offerReadTool };
}
