import type { InputMessage } from "../../src/ag-ui/run-agent-input.ts";
import type { ChatItem } from "./chat-item.ts";

/**
 * The history as a client sends it, for a server that keeps no conversations. Of subagents only what
 * came of them is sent.
 */
export function toWireMessages(items: readonly ChatItem[]): readonly InputMessage[] {
  return items.flatMap((item): readonly InputMessage[] => {
    if (item.owner !== undefined) {
      return [];
    }
    const { id } = item;
    switch (item.kind) {
      case "user":
        return [{ id, role: "user", content: item.text }];
      case "text":
        return item.text === "" ? [] : [{ id, role: "assistant", content: item.text }];
      case "tool": {
        const { name, argumentsText } = item;
        const call = { id, type: "function", function: { name, arguments: argumentsText || "{}" } };
        const content = item.content
          .map((part) => (part.type === "text" ? part.text : ""))
          .join("");
        return [
          { id: `${id}-call`, role: "assistant", toolCalls: [call] },
          { id: `${id}-result`, role: "tool", toolCallId: id, content: content || "(no result)" },
        ];
      }
      default:
        return [];
    }
  });
}
