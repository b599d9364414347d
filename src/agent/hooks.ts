import { untilAborted } from "../base/abort.ts";
import { messageOf } from "../base/dragoman-error.ts";
import { isJsonObject, type JsonObject } from "../base/json.ts";
import type { AssistantMessage } from "../message/message.ts";
import type { Model, ModelRequest } from "../model/model.ts";
import type { Binding } from "../tool/binding.ts";
import type { Tool } from "../tool/tool.ts";
import type { ToolResult } from "../tool/tool-result.ts";
import { RunError } from "./run-error.ts";
import type { RunInput } from "./run-input.ts";

/** What a hook may give: something in place of what it was shown, or nothing to leave it. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook that returns nothing is of type void
type Given<Value> = Value | undefined | void | Promise<Value | undefined | void>;

/** A tool call, as hooks see it. */
export interface HookedCall {
  readonly id: string;
  readonly tool: Tool;
  readonly arguments: JsonObject;
}

/**
 * Functions of the application that may change a run. A before-hook may answer in place (a cache, a
 * policy), and then what it stands before does not happen; an after-hook may replace what came.
 * What a hook throws fails the run, with the code `hook-failed` and the thrown error as its cause.
 */
export interface Hooks {
  /** May answer the whole run with a text. */
  beforeAgent?(scope: { readonly input: RunInput; readonly binding: Binding }): Given<string>;
  /** May replace the text of the answer. Not called for runs that fail or are cancelled. */
  afterAgent?(answer: string, scope: { readonly binding: Binding }): Given<string>;
  /** May change the request, or answer in the model's place with a text or a message. */
  beforeModel?(
    request: ModelRequest,
    scope: { readonly model: Model; readonly binding: Binding },
  ): Given<{ readonly request: ModelRequest } | { readonly answer: string | AssistantMessage }>;
  /** May replace what the model said. */
  afterModel?(
    message: AssistantMessage,
    scope: { readonly model: Model; readonly binding: Binding },
  ): Given<AssistantMessage>;
  /**
   * May give the result in the tool's place; any value, wrapped so that `undefined` can be one. Called
   * for calls that are approved; for a tool of the client, once the client has answered.
   */
  beforeTool?(
    call: HookedCall,
    scope: { readonly binding: Binding },
  ): Given<{ readonly result: unknown }>;
  /** May replace the result, also that of a failed call. */
  afterTool?(
    result: ToolResult,
    scope: { readonly call: HookedCall; readonly binding: Binding },
  ): Given<{ readonly result: unknown }>;
}

/** What a hook may give besides nothing. */
const forms: Readonly<Record<keyof Hooks, (given: unknown) => boolean>> = {
  beforeAgent: (given) => typeof given === "string",
  afterAgent: (given) => typeof given === "string",
  beforeModel: (given) => isJsonObject(given) && ("request" in given || "answer" in given),
  afterModel: (given) => isJsonObject(given) && given["role"] === "assistant",
  beforeTool: (given) => isJsonObject(given) && "result" in given,
  afterTool: (given) => isJsonObject(given) && "result" in given,
};

/** The names of all hooks. */
export const hookNames: readonly string[] = Object.keys(forms);

/**
 * Calls a hook. One that ignores the end of its run does not hold it.
 *
 * @throws RunError `hook-failed` where it throws, or gives what a hook of its name cannot; the
 *   signal's reason.
 */
export async function callHook<Value>(
  name: keyof Hooks,
  signal: AbortSignal,
  hook: () => Given<Value>,
): Promise<Value | undefined> {
  let given: Value | undefined;
  try {
    given = (await untilAborted(Promise.resolve(hook()), signal)) ?? undefined;
  } catch (cause) {
    signal.throwIfAborted();
    throw failed(name, `failed: ${messageOf(cause)}`, cause);
  }
  if (given !== undefined && !forms[name](given)) {
    throw failed(name, "gave something that is neither nothing nor of the form that it may give.");
  }
  return given;
}

const failed = (name: string, what: string, cause?: unknown): RunError =>
  new RunError(`The hook ${name} ${what}`, { code: "hook-failed", cause });
