import { untilAborted } from "../base/abort.ts";
import { messageOf } from "../base/dragoman-error.ts";
import { settleInOrder } from "../base/settle-in-order.ts";
import { ToolError } from "../base/tool-error.ts";
import type { ToolCallPart, ToolResultPart } from "../message/content.ts";
import type { Tool } from "../tool/tool.ts";
import { checkArguments } from "../tool/tool-arguments.ts";
import { type ToolResult, toolFailure } from "../tool/tool-result.ts";
import { unknownTool } from "../tool/unknown-tool.ts";
import { type ApprovalScope, approveCall, confirmRetry } from "./approve-call.ts";
import { isClientCall, withClientAnswer } from "./client-call.ts";
import { type PresentScope, presentResult } from "./present-result.ts";
import type { StepAttempt } from "./steps.ts";
import { interruptionOf, Suspension } from "./suspension.ts";
import { failureOf, performTool, type ReadyCall, traceRefusal } from "./tool-attempt.ts";

/** What the calls of one turn are executed with. */
export interface ExecutionScope extends ApprovalScope, PresentScope {
  readonly tools: ReadonlyMap<string, Tool>;
  /** Whether every server of the run is open. */
  hasAllServers(): boolean;
  /** How many calls of one turn run at once; 1 is one after the other. */
  readonly concurrency: number;
  /** Whether the model was cut off by its output limit, which explains broken arguments. */
  readonly cutOff: boolean;
}

/** A call that may be executed, or that is refused. */
type PreparedCall =
  | ({ readonly kind: "ready" } & ReadyCall)
  | { readonly kind: "refused"; readonly call: ToolCallPart; readonly failure: unknown };

/** What came of the calls of one turn. */
export interface ExecutedCalls {
  /** One for each call, in their order; an interrupted call has an error result. */
  readonly results: readonly ToolResultPart[];
  /** The same as the tools gave them, with their values. */
  readonly outcomes: readonly ToolResult[];
  /** Whether a server's tool was among those that ran. */
  readonly tainted: boolean;
  /** Why the run cannot go on: its signal's reason, or a ConfigurationError that a tool threw. */
  readonly interruption?: { readonly reason: unknown };
}

/**
 * Executes the calls of one turn side by side. Each settles on its own.
 *
 * @throws Suspension where some of them wait for somebody, once the others have settled.
 */
export async function executeToolCalls(
  calls: readonly ToolCallPart[],
  scope: ExecutionScope,
): Promise<ExecutedCalls> {
  // All checks come first, so that the steps are taken in the order of the calls: see Steps.
  const prepared = await Promise.all(calls.map((call) => prepare(call, scope)));
  const tainted = calls.some((call) => isStrangers(call, scope));
  const settled = await settleInOrder(prepared, scope.concurrency, (call) =>
    execute(call, scope, calls.length),
  );
  const outcomes = settled.map((one) => (one.status === "fulfilled" ? one.value : interrupted));
  const results = outcomes.map(
    (outcome, index) => toResultPart(calls[index] as ToolCallPart, outcome), // one for each call
  );
  const interruption = interruptionOf(settled);
  if (interruption?.reason instanceof Suspension) {
    throw interruption.reason;
  }
  return { results, outcomes, tainted, ...(interruption && { interruption }) };
}

/**
 * Whether what a call gives may be a stranger's words: a server's, also of one that is not there now,
 * or an artifact's, which may be of an earlier run.
 */
function isStrangers(
  { name, id }: ToolCallPart,
  { tools, steps, readTool }: ExecutionScope,
): boolean {
  const tool = tools.get(name);
  return tool === undefined
    ? steps.isRecorded(`tool:${name}`, id)
    : tool.source !== undefined || tool === readTool;
}

const interrupted: ToolResult = toolFailure(new ToolError("The call was interrupted."));

const toResultPart = (
  { id, name }: ToolCallPart,
  { kind, content }: ToolResult,
): ToolResultPart => ({
  kind: "tool-result",
  id,
  name,
  isError: kind === "error",
  content,
});

async function prepare(call: ToolCallPart, scope: ExecutionScope): Promise<PreparedCall> {
  const tool = scope.tools.get(call.name);
  if (tool === undefined) {
    return { kind: "refused", call, failure: unknownTool(call.name, [...scope.tools.keys()]) };
  }
  if (call.malformedArguments !== undefined) {
    return { kind: "refused", call, failure: malformedArguments(call, scope.cutOff) };
  }
  try {
    return { kind: "ready", call, tool, input: await checkInput(call, tool, scope) };
  } catch (failure) {
    return { kind: "refused", call, failure };
  }
}

function malformedArguments(
  { name, malformedArguments: text }: ToolCallPart,
  cutOff: boolean,
): ToolError {
  const why = cutOff
    ? "they were cut off by the output limit; call it again with shorter arguments"
    : "they are not a JSON object; call it again with valid JSON";
  return new ToolError(
    `Tool "${name}" was not run, since its arguments could not be read: ${why}. They began: ${text?.slice(0, 100)}`,
    {
      code: "invalid-arguments",
    },
  );
}

/** A schema of the application may take its time, but no longer than the run. */
const checkInput = (
  call: ToolCallPart,
  tool: Tool,
  { binding }: ExecutionScope,
): Promise<unknown> => untilAborted(checkArguments(tool, call.arguments), binding.signal);

async function execute(
  prepared: PreparedCall,
  scope: ExecutionScope,
  callsInTurn: number,
): Promise<ToolResult> {
  const { call } = prepared;
  const { id, name } = call;
  scope.binding.signal.throwIfAborted();
  const denial = prepared.kind === "ready" ? await approveCall(prepared, scope) : undefined;
  const called = prepared.kind === "ready" && denial === undefined ? prepared : undefined;
  const ready = isClientCall(called) ? await withClientAnswer(called, scope) : called;
  const source = scope.tools.get(name)?.source;
  scope.steps.emit({
    kind: "tool-start",
    id,
    name,
    arguments: call.arguments,
    ...(source === undefined ? {} : { source }),
  });
  const end = (result: ToolResult): void =>
    scope.steps.emit({ kind: "tool-end", id, name, result });
  try {
    const given = await resultOf(prepared, ready, denial, scope);
    const isPart = ready?.tool === scope.readTool;
    const result = await presentResult(given, { id, name, callsInTurn, isPart }, scope);
    end(result);
    return result;
  } catch (thrown) {
    if (!(thrown instanceof Suspension)) {
      end(interrupted);
    }
    throw thrown;
  }
}

async function resultOf(
  prepared: PreparedCall,
  ready: ReadyCall | undefined,
  denial: ToolError | undefined,
  scope: ExecutionScope,
): Promise<ToolResult> {
  if (prepared.kind === "refused") {
    return refuse(prepared, scope);
  }
  if (ready !== undefined) {
    return performAsStep(ready, scope);
  }
  const refusal = failureOf(denial);
  traceRefusal(prepared, refusal, scope);
  return refusal;
}

/**
 * A tool whose server is away, or that takes other arguments now, may have been called before: then that
 * holds. One that the agent does not have any more is another agent's, and the next step says so.
 */
async function refuse(
  prepared: Extract<PreparedCall, { kind: "refused" }>,
  scope: ExecutionScope,
): Promise<ToolResult> {
  const { call, failure } = prepared;
  const { steps, tools, hasAllServers } = scope;
  const name = `tool:${call.name}`;
  const refusal = failureOf(failure);
  const isGone = !tools.has(call.name) && hasAllServers();
  if (isGone || !steps.isRecorded(name, call.id)) {
    traceRefusal(prepared, refusal, scope);
    return refusal;
  }
  return steps.run<ToolResult>(name, async () => refusal, {
    id: call.id,
    async inDoubt() {
      const why = `Tool "${call.name}" was interrupted, and it is not known whether it took effect. It cannot be called again: ${messageOf(failure)}`;
      return failureOf(new ToolError(why, { code: "tool-denied", cause: failure }));
    },
  });
}

/** A call that may have taken effect already is made again only where somebody says so. */
async function performAsStep(ready: ReadyCall, scope: ExecutionScope): Promise<ToolResult> {
  const { tool, call } = ready;
  const perform = (attempt: StepAttempt): Promise<ToolResult> => performTool(ready, attempt, scope);
  if (tool.nested) {
    const { binding, steps } = scope;
    const idempotencyKey = `${binding.run.id}:${steps.path}${call.id}`;
    return perform({ idempotencyKey, attempt: 1, signal: binding.signal });
  }
  return scope.steps.run(`tool:${call.name}`, perform, {
    id: call.id,
    idempotent: tool.idempotent,
    async inDoubt(tries) {
      const refusal = await confirmRetry(ready, tries, scope);
      return refusal && failureOf(refusal);
    },
  });
}
