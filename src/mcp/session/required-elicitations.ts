import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { McpError } from "../wire/mcp-error.ts";

/** The error of a server that wants the user to visit pages first (MCP 2025-11-25, client/elicitation). */
const elicitationRequired = -32_042;

const mostPages = 16;

/** How the pages are shown, and the request is sent once more. */
export interface RequiredElicitationsScope {
  /** Answers one request of the server's. */
  answer(method: string, params: JsonObject): Promise<JsonObject>;
  again(): Promise<JsonObject>;
}

/**
 * What to do about a failed request: where the server wants pages to be visited first, the user is
 * shown them one after the other, and once they have agreed to all, the request, which has not run, is
 * sent once more.
 *
 * @throws the failure itself, where it is another or the user does not agree
 */
export async function afterElicitations(
  failure: unknown,
  { answer, again }: RequiredElicitationsScope,
): Promise<JsonObject> {
  for (const page of pagesIn(failure)) {
    const { action } = await answer("elicitation/create", page);
    if (action !== "accept") {
      throw failure;
    }
  }
  return again();
}

/** @throws the failure, where it names none */
function pagesIn(failure: unknown): readonly JsonObject[] {
  const remote = McpError.is(failure) ? failure.remote : undefined;
  const data = remote?.code === elicitationRequired ? remote.data : undefined;
  const pages = isJsonObject(data) ? data["elicitations"] : undefined;
  if (!Array.isArray(pages) || pages.length === 0 || pages.length > mostPages) {
    throw failure;
  }
  return pages.map((page) => ({ ...(isJsonObject(page) ? page : {}), mode: "url" }));
}
