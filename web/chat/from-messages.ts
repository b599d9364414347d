import type { AgUiContentPart } from "../../src/ag-ui/ag-ui-event.ts";
import type { StoredMessage } from "../../src/agent/session-store.ts";
import type {
  AssistantContent,
  MediaPart,
  ResultContent,
  ToolResultPart,
  UserContent,
} from "../../src/message/content.ts";
import type { ChatItem, FileNote, ToolItem } from "./chat-item.ts";

/** The items of messages that a session keeps. */
export function fromMessages(messages: readonly StoredMessage[]): readonly ChatItem[] {
  const history = new History();
  for (const message of messages) {
    history.take(message);
  }
  return history.items;
}

class History {
  readonly items: ChatItem[] = [];
  /** Where the newest call of an id stands: ids are unique within a run only. */
  readonly #calls = new Map<string, number>();

  take({ sequence, message }: StoredMessage): void {
    switch (message.role) {
      case "system":
        return;
      case "user":
        this.items.push({ kind: "user", id: `m${sequence}`, text: userText(message.content) });
        return;
      case "assistant":
        for (const [index, part] of message.content.entries()) {
          this.#takePart(`m${sequence}-${index}`, part);
        }
        return;
      case "tool":
        for (const result of message.content) {
          this.#answer(result);
        }
    }
  }

  #takePart(id: string, part: AssistantContent): void {
    if (part.kind === "text" || part.kind === "reasoning") {
      this.items.push({ kind: part.kind, id, text: part.text, isOpen: false });
    }
    if (part.kind === "tool-call") {
      this.#calls.set(part.id, this.items.length);
      this.items.push({
        kind: "tool",
        id,
        name: part.name,
        argumentsText: part.malformedArguments ?? JSON.stringify(part.arguments),
        status: "not-made",
        content: [],
        files: [],
      });
    }
  }

  /** A call whose beginning was not loaded has no item. */
  #answer({ id, isError, content }: ToolResultPart): void {
    const place = this.#calls.get(id);
    const call = place === undefined ? undefined : this.items[place];
    if (place !== undefined && call?.kind === "tool") {
      this.items[place] = { ...call, status: isError ? "failed" : "done", ...shown(content) };
    }
  }
}

/** What a user said, with the names of what came along. */
export const userText = (content: readonly UserContent[]): string =>
  content
    .map((part) => (part.kind === "text" ? part.text : `[${part.name ?? part.kind}]`))
    .join("");

function shown(content: readonly ResultContent[]): Pick<ToolItem, "content" | "files"> {
  const files = content.flatMap((part): readonly FileNote[] => {
    if (part.kind === "text" || part.artifact === undefined) {
      return [];
    }
    const { artifact: id, mediaType, name } = part;
    return [{ id, mediaType, ...(name === undefined ? {} : { name }) }];
  });
  return { content: content.map(toContentPart), files };
}

/** A part of a result, as the wire has it. */
export function toContentPart(part: ResultContent): AgUiContentPart {
  return part.kind === "text" ? { type: "text", text: part.text } : toMedium(part);
}

function toMedium({ kind, mediaType, source }: MediaPart): AgUiContentPart {
  const type = kind === "file" ? "document" : kind;
  return {
    type,
    source:
      source.kind === "data"
        ? { type: "data", value: source.base64, mimeType: mediaType }
        : { type: "url", value: source.url, mimeType: mediaType },
  };
}
