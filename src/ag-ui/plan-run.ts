import type { AgentRuntime } from "../agent/agent-runtime.ts";
import type { Assembly } from "../agent/assembly.ts";
import type { Run } from "../agent/run.ts";
import type { RunFailure } from "../agent/run-failure.ts";
import type { RunInput } from "../agent/run-input.ts";
import type { RunOptions } from "../agent/run-options.ts";
import type { Decision } from "../agent/waiting.ts";
import { canonicalJson } from "../base/canonical-json.ts";
import type { Json } from "../base/json.ts";
import type { TraceContext } from "../base/trace-context.ts";
import type { UserContent } from "../message/content.ts";
import type { Model } from "../model/model.ts";
import { noUsage } from "../model/usage.ts";
import type { AgUiEvent } from "./ag-ui-event.ts";
import { withClientTools } from "./client-tools.ts";
import type { AgUiHandlerOptions, Caller } from "./handler-options.ts";
import { Refusal } from "./refusal.ts";
import type { RunAgentInput } from "./run-agent-input.ts";
import { shownCallIds } from "./shown-call-ids.ts";
import { openThread, type Thread } from "./thread.ts";
import { toAgUi } from "./to-ag-ui.ts";
import { answersTo, findWaitingRun, type WaitingRun } from "./waiting-run.ts";

/** What a request leads to. */
export type PlannedRun =
  | {
      readonly kind: "run";
      readonly run: Run;
      readonly thread: Thread;
      /** Calls that the client knows from before. */
      readonly shownCallIds: readonly string[];
      /** Results of such calls, which are sent before what the run does. */
      readonly prelude: readonly AgUiEvent[];
    }
  /** The protocol wants this told in the stream. */
  | { readonly kind: "failure"; readonly failure: RunFailure };

/** Who asks whom, and for what. */
export interface PlanScope {
  readonly assembly: Assembly;
  readonly runtime: AgentRuntime;
  readonly options: AgUiHandlerOptions;
  readonly caller: Caller;
  readonly input: RunAgentInput;
  /** The trace that the request belongs to. */
  readonly trace?: TraceContext | undefined;
}

/**
 * Finds out what a client's input asks for: a new run, one that goes on where it waited, or both.
 *
 * @throws Refusal; RunError and SessionError where a store fails.
 */
export async function planRun(scope: PlanScope): Promise<PlannedRun> {
  const { assembly, runtime, options, caller, input } = scope;
  const { app, clock } = runtime;
  const sessions = options.sessions === "none" ? undefined : (options.sessions ?? runtime.sessions);
  const now = clock.now();
  const { actor } = caller;
  const thread = await openThread(input, { app, actor, sessions, now });
  const waiting = await findWaitingRun({
    stores: [options.runs ?? runtime.runs, runtime.suspendedRuns],
    app,
    agent: assembly.name,
    session: input.threadId,
    actor,
  });
  const { resume = [] } = input;
  if (waiting === undefined) {
    return resume.length > 0 ? nothingWaits : startRun(scope, thread);
  }
  const answers = await answersTo(waiting, resume, input.messages, now);
  if (answers.kind === "refused") {
    return { kind: "failure", failure: answers.failure };
  }
  return goOn(scope, thread, waiting, answers.decisions);
}

const nothingWaits: PlannedRun = {
  kind: "failure",
  failure: { code: "interrupt-unknown", message: "This thread waits for nothing any more." },
};

async function startRun(scope: PlanScope, thread: Thread): Promise<PlannedRun> {
  const { assembly, input } = scope;
  const { said } = thread;
  const lastRole = input.messages.at(-1)?.role;
  // Where the client has the history, its tools' results are enough to go on with.
  const goesOn = said.length > 0 || (!thread.isKept && lastRole === "tool");
  if (!goesOn && lastRole === "tool") {
    const message = "The run that asked for this result is not kept any more; ask again.";
    return { kind: "failure", failure: { code: "run-not-found", message } };
  }
  if (!goesOn) {
    const message = "There is nothing to answer: the last message must be a user's.";
    throw new Refusal(message, { status: 400, code: "nothing-asked" });
  }
  const options = await optionsOf(scope, thread);
  const run = assembly.stream(asked(scope, said), options);
  return { kind: "run", run, thread, shownCallIds: [], prelude: [] };
}

/** What the user says, after what the front end tells of its screen. */
function asked({ input, options }: PlanScope, said: readonly UserContent[]): RunInput {
  const { context = [] } = input;
  if (options.clientContext === false || context.length === 0 || said.length === 0) {
    return said;
  }
  const lines = context.map(({ description, value }) => `- ${description}: ${value}`);
  return [{ kind: "text", text: `Context:\n${lines.join("\n")}\n` }, ...said];
}

async function goOn(
  scope: PlanScope,
  thread: Thread,
  waiting: WaitingRun,
  decisions: Readonly<Record<string, Decision>>,
): Promise<PlannedRun> {
  const { assembly } = scope;
  const { record, store } = waiting;
  const shown = await shownCallIds(waiting);
  const options = { ...(await optionsOf(scope, thread)), store };
  const missing = record.waitingFor.filter(({ id }) => !Object.hasOwn(decisions, id));
  if (thread.said.length > 0 && !isAnswered(record, thread.said)) {
    const left: Decision = { kind: "deny", reason: "The user went on without it." };
    const rest = Object.fromEntries(missing.map(({ id }) => [id, left]));
    return settle(scope, thread, { record, options, decisions: { ...decisions, ...rest }, shown });
  }
  const clientCalls = missing.filter(({ kind }) => kind === "client-tool");
  if (clientCalls.length === record.waitingFor.length) {
    const message = "This thread waits for results of the client's tools; none was sent.";
    return { kind: "failure", failure: { code: "results-missing", message } };
  }
  const run = assembly.resumeStream(record.id, { ...options, decisions });
  return { kind: "run", run, thread, shownCallIds: shown, prelude: [] };
}

/** Whether the run that waits was asked just this: some clients keep no half turns. */
function isAnswered({ input }: WaitingRun["record"], said: readonly UserContent[]): boolean {
  const known = typeof input === "string" ? [{ kind: "text", text: input }] : input;
  return canonicalJson(known.slice(-said.length) as Json) === canonicalJson(said as Json);
}

interface Settled {
  readonly record: WaitingRun["record"];
  readonly options: RunOptions;
  readonly decisions: Readonly<Record<string, Decision>>;
  readonly shown: readonly string[];
}

/**
 * Ends a run that waits, because the user has said something new: what was decided is done and kept,
 * but the answer comes from a run that knows both.
 */
async function settle(
  scope: PlanScope,
  thread: Thread,
  { record, options, decisions, shown }: Settled,
): Promise<PlannedRun> {
  const { assembly, input } = scope;
  const { threadId, runId } = input;
  const run = assembly.resumeStream(record.id, { ...options, model: silentModel, decisions });
  const results: AgUiEvent[] = [];
  for await (const event of toAgUi(run, {
    threadId,
    runId,
    protocolVersion: "1.0",
    shownCallIds: shown,
  })) {
    if (event.type === "TOOL_CALL_RESULT" && shown.includes(event.toolCallId)) {
      results.push(event);
    }
  }
  const { status, messages } = await run.result;
  if (status === "suspended") {
    const message =
      "This thread waits for somebody to decide; send resume before the next message.";
    return { kind: "failure", failure: { code: "interrupts-open", message } };
  }
  const planned = await startRun(scope, thread.after(messages));
  return planned.kind === "run" ? { ...planned, shownCallIds: shown, prelude: results } : planned;
}

/** Has nothing to say. */
const silentModel: Model = {
  id: "dragoman:silent",
  capabilities: { tools: true, images: true, jsonSchema: true },
  async *stream() {
    yield { kind: "finish", reason: "stop", usage: noUsage };
  },
};

async function optionsOf(scope: PlanScope, thread: Thread): Promise<RunOptions> {
  const { assembly, options, caller, input, trace } = scope;
  const { actor, context } = caller;
  const more = (await options.runOptions?.({ input, caller })) ?? {};
  const base: RunOptions = {
    context,
    ...(trace === undefined ? {} : { trace }),
    ...more,
    ...(actor === undefined ? {} : { actor }),
    ...(options.runs === undefined ? {} : { store: options.runs }),
    session: thread.session,
  };
  return options.clientTools === false ? base : withClientTools(assembly, base, input.tools ?? []);
}
