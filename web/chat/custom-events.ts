import type { AgUiEvent } from "../../src/ag-ui/ag-ui-event.ts";
import type { FileNote, NoticeItem, ToolItem } from "./chat-item.ts";
import type { Conversation } from "./conversation.ts";

type CustomEvent = Extract<AgUiEvent, { readonly type: "CUSTOM" }>;

/** What an event of ours holds, as `dragoman/ag-ui` writes it. */
interface CustomValue {
  readonly toolCallId?: string;
  readonly code?: string;
  readonly message?: string;
  readonly server?: string;
  readonly status?: string;
  readonly attempt?: number;
  readonly delayMs?: number;
  readonly supersededMessageId?: string;
  readonly of?: "servers" | "tools";
  readonly names?: readonly string[];
  readonly reason?: string;
}

/** Takes an event that AG-UI has no type for; those of others are passed over. */
export function takeCustom(conversation: Conversation, event: CustomEvent): void {
  const value = event.value as CustomValue; // ours, by its name
  switch (event.name) {
    case "dragoman.tool_progress": {
      const { toolCallId = "", ...progress } = value;
      conversation.change("tool", toolCallId, {
        progress: progress as NonNullable<ToolItem["progress"]>, // what else the event has
      });
      return;
    }
    case "dragoman.artifact": {
      const { toolCallId = "", ...file } = value as unknown as FileNote & { toolCallId?: string }; // likewise
      const { files = [] } = conversation.find("tool", toolCallId) ?? {};
      const others = files.filter(({ id }) => id !== file.id);
      conversation.change("tool", toolCallId, { files: [...others, file] });
      return;
    }
    default: {
      const told = noticeOf(event.name, value);
      if (told !== undefined) {
        const run = conversation.run?.runId ?? "";
        const id = `${run} ${told.code} ${told.text}`;
        const { subagentRunId: owner } = event;
        conversation.put({ kind: "notice", id, ...told, ...(owner && { owner }) });
      }
    }
  }
}

type Told = Pick<NoticeItem, "code" | "text" | "isWarning">;

/** What a person is told of such an event, if anything. */
function noticeOf(name: string, value: CustomValue): Told | undefined {
  switch (name) {
    case "dragoman.notice": {
      const { code = "notice", message = "" } = value;
      return { code, text: message, isWarning: !quietCodes.includes(code) };
    }
    case "dragoman.retry": {
      const { attempt = 1, delayMs = 0, code = "" } = value;
      const text = `The model failed (${code}), try ${attempt}. It is asked again after ${(delayMs / 1000).toFixed(1)} s; what it said before does not count.`;
      return { code: "model-retry", text, isWarning: true };
    }
    case "dragoman.server": {
      const { server = "", status, code = "" } = value;
      return status === "failed"
        ? {
            code: "server-failed",
            text: `The server ${server} cannot be used (${code}). The run goes on without its tools.`,
            isWarning: true,
          }
        : undefined;
    }
    case "dragoman.discovery": {
      const { of = "tools", names = [], reason = "" } = value;
      const list = names.length === 0 ? "none" : names.join(", ");
      const text = `Discovery of ${of}: ${list} (${reason}).`;
      return { code: "discovery", text, isWarning: false };
    }
    default:
      return undefined;
  }
}

/** Told so that one knows, not because something is wrong. */
const quietCodes: readonly string[] = ["default-model", "offline-model", "tool-renamed"];
