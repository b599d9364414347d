import type { Tool } from "../tool/tool.ts";
import { readArtifactName, readArtifactTool } from "./read-artifact.ts";
import type { RunArtifacts } from "./run-artifacts.ts";

/** The tools of a run, and the one among them that reads its artifacts. */
export interface ToolsWithReader {
  readonly tools: ReadonlyMap<string, Tool>;
  /** Absent where the run has no tools, or one of the application's has that name. */
  readonly readTool: Tool | undefined;
  /** Adds the tool to `tools`, now that there is something to read, if it is not among them. */
  offerReadTool(): void;
}

/**
 * Gives a run the tool that reads artifacts. Where the application has set how artifacts or long
 * results are treated, it is there from the beginning, so that the request's tools, and with them a
 * provider's cache, stay the same to the end. Else it comes with the first result that needs it.
 */
export function withReader(
  given: ReadonlyMap<string, Tool>,
  artifacts: RunArtifacts,
  { most, isSet }: { readonly most: number; readonly isSet: boolean },
): ToolsWithReader {
  if (given.size === 0 || given.has(readArtifactName)) {
    return { tools: given, readTool: undefined, offerReadTool: () => {} };
  }
  const tools = new Map(given);
  const readTool = readArtifactTool(artifacts, most);
  const offerReadTool = (): void => void tools.set(readArtifactName, readTool);
  if (isSet || artifacts.configured) {
    offerReadTool();
  }
  return { tools, readTool, offerReadTool };
}
