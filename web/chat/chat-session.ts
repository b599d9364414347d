import type { AgUiEvent } from "../../src/ag-ui/ag-ui-event.ts";
import type { ResumeEntry } from "../../src/ag-ui/run-agent-input.ts";
import type { RunRecord } from "../../src/agent/run-store.ts";
import type { Session, StoredMessage } from "../../src/agent/session-store.ts";
import type { Decision } from "../../src/agent/waiting.ts";
import { ApiError, ask, getJson, post } from "../wire/api.ts";
import { readEvents } from "../wire/read-events.ts";
import { Store } from "../wire/store.ts";
import type { ChatItem } from "./chat-item.ts";
import { Conversation } from "./conversation.ts";
import { fromMessages, userText } from "./from-messages.ts";
import { newId } from "./new-id.ts";
import { fromInterrupt, type Question, toDeclined, toResumeEntry } from "./question.ts";
import { toWireMessages } from "./to-wire-messages.ts";

/** A conversation as a page shows it. */
export interface ChatView {
  readonly items: readonly ChatItem[];
  readonly status: "loading" | "idle" | "running" | "waiting";
  readonly questions: readonly Question[];
  /** Whether there are older messages than those that are shown. */
  readonly hasEarlier: boolean;
  /** The agent that was asked last, where another page has asked it. */
  readonly lastAgent?: string;
  /** Why the conversation could not be loaded. */
  readonly error?: Error;
  /** Whether the connection broke, and is sought anew. */
  readonly isReconnecting: boolean;
}

/** How many messages are loaded at once. */
const pageLength = 100;

const mostReconnects = 6;

/** One conversation with an agent: what was said, and what is going on. */
export class ChatSession {
  readonly id: string;
  readonly agent: string;
  readonly view: Store<ChatView>;
  readonly #isKept: boolean;
  readonly #conversation = new Conversation();
  #firstSequence = 1;
  #status: ChatView["status"];
  #error: Error | undefined;
  #lastAgent: string | undefined;
  #isReconnecting = false;
  #lastEventId: string | undefined;
  #drawing: number | ReturnType<typeof setTimeout> | undefined;
  #reading: AbortController | undefined;

  constructor(
    agent: string,
    id: string,
    {
      isKept,
      isNew,
    }: {
      /** Whether the server keeps conversations. */
      readonly isKept: boolean;
      /** Whether there is nothing to load. */
      readonly isNew: boolean;
    },
  ) {
    this.agent = agent;
    this.id = id;
    this.#isKept = isKept;
    this.#status = isNew ? "idle" : "loading";
    this.view = new Store<ChatView>(this.#viewNow());
  }

  /** Whether something is going on that must not be left alone. */
  get isBusy(): boolean {
    return this.#conversation.isRunning;
  }

  /** Loads what the server keeps of it. Goes on with a run that goes on. */
  async load(): Promise<void> {
    try {
      if (this.#isKept) {
        await this.#loadMessages();
      }
      await this.#loadRuns();
    } catch (thrown) {
      this.#error = thrown as Error; // whatever was thrown here is one
    }
    this.#status = this.#status === "loading" ? "idle" : this.#status;
    this.#draw();
  }

  async loadEarlier(): Promise<void> {
    const upTo = this.#firstSequence - 1;
    const after = Math.max(0, upTo - pageLength);
    const messages = await this.#messages(after, upTo - after);
    this.#firstSequence = after + 1;
    this.#conversation.prepend(fromMessages(messages));
    this.#draw();
  }

  /** Says something. */
  async send(text: string): Promise<void> {
    const id = newId();
    const history = this.#isKept ? [] : toWireMessages(this.#conversation.items);
    this.#conversation.put({ kind: "user", id, text });
    await this.#run({ messages: [...history, { id, role: "user", content: text }] });
  }

  /** Says the last thing again, since its run failed. */
  async retry(): Promise<void> {
    const last = this.#conversation.items.findLast((item) => item.kind === "user");
    if (last?.kind === "user") {
      await this.send(last.text);
    }
  }

  /** Answers all that the run waits for. */
  async answer(decisions: Readonly<Record<string, Decision>>): Promise<void> {
    const { questions } = this.view.value;
    const resume = questions.map(({ id, kind }): ResumeEntry => {
      const decision = decisions[id] ?? { kind: "deny" };
      return decision.kind === "deny" && kind === "elicitation"
        ? toDeclined(id)
        : toResumeEntry(id, decision);
    });
    const messages = this.#isKept ? [] : toWireMessages(this.#conversation.items);
    await this.#run({ messages, resume });
  }

  /** Cancels the run that goes on, or waits. */
  async cancel(): Promise<void> {
    const { runId = "", sourceRunId } = this.#conversation.run ?? {};
    if (this.#status !== "waiting") {
      const query = new URLSearchParams({ threadId: this.id, runId });
      const isGone = await ask(`${this.#path}?${query}`, { method: "DELETE" }).then(
        () => false,
        (thrown: unknown) => thrown instanceof ApiError && thrown.status === 404,
      );
      if (!isGone || sourceRunId === undefined) {
        return;
      }
    }
    await ask(`/runs/${encodeURIComponent(sourceRunId ?? "")}/cancel`, { method: "POST" });
    if (this.#status === "waiting") {
      const outcome = { type: "cancelled" } as const;
      this.#conversation.wait([]);
      this.#conversation.take({ type: "RUN_FINISHED", threadId: this.id, runId, outcome });
      this.#settle();
    }
  }

  /** Leaves a run that goes on to itself. */
  close(): void {
    this.#reading?.abort();
  }

  get #path(): string {
    return `/agents/${encodeURIComponent(this.agent)}/ag-ui`;
  }

  async #loadMessages(): Promise<void> {
    let length: number;
    try {
      ({ length } = await getJson<Session>(`/sessions/${encodeURIComponent(this.id)}`));
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.status === 404) {
        return; // it begins with the first message
      }
      throw thrown;
    }
    const after = Math.max(0, length - pageLength);
    this.#firstSequence = after + 1;
    this.#conversation.prepend(fromMessages(await this.#messages(after, pageLength)));
  }

  async #messages(after: number, limit: number): Promise<readonly StoredMessage[]> {
    const path = `/sessions/${encodeURIComponent(this.id)}/messages?after=${after}&limit=${limit}`;
    const { messages } = await getJson<{ readonly messages: readonly StoredMessage[] }>(path);
    return messages;
  }

  /** What the session does not have yet, because its run has not ended. */
  async #loadRuns(): Promise<void> {
    const { runs } = await getJson<{ readonly runs: readonly RunRecord[] }>(
      `/runs?session=${encodeURIComponent(this.id)}&limit=1`,
    );
    const [newest] = runs;
    this.#lastAgent = newest?.agent;
    if (newest === undefined || newest.agent !== this.agent) {
      return;
    }
    const { status, input, id, error } = newest;
    if (status === "running" || status === "suspended") {
      const text = typeof input === "string" ? input : userText(input);
      this.#conversation.put({ kind: "user", id: `${id}-input`, text });
      this.#conversation.begin(id);
      this.#status = "running";
      this.#draw();
      await this.#readStored(newest);
    } else if (status === "failed" && error !== undefined) {
      this.#conversation.put({ kind: "end", id, status, error, usage: [], sourceRunId: id });
    }
  }

  /**
   * Reads a run from its beginning. Each time that it waited and went on is a stream of its own, which
   * ends where it waited.
   */
  async #readStored(record: RunRecord): Promise<void> {
    const { id } = record;
    let from = "0.0";
    for (;;) {
      const query = new URLSearchParams({ threadId: this.id, runId: id, sourceRunId: id });
      const headers = { "last-event-id": from };
      this.#lastEventId = from;
      await this.#read((signal) => ask(`${this.#path}?${query}`, { headers, signal }), id);
      const at = Number(this.#lastEventId.split(".")[0]);
      if (this.#status !== "waiting" || at >= record.sequence || `${at + 1}.0` === from) {
        return;
      }
      from = `${at + 1}.0`;
    }
  }

  async #run(asked: {
    readonly messages: readonly unknown[];
    readonly resume?: readonly ResumeEntry[];
  }): Promise<void> {
    const runId = newId();
    this.#conversation.begin(runId);
    this.#status = "running";
    this.#lastEventId = undefined;
    this.#draw();
    const body = { threadId: this.id, runId, protocolVersion: "1.0", tools: [], context: [] };
    const headers = { accept: "text/event-stream" };
    await this.#read(
      (signal) => post(this.#path, { ...body, ...asked }, { headers, signal }),
      runId,
    );
  }

  /** Reads a stream to its end; one that breaks is taken up where it broke. */
  async #read(open: (signal: AbortSignal) => Promise<Response>, runId: string): Promise<void> {
    const reading = new AbortController();
    this.#reading = reading;
    const { signal } = reading;
    let openNow = open;
    for (let tries = 0; this.#conversation.isRunning && !signal.aborted; tries += 1) {
      try {
        await this.#take(await openNow(signal));
        tries = 0;
      } catch (thrown) {
        if (signal.aborted) {
          return;
        }
        if (this.#isFinal(thrown, tries)) {
          this.#conversation.break(failureOf(thrown));
          break;
        }
      }
      if (this.#conversation.isRunning) {
        this.#isReconnecting = true;
        this.#draw();
        await new Promise((resolve) => setTimeout(resolve, 500 * 2 ** Math.min(tries, 4)));
        openNow = (again) => this.#reopen(runId, again);
      }
    }
    this.#isReconnecting = false;
    this.#settle();
  }

  /** What the server has refused it will refuse again; a run of which nothing is known cannot be found. */
  #isFinal(thrown: unknown, tries: number): boolean {
    const isRefused = thrown instanceof ApiError && thrown.status >= 400 && thrown.status !== 503;
    return (
      isRefused || this.#conversation.run?.sourceRunId === undefined || tries >= mostReconnects
    );
  }

  #reopen(runId: string, signal: AbortSignal): Promise<Response> {
    const { sourceRunId = "" } = this.#conversation.run ?? {};
    const query = new URLSearchParams({ threadId: this.id, runId, sourceRunId });
    const last = this.#lastEventId;
    const headers = last === undefined ? {} : { "last-event-id": last };
    return ask(`${this.#path}?${query}`, { headers, signal });
  }

  async #take({ body }: Response): Promise<void> {
    if (body === null) {
      return;
    }
    for await (const { id, data } of readEvents(body)) {
      this.#isReconnecting = false;
      this.#lastEventId = id ?? this.#lastEventId;
      this.#conversation.take(JSON.parse(data) as AgUiEvent); // our server's
      this.#drawSoon();
    }
  }

  #settle(): void {
    this.#status = this.#conversation.interrupts.length > 0 ? "waiting" : "idle";
    this.#draw();
  }

  /** Many events come between two frames. A page that is not seen has no frames. */
  #drawSoon(): void {
    if (this.#drawing === undefined) {
      const draw = (): void => this.#draw();
      this.#drawing = document.hidden ? setTimeout(draw, 200) : requestAnimationFrame(draw);
    }
  }

  #draw(): void {
    if (typeof this.#drawing === "number") {
      cancelAnimationFrame(this.#drawing);
      clearTimeout(this.#drawing);
    }
    this.#drawing = undefined;
    this.view.set(this.#viewNow());
  }

  #viewNow(): ChatView {
    const error = this.#error;
    const lastAgent = this.#lastAgent;
    return {
      items: this.#conversation.snapshot(),
      status: this.#status,
      questions: this.#conversation.interrupts.map(fromInterrupt),
      hasEarlier: this.#firstSequence > 1,
      isReconnecting: this.#isReconnecting,
      ...(lastAgent === undefined ? {} : { lastAgent }),
      ...(error === undefined ? {} : { error }),
    };
  }
}

function failureOf(thrown: unknown): { readonly code: string; readonly message: string } {
  return thrown instanceof ApiError
    ? { code: thrown.code, message: thrown.message }
    : { code: "connection-lost", message: "The connection to the run was lost." };
}
