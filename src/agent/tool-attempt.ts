import { untilAborted } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import { ConfigurationError, messageOf } from "../base/dragoman-error.ts";
import type { Logger } from "../base/logger.ts";
import { sleep } from "../base/sleep.ts";
import { earlierOf, startTimeLimit, type TimeLimit } from "../base/time-limit.ts";
import { ToolError } from "../base/tool-error.ts";
import type { TraceOperation, TraceOutcome } from "../base/trace-operation.ts";
import { completed, errorTypeOfCode } from "../base/trace-outcome.ts";
import type { ActiveSpan } from "../base/tracing.ts";
import type { ToolCallPart } from "../message/content.ts";
import type { Binding } from "../tool/binding.ts";
import type { Tool, ToolCall } from "../tool/tool.ts";
import { type ToolResult, toolFailure, toToolResult } from "../tool/tool-result.ts";
import { callHook, type HookedCall, type Hooks } from "./hooks.ts";
import { StepPause } from "./step-pause.ts";
import type { StepAttempt, Steps } from "./steps.ts";
import { Suspension, suspensionIn } from "./suspension.ts";
import { traced } from "./traced.ts";

/** A call whose arguments are checked. */
export interface ReadyCall {
  readonly call: ToolCallPart;
  readonly tool: Tool;
  /** What the tool is executed with. */
  readonly input: unknown;
}

/** What a tool is executed with. */
export interface ToolScope {
  readonly binding: Binding;
  readonly steps: Steps;
  /** What tool calls are part of, where somebody traces. */
  readonly span?: ActiveSpan | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly hooks: readonly Hooks[];
  /** The time of tools that have none of their own, in milliseconds. */
  readonly toolTimeoutMs: number | undefined;
}

/**
 * One call, hooks and further tries of an idempotent tool included. What the tool throws becomes a
 * result.
 *
 * @throws the signal's reason; RunError `hook-failed`; a ConfigurationError of the tool.
 */
export function performTool(
  ready: ReadyCall,
  attempt: StepAttempt,
  scope: ToolScope,
): Promise<ToolResult> {
  const { signal } = attempt;
  return traced(
    { span: scope.span, signal },
    () => toolOperation(ready.call, ready.tool, scope.binding),
    async (span) => {
      span?.capture("tool-arguments", () => ready.call.arguments);
      const result = await performTraced(ready, attempt, { ...scope, span });
      span?.capture("tool-result", () => result.content);
      return result;
    },
    outcomeOf,
  );
}

/** What tracers are told of a call; of one that is refused too. */
const toolOperation = (
  { id, name }: ToolCallPart,
  tool: Pick<Tool, "description" | "source"> | undefined,
  { agent, run }: Binding,
): TraceOperation => ({
  kind: "tool",
  name: tool === undefined ? "_OTHER" : name, // else it is what the model has made up
  callId: id,
  description: tool?.description ?? "",
  agent: agent.name,
  session: run.session?.id,
  source: tool?.source,
});

const outcomeOf = (result: ToolResult): TraceOutcome =>
  result.kind === "error"
    ? { kind: "failed", error: result.error, type: errorTypeOfCode(result.error.code) }
    : completed;

/** Tells tracers of a call that is not made. */
export function traceRefusal(
  { call, tool }: Pick<ReadyCall, "call"> & { readonly tool?: Tool | undefined },
  refusal: ToolResult,
  { span, binding }: Pick<ToolScope, "span" | "binding">,
): void {
  span?.start(toolOperation(call, tool, binding)).end(outcomeOf(refusal));
}

async function performTraced(
  ready: ReadyCall,
  attempt: StepAttempt,
  scope: ToolScope,
): Promise<ToolResult> {
  const { binding, hooks } = scope;
  const call: HookedCall = {
    id: ready.call.id,
    tool: ready.tool,
    arguments: ready.call.arguments,
  };
  let result: ToolResult | undefined;
  for (const hook of hooks) {
    const given = await callHook("beforeTool", attempt.signal, () =>
      hook.beforeTool?.(call, { binding }),
    );
    result ??= given && toToolResult(given.result);
  }
  result ??= await tryTool(ready, attempt, scope);
  for (const hook of hooks) {
    const shown: ToolResult = result;
    const given: { readonly result: unknown } | undefined = await callHook(
      "afterTool",
      attempt.signal,
      () => hook.afterTool?.(shown, { call, binding }),
    );
    result = given === undefined ? result : toToolResult(given.result);
  }
  return result;
}

/** Tries of a tool that says a second one does no harm. */
const idempotentTries = 3;

/** Failures that may pass by themselves. */
const passing: readonly string[] = ["tool-timeout", "tool-network"];

const toolRetryDelayMs = 250;

async function tryTool(
  ready: ReadyCall,
  attempt: StepAttempt,
  scope: ToolScope,
): Promise<ToolResult> {
  const { tool } = ready;
  for (let count = 1; ; count += 1) {
    const result = await executeOnce(ready, attempt, scope);
    const again =
      tool.idempotent &&
      count < idempotentTries &&
      result.kind === "error" &&
      passing.includes(result.error.code);
    if (!again) {
      return result;
    }
    const delayMs = toolRetryDelayMs * count;
    const { error } = result;
    scope.span?.event({ kind: "retry", of: "tool", attempt: count, delayMs, error });
    scope.steps.emit({
      kind: "notice",
      code: "tool-retry",
      message: `Tool "${tool.name}" is tried again: ${result.error.message}`,
    });
    await sleep(scope.clock, delayMs, attempt.signal);
  }
}

async function executeOnce(
  { call, tool, input }: ReadyCall,
  attempt: StepAttempt,
  scope: ToolScope,
): Promise<ToolResult> {
  const limit = startLimit(tool, attempt.signal, scope);
  const { span } = scope;
  let isOver = false;
  const toolCall: ToolCall = {
    id: call.id,
    binding: scope.binding,
    signal: limit.signal,
    ...(limit.deadline === undefined ? {} : { deadline: limit.deadline }),
    idempotencyKey: attempt.idempotencyKey,
    logger: scope.logger,
    ...(span && { span }),
    // Made only where the tool asks for them.
    get traceHeaders() {
      return { ...span?.context() };
    },
    progress: (progress) => {
      // A tool that was given up may go on talking.
      if (!isOver) {
        scope.steps.emit({ kind: "tool-progress", id: call.id, progress });
      }
    },
    pause: new StepPause(call.id, scope),
  };
  try {
    limit.signal.throwIfAborted();
    const work = tool.execute(input, toolCall);
    // Who was asked ends with the signal, and what they did until then is part of the run.
    return toResult(await (tool.nested ? work : untilAborted(work, limit.signal)), tool);
  } catch (thrown) {
    attempt.signal.throwIfAborted();
    const suspension = suspensionIn(thrown);
    if (suspension !== undefined) {
      throw suspension;
    }
    return failureOf(thrown);
  } finally {
    isOver = true;
    limit.stop();
  }
}

/** A value that is no data fails the call, not the run. */
function toResult(returned: unknown, { name }: Tool): ToolResult {
  try {
    return toToolResult(returned);
  } catch (cause) {
    const why = `Tool "${name}" ran, but its result cannot be passed on. ${messageOf(cause)}`;
    return toolFailure(new ToolError(why, { cause }));
  }
}

interface ToolLimit extends TimeLimit {
  readonly deadline: number | undefined;
}

/** The tool's own time, within the run's. */
function startLimit(tool: Tool, signal: AbortSignal, scope: ToolScope): ToolLimit {
  const { binding, clock } = scope;
  const { timeoutMs = scope.toolTimeoutMs, name } = tool;
  const limit = startTimeLimit(clock, signal, timeoutMs, () => {
    const reason = `Tool "${name}" did not end within ${timeoutMs} ms and was given up.`;
    return new ToolError(reason, { code: "tool-timeout" });
  });
  const own = timeoutMs === undefined ? undefined : clock.now() + timeoutMs;
  return { ...limit, deadline: earlierOf(binding.deadline, own) };
}

/** What a tool threw, as a result that the model reads; a programmer's mistake and a wait go on rising. */
export function failureOf(thrown: unknown): ToolResult {
  if (ConfigurationError.is(thrown) || thrown instanceof Suspension) {
    throw thrown;
  }
  return toolFailure(
    ToolError.is(thrown) ? thrown : new ToolError(messageOf(thrown), { cause: thrown }),
  );
}
