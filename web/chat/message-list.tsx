import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Markdown } from "../markdown/markdown.tsx";
import { Badge } from "../pieces/badge.tsx";
import { Disclosure } from "../pieces/disclosure.tsx";
import { formatDuration } from "../pieces/format.ts";
import { Icon } from "../pieces/icon.tsx";
import { memo } from "../pieces/memo.ts";
import { Failure } from "../pieces/notice.tsx";
import type {
  AgentItem,
  ChatItem,
  NoticeItem,
  ReasoningItem,
  TextItem,
  UserItem,
} from "./chat-item.ts";
import { EndRow } from "./end-row.tsx";
import { ToolRow } from "./tool-row.tsx";

/** As many items are laid out at first, and as many more each time that somebody asks. */
const windowLength = 120;

/** What was said and done, in order. */
export function MessageList({
  items,
  servers,
  hasEarlier,
  canRetry,
  onEarlier,
  onRetry,
}: {
  readonly items: readonly ChatItem[];
  readonly servers: ReadonlyMap<string, string | undefined>;
  readonly hasEarlier: boolean;
  readonly canRetry: boolean;
  onEarlier(): void;
  onRetry(): void;
}): VNode {
  const [length, setLength] = useState(windowLength);
  const byOwner = useMemo(() => groupByOwner(items), [items]);
  const own = byOwner.get(undefined) ?? [];
  const shown = own.slice(-length);
  const showEarlier = (): void => {
    setLength((count) => count + windowLength);
    if (own.length <= length) {
      onEarlier();
    }
  };
  const last = own.at(-1);
  return (
    <>
      {(own.length > length || hasEarlier) && (
        <p class="earlier">
          <button type="button" class="small" onClick={showEarlier}>
            Show earlier messages
          </button>
        </p>
      )}
      <ol class="messages">
        {shown.map((item) => (
          <li key={`${item.kind} ${item.id}`} class={`message ${item.kind}`}>
            <Item item={item} byOwner={byOwner} servers={servers} />
            {item.kind === "end" && (
              <EndRow item={item} onRetry={canRetry && item === last ? onRetry : undefined} />
            )}
          </li>
        ))}
      </ol>
    </>
  );
}

type ByOwner = ReadonlyMap<string | undefined, readonly ChatItem[]>;

function groupByOwner(items: readonly ChatItem[]): ByOwner {
  const groups = new Map<string | undefined, ChatItem[]>();
  for (const item of items) {
    const group = groups.get(item.owner);
    if (group === undefined) {
      groups.set(item.owner, [item]);
    } else {
      group.push(item);
    }
  }
  return groups;
}

function Item({
  item,
  byOwner,
  servers,
}: {
  readonly item: ChatItem;
  readonly byOwner: ByOwner;
  readonly servers: ReadonlyMap<string, string | undefined>;
}): VNode | null {
  switch (item.kind) {
    case "user":
      return <UserMessage item={item} />;
    case "text":
      return <AgentMessage item={item} />;
    case "reasoning":
      return <Reasoning item={item} />;
    case "tool":
      return <ToolRow item={item} server={servers.get(item.name)} />;
    case "notice":
      return <Notice item={item} />;
    case "agent":
      return <Subagent item={item} byOwner={byOwner} servers={servers} />;
    case "end":
      return null;
  }
}

const UserMessage = memo(({ item: { text } }: { readonly item: UserItem }) => (
  <div class="bubble">
    <span class="visually-hidden">You said:</span>
    {text.length > 20_000 ? `${text.slice(0, 20_000)}… (${text.length} characters)` : text}
  </div>
));

const AgentMessage = memo(({ item: { text } }: { readonly item: TextItem }) =>
  text === "" ? null : <Markdown text={text} />,
);

const Reasoning = memo(({ item }: { readonly item: ReasoningItem }) => {
  const { text, isOpen, startedAt, endedAt } = item;
  const took =
    startedAt !== undefined && endedAt !== undefined && endedAt - startedAt > 100
      ? ` for ${formatDuration(endedAt - startedAt)}`
      : "";
  return (
    <Disclosure
      class="reasoning"
      summary={
        <>
          <Icon name="thought" />
          {isOpen ? "Thinking…" : `Thought${took}`}
        </>
      }
    >
      {() => <div class="reasoning-text">{text}</div>}
    </Disclosure>
  );
});

const Notice = memo(({ item: { code, text, isWarning } }: { readonly item: NoticeItem }) => (
  <p class={`note ${isWarning ? "warning" : ""}`}>
    <Icon name={isWarning ? "alert" : "check"} />
    <span>
      {text} <code>{code}</code>
    </span>
  </p>
));

function Subagent({
  item,
  byOwner,
  servers,
}: {
  readonly item: AgentItem;
  readonly byOwner: ByOwner;
  readonly servers: ReadonlyMap<string, string | undefined>;
}): VNode {
  const { name, status, error, id } = item;
  const own = byOwner.get(id) ?? [];
  const tone = { running: "busy", done: "good", failed: "bad", waiting: "wait" } as const;
  return (
    <Disclosure
      class="subagent"
      summary={
        <>
          <Icon name="agent" />
          <span>{name}</span>
          <span class="push row">
            <Badge tone={tone[status]}>{status}</Badge>
          </span>
        </>
      }
    >
      {() => (
        <ol class="messages">
          {own.map((one) => (
            <li key={`${one.kind} ${one.id}`} class={`message ${one.kind}`}>
              <Item item={one} byOwner={byOwner} servers={servers} />
            </li>
          ))}
          {error !== undefined && <Failure {...error} />}
        </ol>
      )}
    </Disclosure>
  );
}
