import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { SessionSummary, StoredMessage } from "../../src/agent/session-store.ts";
import { formatTime } from "../pieces/format.ts";
import { go } from "../pieces/go.ts";
import { Icon } from "../pieces/icon.tsx";
import { ErrorNotice } from "../pieces/notice.tsx";
import { formatRoute } from "../pieces/route.ts";
import { useLoaded } from "../pieces/use-loaded.ts";
import { ask, getJson } from "../wire/api.ts";
import { userText } from "./from-messages.ts";
import { forgetChat } from "./open-chats.ts";

const everyMs = 4_000;
const pageLength = 30;

interface Listed extends SessionSummary {
  readonly shownTitle: string;
}

/** What was said first in a session never changes. */
const firstWords = new Map<string, string>();

/** The conversations that the server keeps, the last changed first. */
export function SessionList({
  agent,
  current,
  isKept,
}: {
  readonly agent: string;
  readonly current: string;
  readonly isKept: boolean;
}): VNode | null {
  const [pages, setPages] = useState(1);
  const list = useLoaded(
    `sessions ${pages}`,
    (signal) => loadSessions(pages * pageLength, signal),
    everyMs,
  );
  if (!isKept) {
    return (
      <p class="pane-note">
        This server keeps no conversations. Give it <code>sessions</code>, as in{" "}
        <code>createServer({"{ sessions: memorySessions() }"})</code>.
      </p>
    );
  }
  const { value, error, reload } = list;
  if (value === undefined) {
    return error === undefined ? null : <ErrorNotice error={error} onRetry={reload} />;
  }
  return (
    <>
      {value.sessions.length === 0 && (
        <p class="pane-note">What you say is kept here, and can be gone on with.</p>
      )}
      <ul class="choice-list">
        {value.sessions.map((session) => (
          <SessionEntry
            key={session.id}
            session={session}
            agent={agent}
            isCurrent={session.id === current}
            onDeleted={() => {
              reload();
              if (session.id === current) {
                go({ page: "chat", agent });
              }
            }}
          />
        ))}
      </ul>
      {value.hasMore && (
        <button type="button" class="quiet small" onClick={() => setPages((count) => count + 1)}>
          Show more
        </button>
      )}
    </>
  );
}

function SessionEntry({
  session: { id, shownTitle, updatedAt },
  agent,
  isCurrent,
  onDeleted,
}: {
  readonly session: Listed;
  readonly agent: string;
  readonly isCurrent: boolean;
  onDeleted(): void;
}): VNode | null {
  const [isSure, setSure] = useState(false);
  const remove = (): void => {
    if (!isSure) {
      setSure(true);
      return;
    }
    forgetChat(id);
    void ask(`/sessions/${encodeURIComponent(id)}`, { method: "DELETE" })
      .catch(() => {}) // the list shows that it is there still
      .then(onDeleted);
  };
  return (
    <li class="session-entry">
      <a
        href={formatRoute({ page: "chat", agent, session: id })}
        aria-current={isCurrent ? "page" : undefined}
      >
        <span class="choice-title">{shownTitle}</span>
        <span class="hint tabular">{formatTime(updatedAt)}</span>
      </a>
      <button
        type="button"
        class={`quiet icon-button ${isSure ? "danger" : ""}`}
        aria-label={isSure ? `Really delete "${shownTitle}"` : `Delete "${shownTitle}"`}
        title={isSure ? "Click again to delete it" : "Delete"}
        onClick={remove}
        onBlur={() => setSure(false)}
      >
        <Icon name={isSure ? "check" : "trash"} />
      </button>
    </li>
  );
}

async function loadSessions(
  limit: number,
  signal: AbortSignal,
): Promise<{ readonly sessions: readonly Listed[]; readonly hasMore: boolean }> {
  const { sessions, next } = await getJson<{
    readonly sessions: readonly SessionSummary[];
    readonly next?: string;
  }>(`/sessions?limit=${limit}`, { signal });
  const listed = await Promise.all(
    sessions.map(async (session) => ({
      ...session,
      shownTitle: session.title ?? (await firstWordsOf(session, signal)),
    })),
  );
  return { sessions: listed, hasMore: next !== undefined };
}

async function firstWordsOf({ id, length }: SessionSummary, signal: AbortSignal): Promise<string> {
  const known = firstWords.get(id);
  if (known !== undefined || length === 0) {
    return known ?? "Empty conversation";
  }
  const path = `/sessions/${encodeURIComponent(id)}/messages?limit=1`;
  const { messages } = await getJson<{ readonly messages: readonly StoredMessage[] }>(path, {
    signal,
  });
  const message = messages[0]?.message;
  const text = message?.role === "user" ? userText(message.content).trim() : "";
  const words = text === "" ? "Conversation" : text.slice(0, 120);
  firstWords.set(id, words);
  return words;
}
