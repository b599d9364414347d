import { checkObject } from "../base/check-object.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { isJsonObject } from "../base/json.ts";
import type { ServerDiscovery } from "../tool/choose-servers.ts";
import type { ScorerChoice } from "../tool/scorer.ts";

/** Which of its servers and tools a run uses, chosen by what it is asked. */
export interface Discovery {
  /**
   * Connects only the servers that the message is for; `true` means as the default scorer has it. All
   * are connected where nothing describes them, the message says nothing, no server reaches the
   * threshold or the scorer fails.
   */
  readonly servers?: boolean | ServerDiscovery;
  /** Shows the model only the best tools of the servers, and `find_tools`, which searches the others. */
  readonly tools?: ToolDiscovery;
}

/** How tools are chosen. */
export interface ToolDiscovery {
  /**
   * How many of the servers' tools are shown to the model at the beginning. The application's own tools
   * and those that it names are always shown, and do not count.
   */
  readonly limit: number;
  /** Default `"bm25f"`, which also takes the place of a scorer that fails. */
  readonly scorer?: ScorerChoice;
}

/** What holds of discovery in the end: the innermost level that says something. */
export function resolveDiscovery(
  levels: readonly { readonly discovery?: Discovery | "none" | undefined }[],
): Discovery | undefined {
  const found = levels.findLast(({ discovery }) => discovery !== undefined)?.discovery;
  return found === "none" ? undefined : found;
}

/** @throws ConfigurationError that names what is at fault and what is allowed. */
export function checkDiscovery(discovery: unknown, where: string): void {
  if (discovery === undefined || discovery === "none") {
    return;
  }
  checkObject(discovery, ["servers", "tools"], where);
  const { servers, tools } = discovery as Record<keyof Discovery, unknown>; // an object, by the above
  if (servers !== undefined && typeof servers !== "boolean") {
    checkObject(servers, ["scorer", "threshold"], `servers of the ${where}`);
    const { scorer, threshold } = servers as ServerDiscovery; // an object, by the above
    checkScorer(scorer, `servers of the ${where}`);
    if (threshold !== undefined && !Number.isFinite(threshold)) {
      throw invalid(`The threshold in servers of the ${where} must be a number.`);
    }
  }
  if (tools !== undefined) {
    checkObject(tools, ["limit", "scorer"], `tools of the ${where}`);
    const { scorer, limit } = tools as ToolDiscovery; // an object, by the above
    checkScorer(scorer, `tools of the ${where}`);
    if (!Number.isInteger(limit) || limit < 1) {
      throw invalid(
        `The tools of the ${where} need a limit, a whole number above 0: { tools: { limit: 20 } }.`,
      );
    }
  }
}

const builtIn: readonly unknown[] = ["bm25f", "tf-cosine", undefined];

function checkScorer(scorer: unknown, where: string): void {
  const isOwn =
    isJsonObject(scorer) &&
    typeof scorer["score"] === "function" &&
    typeof scorer["name"] === "string" &&
    typeof scorer["threshold"] === "number";
  if (!isOwn && !builtIn.includes(scorer)) {
    throw invalid(
      `The scorer in ${where} must be "bm25f", "tf-cosine" or { name, threshold, score(message, documents) }.`,
    );
  }
}

const invalid = (message: string): ConfigurationError =>
  new ConfigurationError(message, { code: "invalid-definition" });
