import { untilAborted } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import { ConfigurationError, messageOf } from "../base/dragoman-error.ts";
import { ToolError } from "../base/tool-error.ts";
import type { ToolCallPart, ToolResultPart } from "../message/content.ts";
import type { Binding } from "../tool/binding.ts";
import type { Tool, ToolCall } from "../tool/tool.ts";
import { checkArguments } from "../tool/tool-arguments.ts";
import { type ToolResult, toolFailure, toToolResult } from "../tool/tool-result.ts";
import { unknownTool } from "../tool/unknown-tool.ts";
import type { StepAttempt, Steps } from "./steps.ts";

/** What the calls of one turn are executed with. */
export interface ExecutionScope {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly binding: Binding;
  readonly steps: Steps;
  readonly clock: Clock;
  /** Whether the model was cut off by its output limit, which explains broken arguments. */
  readonly cutOff: boolean;
}

/** A call that may be executed, or that is answered already. */
type PreparedCall =
  | {
      readonly kind: "ready";
      readonly call: ToolCallPart;
      readonly tool: Tool;
      readonly input: unknown;
    }
  | { readonly kind: "refused"; readonly call: ToolCallPart; readonly failure: unknown };

/** What came of the calls of one turn. */
export interface ExecutedCalls {
  /** One for each call, in their order; an interrupted call has an error result. */
  readonly results: readonly ToolResultPart[];
  /** Why the run cannot go on: its signal's reason, or a ConfigurationError that a tool threw. */
  readonly interruption?: { readonly reason: unknown };
}

/** Executes the calls of one turn side by side. Each settles on its own. */
export async function executeToolCalls(
  calls: readonly ToolCallPart[],
  scope: ExecutionScope,
): Promise<ExecutedCalls> {
  // All checks come first, so that the steps are taken in the order of the calls: see Steps.
  const prepared = await Promise.all(calls.map((call) => prepare(call, scope)));
  const settled = await Promise.allSettled(prepared.map((call) => execute(call, scope)));
  const results = settled.map((outcome, index) =>
    toResultPart(
      calls[index] as ToolCallPart, // one outcome for each call
      outcome.status === "fulfilled" ? outcome.value : interrupted,
    ),
  );
  const broken = settled.find((outcome) => outcome.status === "rejected");
  return broken === undefined ? { results } : { results, interruption: { reason: broken.reason } };
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
    return { kind: "ready", call, tool, input: await checkArguments(tool, call.arguments) };
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

async function execute(prepared: PreparedCall, scope: ExecutionScope): Promise<ToolResult> {
  const { call } = prepared;
  const { id, name } = call;
  const source = scope.tools.get(name)?.source;
  scope.steps.emit({
    kind: "tool-start",
    id,
    name,
    arguments: call.arguments,
    ...(source === undefined ? {} : { source }),
  });
  let result = interrupted;
  try {
    result =
      prepared.kind === "refused"
        ? failureOf(prepared.failure)
        : await scope.steps.run(`tool:${name}`, (attempt) => perform(prepared, attempt, scope), {
            idempotent: prepared.tool.idempotent,
          });
    return result;
  } finally {
    scope.steps.emit({ kind: "tool-end", id, name, result });
  }
}

async function perform(
  { call, tool, input }: Extract<PreparedCall, { kind: "ready" }>,
  attempt: StepAttempt,
  scope: ExecutionScope,
): Promise<ToolResult> {
  const limit = startLimit(tool, attempt.signal, scope);
  const toolCall: ToolCall = {
    id: call.id,
    binding: scope.binding,
    signal: limit.signal,
    ...(limit.deadline === undefined ? {} : { deadline: limit.deadline }),
    idempotencyKey: attempt.idempotencyKey,
    progress: (progress) => scope.steps.emit({ kind: "tool-progress", id: call.id, progress }),
  };
  try {
    limit.signal.throwIfAborted();
    return toToolResult(await untilAborted(tool.execute(input, toolCall), limit.signal));
  } catch (thrown) {
    attempt.signal.throwIfAborted();
    return failureOf(thrown);
  } finally {
    limit.stop();
  }
}

interface Limit {
  readonly signal: AbortSignal;
  readonly deadline: number | undefined;
  stop(): void;
}

/** The tool's own time, within the run's. */
function startLimit(tool: Tool, signal: AbortSignal, { binding, clock }: ExecutionScope): Limit {
  const { timeoutMs, name } = tool;
  if (timeoutMs === undefined) {
    return { signal, deadline: binding.deadline, stop: () => {} };
  }
  const controller = new AbortController();
  const stop = clock.startTimer(() => {
    const reason = `Tool "${name}" did not end within ${timeoutMs} ms and was given up.`;
    controller.abort(new ToolError(reason, { code: "tool-timeout" }));
  }, timeoutMs);
  return {
    signal: AbortSignal.any([signal, controller.signal]),
    deadline: Math.min(binding.deadline ?? Number.POSITIVE_INFINITY, clock.now() + timeoutMs),
    stop,
  };
}

/** What a tool threw, as a result that the model reads; a programmer's mistake goes on rising. */
function failureOf(thrown: unknown): ToolResult {
  if (ConfigurationError.is(thrown)) {
    throw thrown;
  }
  return toolFailure(
    ToolError.is(thrown) ? thrown : new ToolError(messageOf(thrown), { cause: thrown }),
  );
}
