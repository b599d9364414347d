import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { AgentSummary } from "../../src/server/agent-routes.ts";
import type { DescribedTools } from "../../src/server/agent-tools.ts";
import type { ServerDescription } from "../../src/server/workbench-routes.ts";
import { go } from "../pieces/go.ts";
import { Icon } from "../pieces/icon.tsx";
import { Empty } from "../pieces/notice.tsx";
import { useLoaded } from "../pieces/use-loaded.ts";
import { useStore } from "../pieces/use-store.ts";
import { getJson } from "../wire/api.ts";
import { Chat } from "./chat.tsx";
import type { ChatSession } from "./chat-session.ts";
import { newId } from "./new-id.ts";
import { openChat } from "./open-chats.ts";
import { SessionList } from "./session-list.tsx";

const lastAgentKey = "dragoman-agent";

/** Conversations, and one of them. */
export function ChatPage({
  agent: wanted,
  session,
  agents,
  server,
}: {
  readonly agent: string | undefined;
  readonly session: string | undefined;
  readonly agents: readonly AgentSummary[];
  readonly server: ServerDescription;
}): VNode {
  const agent = agents.find(({ name }) => name === wanted) ?? defaultAgent(agents);
  const name = agent?.name;
  const [isListOpen, setListOpen] = useState(false);
  const fresh = useFreshId(session);
  useEffect(() => {
    if (name !== undefined) {
      localStorage.setItem(lastAgentKey, name);
    }
  }, [name]);
  useEffect(() => setListOpen(false), [session]);
  if (agent === undefined) {
    return <Empty title="No agents">This server has none.</Empty>;
  }
  const begin = (as = agent.name): void => go({ page: "chat", agent: as });
  const id = session ?? fresh;
  return (
    <div class={`panes chat-page ${isListOpen ? "list-open" : ""}`}>
      <aside class="pane-list" aria-label="Conversations">
        <div class="pane-head">
          <h2>Conversations</h2>
          <button type="button" class="small push" onClick={() => begin()}>
            <Icon name="plus" />
            New
          </button>
          <button
            type="button"
            class="quiet icon-button narrow-only"
            aria-label="Close the list"
            onClick={() => setListOpen(false)}
          >
            <Icon name="cross" />
          </button>
        </div>
        <SessionList agent={agent.name} current={id} isKept={server.sessions} />
      </aside>
      <OpenedChat
        key={`${agent.name} ${id}`}
        agent={agent}
        agents={agents}
        session={id}
        isNew={id === fresh}
        server={server}
        onAgent={begin}
        onList={() => setListOpen(true)}
      />
    </div>
  );
}

function OpenedChat({
  agent,
  agents,
  session,
  isNew,
  server,
  onAgent,
  onList,
}: {
  readonly agent: AgentSummary;
  readonly agents: readonly AgentSummary[];
  readonly session: string;
  readonly isNew: boolean;
  readonly server: ServerDescription;
  onAgent(name: string): void;
  onList(): void;
}): VNode {
  const chat = useMemo(
    () => openChat(agent.name, session, { isKept: server.sessions, isNew }),
    [agent.name, session, server.sessions],
  );
  useLastAgent(chat, agents);
  const tools = useLoaded(`tools ${agent.name}`, (signal) =>
    getJson<DescribedTools>(`/agents/${encodeURIComponent(agent.name)}/tools`, { signal }),
  );
  const servers = useMemo(
    () => new Map((tools.value?.tools ?? []).map((tool) => [tool.name, tool.server])),
    [tools.value],
  );
  return (
    <section class="pane-main chat" aria-label="Conversation">
      <header class="pane-head">
        <button
          type="button"
          class="quiet icon-button narrow-only"
          aria-label="Show conversations"
          onClick={onList}
        >
          <Icon name="list" />
        </button>
        {agents.length > 1 ? (
          <>
            <h1 class="visually-hidden">{`Agent ${agent.name}`}</h1>
            <select
              class="agent-choice"
              aria-label="Agent"
              value={agent.name}
              onChange={(event) => onAgent(event.currentTarget.value)}
            >
              {agents.map(({ name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </>
        ) : (
          <h1 class="pane-title">{agent.name}</h1>
        )}
        <button
          type="button"
          class="quiet small push narrow-only"
          onClick={() => onAgent(agent.name)}
        >
          <Icon name="plus" />
          New
        </button>
      </header>
      <Chat chat={chat} agent={agent} server={server} servers={servers} />
    </section>
  );
}

/** A conversation that was had with another agent goes on with that one. */
function useLastAgent(chat: ChatSession, agents: readonly AgentSummary[]): void {
  const { lastAgent } = useStore(chat.view);
  const isOther = lastAgent !== undefined && lastAgent !== chat.agent;
  const isServed = agents.some(({ name }) => name === lastAgent);
  useEffect(() => {
    if (isOther && isServed) {
      go({ page: "chat", agent: lastAgent, session: chat.id }, "replace");
    }
  }, [isOther, isServed, lastAgent, chat.id]);
}

/** The id of the next conversation: another one once it is in use, and a new one is wanted. */
function useFreshId(session: string | undefined): string {
  const fresh = useRef({ id: newSessionId(), isUsed: false });
  if (session === fresh.current.id) {
    fresh.current.isUsed = true;
  } else if (session === undefined && fresh.current.isUsed) {
    fresh.current = { id: newSessionId(), isUsed: false };
  }
  return fresh.current.id;
}

const newSessionId = (): string => `chat-${newId()}`;

function defaultAgent(agents: readonly AgentSummary[]): AgentSummary | undefined {
  const last = localStorage.getItem(lastAgentKey);
  return agents.find(({ name }) => name === last) ?? agents[0];
}
