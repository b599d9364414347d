import { isJsonObject } from "../base/json.ts";
import { ToolError } from "../base/tool-error.ts";
import { httpClientFor } from "../http/http-client-for.ts";
import type { HttpOptions } from "../http/http-options.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { Tool } from "../tool/tool.ts";

/** How {@link createCatFacts} asks. */
export interface CatFactsOptions {
  /** Default `https://catfact.ninja`. */
  readonly baseUrl?: string;
  readonly http?: HttpOptions;
}

/**
 * A tool `cat_facts` that fetches a random fact about cats. It handles no error: what the HTTP client
 * throws rises, and the run turns it into an error result that the model reads.
 */
export function createCatFacts({
  baseUrl = "https://catfact.ninja",
  http = {},
}: CatFactsOptions = {}): Tool {
  return defineTool({
    name: "cat_facts",
    description: "Fetches a random fact about cats.",
    annotations: { readOnly: true, openWorld: true },
    idempotent: true,
    async execute(_input, call) {
      const client = httpClientFor(call, { baseUrl, options: http });
      const response = await client.get("fact");
      const answer = response.json();
      if (!isJsonObject(answer) || typeof answer["fact"] !== "string") {
        throw new ToolError("The cat fact service answered without a fact.");
      }
      return answer["fact"];
    },
  });
}

/** {@link createCatFacts} with its defaults. */
export const catFacts: Tool = createCatFacts();
