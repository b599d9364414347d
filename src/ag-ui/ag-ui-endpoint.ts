import type { AgentRuntime } from "../agent/agent-runtime.ts";
import type { Assembly } from "../agent/assembly.ts";
import { messageOf } from "../base/dragoman-error.ts";
import type { JsonObject } from "../base/json.ts";
import { type AgUiEvent, agUiVersion } from "./ag-ui-event.ts";
import { capabilitiesOf } from "./capabilities.ts";
import { filtered } from "./event-filter.ts";
import { eventStream, type SentEvent } from "./event-stream.ts";
import { forClient } from "./for-client.ts";
import type { AgUiHandlerOptions, Caller } from "./handler-options.ts";
import { type LiveRun, LiveRuns } from "./live-runs.ts";
import { type PlannedRun, planRun } from "./plan-run.ts";
import type { PositionedEvent } from "./position-reader.ts";
import { type PositionedOptions, positionedEvents } from "./positioned-events.ts";
import { readBody } from "./read-body.ts";
import { Refusal } from "./refusal.ts";
import { traceOf } from "./request-trace.ts";
import { parseRunAgentInput, type RunAgentInput } from "./run-agent-input.ts";
import { RunTranslation } from "./run-translation.ts";
import { StateMirror } from "./state-mirror.ts";
import { storedRun } from "./stored-run.ts";
import { formatPosition, parsePosition, type StreamPosition } from "./stream-position.ts";
import type { Thread } from "./thread.ts";

/** What each reader of a run gets its stream with. */
interface Reading {
  readonly options: PositionedOptions;
  readonly protocolVersion: string | undefined;
  readonly thread: Thread;
}

const defaultMaxBytes = 10 * 1024 * 1024;
const defaultHeartbeatMs = 15_000;
const defaultKeepMs = 300_000;

/** One agent behind one address. */
export class AgUiEndpoint {
  readonly #assembly: Assembly;
  readonly #runtimeNow: () => AgentRuntime;
  readonly #options: AgUiHandlerOptions;
  readonly #live: LiveRuns<Reading>;

  constructor(assembly: Assembly, runtimeNow: () => AgentRuntime, options: AgUiHandlerOptions) {
    const { onDisconnect = "cancel", keepMs = defaultKeepMs } = options;
    this.#assembly = assembly;
    this.#runtimeNow = runtimeNow;
    this.#options = options;
    this.#live = new LiveRuns({
      clock: runtimeNow().clock,
      onDisconnect,
      keepMs: onDisconnect === "continue" ? keepMs : 0,
    });
  }

  /** Answers a request; never rejects. */
  async handle(request: Request): Promise<Response> {
    try {
      const caller = await this.#options.authenticate(request);
      if (caller instanceof Response) {
        return caller;
      }
      if (caller === undefined) {
        const message = "This endpoint does not know who you are.";
        throw new Refusal(message, { status: 401, code: "unauthorized" });
      }
      return await this.#answer(request, caller);
    } catch (thrown) {
      return this.#refused(thrown);
    }
  }

  close(): Promise<void> {
    return this.#live.close();
  }

  async #answer(request: Request, caller: Caller): Promise<Response> {
    switch (request.method) {
      case "POST":
        return this.#run(request, caller);
      case "GET":
        return this.#read(request, caller);
      case "DELETE":
        return this.#cancel(request, caller);
      default:
        throw new Refusal(`${request.method} is not served here: POST runs, GET reads on.`, {
          status: 405,
          code: "method-not-allowed",
        });
    }
  }

  async #run(request: Request, caller: Caller): Promise<Response> {
    // Also keeps other sites' forms away, which cannot send this type.
    if (!/^application\/json\s*(;|$)/i.test(request.headers.get("content-type") ?? "")) {
      const message = "The body must be sent as application/json.";
      throw new Refusal(message, { status: 415, code: "unsupported-type" });
    }
    const { limits = {} } = this.#options;
    const text = await readBody(request, limits.maxBytes ?? defaultMaxBytes);
    const input = await parseRunAgentInput(text, limits);
    const key = keyOf(input, caller);
    const known = this.#live.find(key);
    if (known !== undefined) {
      return this.#stream(request, key, known);
    }
    const runtime = this.#runtimeNow();
    const planned = await planRun({
      assembly: this.#assembly,
      runtime,
      options: this.#options,
      caller,
      input,
      trace: traceOf(request),
    });
    if (planned.kind === "failure") {
      return this.#failed(request, input, planned);
    }
    const live = this.#live.find(key) ?? this.#open(request, input, planned, key);
    return this.#stream(request, key, live);
  }

  #open(
    request: Request,
    { threadId, runId, parentRunId, protocolVersion }: RunAgentInput,
    { run, shownCallIds, prelude, thread }: Extract<PlannedRun, { readonly kind: "run" }>,
    key: string,
  ): LiveRun<Reading> {
    const traceContext = this.#options.traceContext?.(request);
    const options: PositionedOptions = {
      threadId,
      runId,
      shownCallIds,
      prelude,
      ...(parentRunId === undefined ? {} : { parentRunId }),
      ...(traceContext === undefined ? {} : { traceContext }),
    };
    return this.#live.add(key, run, { options, protocolVersion, thread });
  }

  /** What the protocol wants told in the stream and not by a status. */
  #failed(
    request: Request,
    { threadId, runId, protocolVersion }: RunAgentInput,
    { failure }: Extract<PlannedRun, { readonly kind: "failure" }>,
  ): Response {
    const events = new RunTranslation({ threadId, runId }).fail(failure);
    const sent = events.flatMap((event) => this.#toSent({ event }, protocolVersion));
    return this.#respond(request, sent.values(), () => {});
  }

  async #read(request: Request, caller: Caller): Promise<Response> {
    const { searchParams } = new URL(request.url);
    if (!searchParams.has("runId")) {
      const { name, description } = this.#assembly;
      return Response.json(capabilitiesOf({ name, description, options: this.#options }));
    }
    const lastId = request.headers.get("last-event-id") ?? searchParams.get("lastEventId");
    const after = lastId === null ? undefined : parsePosition(lastId);
    if (lastId !== null && after === undefined) {
      const message = "Last-Event-ID is not one that this endpoint has sent.";
      throw new Refusal(message, { status: 400, code: "invalid-input" });
    }
    const { key, live } = this.#find(searchParams, caller);
    return live === undefined
      ? this.#readStored(request, caller, after)
      : this.#stream(request, key, live, after);
  }

  /** A run that this process does not have, because it is a new one, or another. */
  async #readStored(
    request: Request,
    { actor }: Caller,
    after: StreamPosition | undefined,
  ): Promise<Response> {
    const { searchParams } = new URL(request.url);
    const { app, runs, sessions, artifacts: settings } = this.#runtimeNow();
    const store = this.#options.runs ?? runs;
    const id = searchParams.get("sourceRunId");
    if (store === undefined || id === null) {
      throw notFound();
    }
    const threadId = searchParams.get("threadId") ?? "";
    const { name: agent } = this.#assembly;
    const leaving = new AbortController();
    const { signal } = leaving;
    const artifacts = settings?.store;
    const query = { store, app, id, agent, session: threadId, actor, after, artifacts, signal };
    const found = await storedRun(query);
    if (found === undefined) {
      throw notFound();
    }
    const kept =
      this.#options.sessions === "none" ? undefined : (this.#options.sessions ?? sessions);
    const state = this.#mirror(async () => (await kept?.get({ app, id: threadId }))?.state);
    const { source, shownCallIds } = found;
    const runId = searchParams.get("runId") ?? "";
    const events = positionedEvents(source, { threadId, runId, shownCallIds, state, after });
    return this.#respond(request, this.#sent(events, agUiVersion), () => leaving.abort());
  }

  #cancel(request: Request, caller: Caller): Response {
    const { live } = this.#find(new URL(request.url).searchParams, caller);
    if (live === undefined) {
      throw notFound();
    }
    live.run.cancel("The client cancelled the run.");
    return new Response(null, { status: 204 });
  }

  #find(
    parameters: URLSearchParams,
    caller: Caller,
  ): { readonly key: string; readonly live: LiveRun<Reading> | undefined } {
    const threadId = parameters.get("threadId") ?? "";
    const runId = parameters.get("runId") ?? "";
    const key = keyOf({ threadId, runId }, caller);
    return { key, live: this.#live.find(key) };
  }

  #stream(request: Request, key: string, live: LiveRun<Reading>, after?: StreamPosition): Response {
    const { options, protocolVersion, thread } = live.reading;
    const state = this.#mirror(() => thread.state());
    const events = positionedEvents(live.run, { ...options, state, after });
    const sent = this.#sent(events, protocolVersion);
    return this.#respond(request, sent, this.#live.enter(key, live));
  }

  #mirror(read: () => Promise<JsonObject | undefined>): StateMirror | undefined {
    const { state: shown } = this.#options;
    if (shown === undefined) {
      return undefined;
    }
    return new StateMirror(async () => {
      const state = await read();
      return state && shown(state);
    });
  }

  async *#sent(
    events: AsyncIterable<PositionedEvent>,
    protocolVersion: string | undefined,
  ): AsyncGenerator<SentEvent, void, undefined> {
    for await (const one of events) {
      yield* this.#toSent(one, protocolVersion);
    }
  }

  #toSent(
    { event, position }: PositionedEvent,
    protocolVersion: string | undefined,
  ): readonly SentEvent[] {
    const sent: AgUiEvent | undefined = filtered(
      forClient(event, protocolVersion),
      this.#options.filter,
    );
    const id = position && formatPosition(position);
    return sent === undefined ? [] : [{ event: sent, id }];
  }

  #respond(
    request: Request,
    events: AsyncIterator<SentEvent> | Iterator<SentEvent>,
    onEnd: () => void,
  ): Response {
    const { clock } = this.#runtimeNow();
    const { heartbeatMs = defaultHeartbeatMs } = this.#options;
    const body = eventStream(events, { clock, heartbeatMs, signal: request.signal, onEnd });
    return new Response(body, {
      headers: {
        "content-type": "text/event-stream",
        "cache-control": "no-cache, no-transform",
        // Proxies that gather answers before they pass them on leave this one alone.
        "x-accel-buffering": "no",
        "ag-ui-protocol-version": agUiVersion,
      },
    });
  }

  #refused(thrown: unknown): Response {
    if (Refusal.is(thrown)) {
      return thrown.toResponse();
    }
    this.#runtimeNow().logger.error(`An AG-UI request failed: ${messageOf(thrown)}`);
    const message = "The request could not be served.";
    return new Refusal(message, { status: 500, code: "internal-error" }).toResponse();
  }
}

const notFound = (): Refusal =>
  new Refusal("No such run is kept here, or it is not yours.", { status: 404, code: "not-found" });

/** A run is found by its caller only. */
const keyOf = (
  { threadId, runId }: Pick<RunAgentInput, "threadId" | "runId">,
  { actor }: Caller,
): string => JSON.stringify([actor ?? null, threadId, runId]);
