import { ChatSession } from "./chat-session.ts";

/** Conversations of this tab: one that goes on does so while another page is shown. */
const open = new Map<string, ChatSession>();

/** Of more conversations than this, the oldest at rest are loaded anew when they are shown again. */
const mostOpen = 8;

/** How a conversation is opened. */
export interface OpenChatOptions {
  /** Whether the server keeps conversations. */
  readonly isKept: boolean;
  /** Whether it begins now, so that there is nothing to load. */
  readonly isNew: boolean;
}

/** The conversation of that id, which is loaded with its first use. */
export function openChat(
  agent: string,
  id: string,
  { isKept, isNew }: OpenChatOptions,
): ChatSession {
  const key = JSON.stringify([agent, id]);
  const known = open.get(key);
  if (known !== undefined) {
    open.delete(key);
    open.set(key, known);
    return known;
  }
  const chat = new ChatSession(agent, id, { isKept, isNew });
  open.set(key, chat);
  for (const [oldKey, old] of open) {
    if (open.size > mostOpen && !old.isBusy && old !== chat && isKept) {
      open.delete(oldKey);
    }
  }
  if (!isNew) {
    void chat.load();
  }
  return chat;
}

/** Forgets a conversation that was deleted. */
export function forgetChat(id: string): void {
  for (const [key, chat] of open) {
    if (chat.id === id) {
      chat.close();
      open.delete(key);
    }
  }
}
