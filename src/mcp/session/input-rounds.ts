import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { CallPause } from "../../tool/call-pause.ts";

/** What asking in rounds needs of its session. */
export interface RoundsScope {
  readonly method: string;
  /** Sends the request; each try is a request of its own. */
  ask(params: JsonObject): Promise<JsonObject>;
  /** Answers one request of the server's. */
  answer(method: string, params: JsonObject, index: number): Promise<JsonObject>;
  /** Where the request may wait for a person, also beyond the end of this process. */
  readonly pause?: Pick<CallPause, "kept" | "keep"> | undefined;
  /** The error for a server that does not keep to the rules. */
  fault(what: string): Error;
}

/** So often a server may want more before it answers. */
const mostRounds = 10;

/** So much a server may want at once. */
const mostRequests = 16;

/** The requests whose answer may be that more is needed. */
const inRounds = new Set(["tools/call", "prompts/get", "resources/read"]);

/**
 * Sends a request and, as long as the server answers that it needs something first, gives it that and
 * sends the request once more (MCP 2026-07-28, basic/patterns/mrtr). What the server wants
 * to have back (`requestState`) goes back as it came, with this request and no other.
 */
export async function askInRounds(params: JsonObject, scope: RoundsScope): Promise<JsonObject> {
  const kept = await scope.pause?.kept();
  let result = isJsonObject(kept) ? kept : await scope.ask(params);
  for (let round = 1; needsInput(result, scope); round += 1) {
    if (round > mostRounds) {
      throw scope.fault(`asked for input more than ${mostRounds} times for one ${scope.method}`);
    }
    if (result !== kept) {
      await scope.pause?.keep(result);
    }
    const { requestState } = result;
    result = await scope.ask({
      ...params,
      ...(result["inputRequests"] === undefined
        ? {}
        : { inputResponses: await respond(result["inputRequests"], scope) }),
      ...(requestState === undefined ? {} : { requestState }),
    });
  }
  return result;
}

function needsInput({ resultType = "complete" }: JsonObject, scope: RoundsScope): boolean {
  if (resultType === "complete") {
    return false;
  }
  if (resultType !== "input_required") {
    throw scope.fault(`answered ${scope.method} with a kind of result that is not known`);
  }
  if (!inRounds.has(scope.method)) {
    throw scope.fault(`asked for input before it answers ${scope.method}, which it must not`);
  }
  return true;
}

/** One after the other: a person may have to answer them. */
async function respond(requests: unknown, scope: RoundsScope): Promise<JsonObject> {
  const entries = isJsonObject(requests) ? Object.entries(requests) : undefined;
  if (entries === undefined || entries.length > mostRequests) {
    throw scope.fault(`asked for input in a form that is not MCP, or for too much of it`);
  }
  const responses: (readonly [string, JsonObject])[] = [];
  for (const [index, [key, request]] of entries.entries()) {
    const { method, params }: JsonObject = isJsonObject(request) ? request : {};
    if (typeof method !== "string") {
      throw scope.fault("asked for input in a form that is not MCP");
    }
    responses.push([key, await scope.answer(method, isJsonObject(params) ? params : {}, index)]);
  }
  return Object.fromEntries(responses);
}
