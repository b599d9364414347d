import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { AgentSummary } from "../../src/server/agent-routes.ts";
import type { ServerDescription } from "../../src/server/workbench-routes.ts";
import { go } from "../pieces/go.ts";
import { Empty, ErrorNotice } from "../pieces/notice.tsx";
import { useStore } from "../pieces/use-store.ts";
import type { ChatSession, ChatView } from "./chat-session.ts";
import { Composer } from "./composer.tsx";
import { MessageList } from "./message-list.tsx";
import { Questions } from "./question-card.tsx";
import { ScrollFrame } from "./scroll-frame.tsx";

/** One conversation: what was said, what is asked, and where one says more. */
export function Chat({
  chat,
  agent,
  server,
  servers,
}: {
  readonly chat: ChatSession;
  readonly agent: AgentSummary;
  readonly server: ServerDescription;
  /** The server of each tool, by the tool's name. */
  readonly servers: ReadonlyMap<string, string | undefined>;
}): VNode {
  const view = useStore(chat.view);
  const [problem, setProblem] = useState<Error | undefined>();
  const attempt = (work: Promise<void>): void => {
    setProblem(undefined);
    work.catch((error: Error) => setProblem(error));
  };
  const { items, status, questions, error } = view;
  return (
    <>
      <ScrollFrame mark={view}>
        <h2 class="visually-hidden">Messages</h2>
        {error !== undefined && <ErrorNotice error={error} onRetry={() => location.reload()} />}
        {items.length === 0 && status === "idle" && error === undefined && (
          <Beginning agent={agent} isKept={server.sessions} />
        )}
        <MessageList
          items={items}
          servers={servers}
          hasEarlier={view.hasEarlier}
          canRetry={status === "idle"}
          onEarlier={() => attempt(chat.loadEarlier())}
          onRetry={() => attempt(chat.retry())}
        />
        {questions.length > 0 && (
          <Questions
            key={questions.map(({ id }) => id).join()}
            questions={questions}
            isBusy={status !== "waiting"}
            onDecide={(decisions) => attempt(chat.answer(decisions))}
          />
        )}
        <p class={`activity ${status === "running" ? "is-running" : ""}`} role="status">
          <span class={status === "idle" ? "visually-hidden" : ""}>{activityOf(view)}</span>
        </p>
        {problem !== undefined && <ErrorNotice error={problem} />}
      </ScrollFrame>
      <Composer
        agent={agent.name}
        status={status}
        onSend={(text) => {
          attempt(chat.send(text));
          // What has begun can be found again.
          go({ page: "chat", agent: agent.name, session: chat.id }, "replace");
        }}
        onCancel={() => attempt(chat.cancel())}
      />
    </>
  );
}

function activityOf({ status, isReconnecting, items }: ChatView): string {
  switch (status) {
    case "loading":
      return "Loading…";
    case "running":
      return isReconnecting ? "The connection broke; trying again…" : "Working…";
    case "waiting":
      return "Waiting for you.";
    case "idle": {
      const last = items.at(-1);
      return last?.kind === "end" && last.status === "completed" ? "Done." : "";
    }
  }
}

function Beginning({
  agent: { name, description },
  isKept,
}: {
  readonly agent: AgentSummary;
  readonly isKept: boolean;
}): VNode {
  return (
    <Empty title={`Ask ${name}`}>
      {description !== undefined && <p>{description}</p>}
      {!isKept && (
        <p class="hint">
          This server keeps no conversations: this one is gone when the page is loaded again. Give
          the server <code>sessions</code> to keep them.
        </p>
      )}
    </Empty>
  );
}
