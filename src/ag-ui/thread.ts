import type { KeepBytes } from "../agent/out-of-line.ts";
import type { SessionChoice } from "../agent/run-options.ts";
import { messagesOutOfLine } from "../agent/session-media.ts";
import type { SessionStore } from "../agent/session-store.ts";
import { canonicalJson } from "../base/canonical-json.ts";
import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import { sha256 } from "../base/sha256.ts";
import type { UserContent } from "../message/content.ts";
import type { Message } from "../message/message.ts";
import { fromAgUiMessages, fromContent } from "./from-ag-ui-messages.ts";
import { InputHistory } from "./input-history.ts";
import { Refusal } from "./refusal.ts";
import type { InputMessage, RunAgentInput } from "./run-agent-input.ts";

/** The conversation that a request is about. */
export interface Thread {
  /** What its runs go on with. */
  readonly session: SessionChoice & { readonly store: SessionStore };
  /** Whether the application keeps it; else it is what the client says it is. */
  readonly isKept: boolean;
  /** What the user says that the thread does not have yet; empty where there is nothing. */
  readonly said: readonly UserContent[];
  /** The same thread after these messages; of one that is kept, itself. */
  after(messages: readonly Message[]): Thread;
  /** The state as it is now. */
  state(): Promise<JsonObject | undefined>;
}

/** Whose thread it is, and where it is kept. */
export interface ThreadScope {
  readonly app: string;
  readonly actor: string | undefined;
  readonly sessions: SessionStore | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/**
 * Finds the thread of a request.
 *
 * @throws Refusal 403 where it is another caller's; SessionError where the store fails.
 */
export function openThread(input: RunAgentInput, scope: ThreadScope): Promise<Thread> {
  const { sessions } = scope;
  return sessions === undefined ? sentThread(input, scope) : keptThread(input, scope, sessions);
}

async function keptThread(
  { threadId, messages }: RunAgentInput,
  { app, actor }: ThreadScope,
  store: SessionStore,
): Promise<Thread> {
  const key = { app, id: threadId };
  const found = await store.get(key);
  if (found !== undefined && found.actor !== actor) {
    throw new Refusal("This thread is not yours.", { status: 403, code: "forbidden" });
  }
  const trailing = trailingUserMessages(messages);
  const length = found?.length ?? 0;
  const after = Math.max(0, length - trailing.length);
  const tail = found === undefined ? [] : await store.messages(key, { after });
  const known = tail.map(({ message }) => canonicalJson(message as unknown as Json)); // plain JSON
  const contents = trailing.map(({ content }) => fromContent(content));
  const stored = await Promise.all(contents.map(asStored));
  // A run that failed has kept what the user said; whoever says it again means it again.
  const fresh = contents.filter(
    (content, index) =>
      index === contents.length - 1 ||
      ![{ role: "user", content }, stored[index]].some((said) =>
        known.includes(canonicalJson(said as unknown as Json)),
      ),
  );
  const thread: Thread = {
    session: { id: threadId, store },
    isKept: true,
    said: fresh.flat(),
    after: () => thread,
    state: async () => (await store.get(key))?.state,
  };
  return thread;
}

/** What a user said, as a session has it where its media are artifacts. */
async function asStored(content: readonly UserContent[]): Promise<Message | undefined> {
  const idOf: KeepBytes = async (bytes) => `sha256-${await sha256(bytes)}`;
  return (await messagesOutOfLine([{ role: "user", content }], idOf))[0];
}

async function sentThread(input: RunAgentInput, { app, now }: ThreadScope): Promise<Thread> {
  const { threadId, messages, state } = input;
  const trailing = trailingUserMessages(messages);
  const history = fromAgUiMessages(messages.slice(0, messages.length - trailing.length));
  const said = trailing.flatMap(({ content }) => fromContent(content));
  const threadOf = (known: readonly Message[], start: JsonObject): Thread => {
    const store = new InputHistory(known, start, now);
    const current = async (): Promise<JsonObject> => (await store.get({ app, id: threadId })).state;
    return {
      session: { id: threadId, store },
      isKept: false,
      said,
      after: (said) =>
        threadOf(
          said.filter(({ role }) => role !== "system"),
          start,
        ),
      state: current,
    };
  };
  return threadOf(history, isJsonObject(state) ? state : {});
}

type UserMessage = Extract<InputMessage, { readonly role: "user" }>;

/** What the user says since somebody else spoke. */
function trailingUserMessages(messages: readonly InputMessage[]): readonly UserMessage[] {
  const trailing: UserMessage[] = [];
  for (const message of messages.toReversed()) {
    if (message.role !== "user") {
      break;
    }
    trailing.unshift(message);
  }
  return trailing;
}
