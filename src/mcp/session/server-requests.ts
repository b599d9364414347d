import { untilAborted } from "../../base/abort.ts";
import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import type { UserAnswer, UserQuestion } from "../../tool/call-pause.ts";
import type { ResolvedLimits } from "../wire/mcp-limits.ts";
import { toElicitation, toElicitResult } from "./elicitation.ts";
import { RefusedRequest } from "./refused-request.ts";
import type {
  McpRoot,
  SamplingAnswer,
  SamplingRequest,
  ServerCallbacks,
} from "./server-callbacks.ts";

/** What {@link ServerRequests} is made of. */
export interface ServerRequestsOptions {
  /** The alias of the server. */
  readonly server: string;
  readonly callbacks: ServerCallbacks;
  readonly limits: ResolvedLimits;
}

const methodNotFound = -32_601;
const internalError = -32_603;

/** So many requests of one server are answered at once: each may be a window before a person. */
const mostAtOnce = 16;

/** What a server may ask of us: answered by the application's callbacks, and by those only. */
export class ServerRequests {
  /** What a server is told that it may ask for, in MCP's words. */
  readonly capabilities: JsonObject;
  readonly #options: ServerRequestsOptions;
  #underWay = 0;

  constructor(options: ServerRequestsOptions) {
    const { onElicitation, onSampling, roots } = options.callbacks;
    this.#options = options;
    this.capabilities = {
      ...(onElicitation === undefined ? {} : { elicitation: { form: {}, url: {} } }),
      ...(onSampling === undefined ? {} : { sampling: {} }),
      ...(roots === undefined ? {} : { roots: {} }),
    };
  }

  /**
   * The result of a request of the server's.
   *
   * @throws RefusedRequest where it is not granted; what a callback throws; the signal's reason.
   */
  async answer(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const answer = this.#answererOf(method);
    if (answer === undefined) {
      throw new RefusedRequest("Method not found", methodNotFound);
    }
    if (this.#underWay >= mostAtOnce) {
      throw new RefusedRequest("Too many requests at once", internalError);
    }
    this.#underWay += 1;
    try {
      return await untilAborted(answer(params, signal), signal);
    } finally {
      this.#underWay -= 1;
    }
  }

  /**
   * What the user has answered, where the run may wait for it.
   *
   * @throws RefusedRequest; what `ask` throws; Error where the answer does not fit.
   */
  async elicit(
    params: JsonObject,
    ask: (question: UserQuestion) => Promise<UserAnswer>,
  ): Promise<JsonObject> {
    const { server, limits } = this.#options;
    const asked = toElicitation(params, limits);
    const { message } = asked;
    const what = asked.mode === "url" ? { url: asked.url } : { schema: asked.requestedSchema };
    const answer = await ask({ server, message, ...what });
    if (answer.kind === "deny") {
      return { action: "decline" };
    }
    const content = isJsonObject(answer.value) ? answer.value : {};
    return toElicitResult(asked, {
      action: "accept",
      content: content as { readonly [name: string]: Json }, // absent properties are none
    });
  }

  /** Whoever answers this method, where the application does. */
  #answererOf(
    method: string,
  ): ((params: JsonObject, signal: AbortSignal) => Promise<JsonObject>) | undefined {
    const { server, callbacks, limits } = this.#options;
    const { onElicitation, onSampling, roots } = callbacks;
    switch (method) {
      case "elicitation/create":
        return (
          onElicitation &&
          (async (params, signal) => {
            const asked = toElicitation(params, limits);
            const answer = Promise.resolve(onElicitation(asked, { server, signal }));
            return toElicitResult(asked, await answer);
          })
        );
      case "sampling/createMessage":
        return (
          onSampling &&
          (async (params, signal) => {
            const answer = Promise.resolve(onSampling(toSampling(params), { server, signal }));
            return checkedSampling(await answer);
          })
        );
      case "roots/list":
        return (
          roots &&
          (async (_params, signal) => {
            const given = typeof roots === "function" ? roots({ server, signal }) : roots;
            return { roots: checkedRoots(await Promise.resolve(given)) };
          })
        );
      default:
        return undefined;
    }
  }
}

function toSampling(params: JsonObject): SamplingRequest {
  const { messages, maxTokens, tools } = params;
  if (!Array.isArray(messages) || typeof maxTokens !== "number") {
    throw new RefusedRequest("There must be messages and maxTokens.");
  }
  if (tools !== undefined) {
    throw new RefusedRequest("Tools in sampling are not offered.");
  }
  return { ...params, messages, maxTokens };
}

function checkedSampling(answer: SamplingAnswer): JsonObject {
  const { role, content, model }: JsonObject = isJsonObject(answer) ? answer : {};
  if (typeof role !== "string" || typeof model !== "string" || !isJsonObject(content)) {
    throw new Error(
      `onSampling must return { role: "assistant", content: { type: "text", text }, model }.`,
    );
  }
  return answer;
}

function checkedRoots(roots: readonly McpRoot[]): readonly Json[] {
  return roots.map(({ uri, name }) => {
    if (!URL.canParse(uri) || new URL(uri).protocol !== "file:") {
      throw new Error(`Each of the roots must have a file: URL as its uri.`);
    }
    return name === undefined ? { uri } : { uri, name };
  });
}
